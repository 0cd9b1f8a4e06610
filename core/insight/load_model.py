"""Load a network for inspection or export: a run with its trained weights, or a project."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from torch import nn

from core.analyse import analyse_project, build, custom_blocks
from core.analyse.report import Report
from core.analyse.run_once import run_once
from core.common.errors import LayerloomError
from core.common.memory import shortage
from core.common.network_ref import (
    CheckpointRef,
    DrawnRef,
    ImportedRef,
    NetworkRef,
    PartRef,
    ProjectRef,
    RunRef,
)
from core.data import DataError, Dataset, describe_project, ends, load, load_project
from core.data.facts.info import DataInfo
from core.graph import Edge, Graph, Node
from core.graph.order import descendants
from core.insight.eval_context import own_random_state
from core.project import Project, read_text
from core.project.untrusted import untrusted
from core.runs.vocabulary import read_vocabulary


@dataclass(frozen=True, eq=False)
class OpenedNetwork:
    """A module in evaluation mode on the CPU, with the project and report it comes from.

    run: its run folder, None for a project. weights: the name of the file a project's weights were
    read from, "" where they are random. title: for people.
    """

    project: Project
    report: Report
    module: nn.Module
    run: Path | None
    title: str
    weights: str = ""

    @cached_property
    def info(self) -> DataInfo:
        """What its data is. Raises DataError when the data does not suit the network."""
        return describe_project(self.project, *ends(self.report.inputs, self.report.outputs))

    @cached_property
    def dataset(self) -> Dataset:
        """Its data, read from this machine. Raises DataError."""
        shapes = ends(self.report.inputs, self.report.outputs)
        tokens = read_vocabulary(self.run) if self.run else ()
        return load_project(self.project, *shapes, seed_of(self.project), vocabulary=tokens)


def allowed(opened: OpenedNetwork) -> OpenedNetwork:
    """Return a cached value. Raises NotReady where this user trusts its Python no more."""
    used = {node.block for node in opened.report.nodes.values()}
    for block in untrusted(opened.project.graph):
        if block in used:
            raise NotReady(f"{block} {custom_blocks.WAITS}", custom_blocks.hint())
    return opened


class NotReady(LayerloomError):
    """A network that cannot be built yet; `hint`: what to do about it."""


def seed_of(project: Project) -> int:
    """The training seed of a project, 0 if none is set."""
    seed = project.training.get("seed", 0)
    return seed if isinstance(seed, int) else 0


def open_untrained(project: Project, title: str = "") -> OpenedNetwork:
    """Build a project's network with random weights from its seed. Raises NotReady."""
    report = run_once(analyse_project(project))
    if report.source is None:
        first = report.errors[0] if report.errors else None
        raise NotReady(
            first.message if first else "The network needs an Input and an Output.",
            first.hint if first else "Finish the drawing first.",
        )
    if short := shortage(report.params, 2, "The weights and one copy"):
        raise NotReady(short.message, short.hint)
    with own_random_state(seed_of(project)):
        module = build(report.source, report.class_name).eval()
    return OpenedNetwork(project, report, module, None, title or project.name)


def open_imported(project: Project, weights: Path, title: str = "") -> OpenedNetwork:
    """Build a project's network with the weights that were imported with it. Raises NotReady."""
    from core.engine.weights_file import WeightsError, read_weights

    opened = open_untrained(project, title)
    try:
        read_weights(weights, opened.module)
    except WeightsError as error:
        raise NotReady(error.message, error.hint) from error
    return replace(opened, weights=weights.name)


def open_drawn(project: Project, run: Path) -> OpenedNetwork:
    """Build a project's network with the best weights of a run, which have its names and sizes.

    Raises NotReady, also where the run's are others, and what `load_module` raises.
    """
    from core.engine.load_module import load_module

    opened = open_untrained(project)
    try:
        opened.module.load_state_dict(load_module(run).state_dict())
    except RuntimeError as error:
        raise NotReady(f"{run.name} trained a different network.", "Train this network.") from error
    return replace(opened, run=run, title=run.name)


@dataclass(frozen=True, eq=False)
class OpenedPart(OpenedNetwork):
    """The part of a drawing that runs. fault: the path of the first block that does not."""

    fault: str = ""

    @cached_property
    def dataset(self) -> Dataset:
        """Its data for the Inputs alone, without the targets of the Outputs."""
        inputs, _ = ends(self.report.inputs, self.report.outputs)
        return load(self.project.data, inputs, None, seed=seed_of(self.project))


def open_part(project: Project) -> OpenedPart:
    """Build the part of a drawing that runs, with initial weights. Raises NotReady for none."""
    report = analyse_project(project)
    part = replace(project, graph=running_part(project.graph, report))
    if not any(node.block == "Output" for node in part.graph.nodes.values()):
        first = report.errors[0] if report.errors else None
        raise NotReady(
            first.message if first else "The network needs an Input.",
            first.hint if first else "Finish the drawing first.",
        )
    opened = open_untrained(part)
    fault = next((error.node for error in report.errors if error.node), "")
    return OpenedPart(opened.project, opened.report, opened.module, None, opened.title, "", fault)


def running_part(graph: Graph, report: Report) -> Graph:
    """The blocks without a fault that hang on such alone, each last one followed by an Output."""
    states = {path: node.state for path, node in report.nodes.items() if "." not in path}
    faulty = {error.node.partition(".")[0] for error in report.errors}
    good = {n for n in graph.nodes if states.get(n) == "ok" and n not in faulty}
    good -= _hanging(graph, good)
    edges = [e for e in graph.edges if e.source in good and e.target in good]
    nodes = {name: node for name, node in graph.nodes.items() if name in good}
    for name in sorted(good - {e.source for e in edges}):
        outputs = report.nodes[name].outputs
        if nodes[name].block != "Output" and outputs:
            end = _free(f"{name}_end", graph)
            nodes[end] = Node("Output")
            edges.append(Edge(name, next(iter(outputs)), end, "input"))
    return replace(graph, nodes=nodes, edges=tuple(edges))


def _hanging(graph: Graph, good: set[str]) -> set[str]:
    """Blocks that hang, by wires or shared weights, on one that is not among the good."""
    shared = [
        Edge(node.weights_of, "", name, "") for name, node in graph.nodes.items() if node.weights_of
    ]
    whole = replace(graph, edges=(*graph.edges, *shared))
    return good & descendants(whole, *(graph.nodes.keys() - good))


def _free(name: str, graph: Graph) -> str:
    while name in graph.nodes:
        name += "_"
    return name


def open_network(ref: NetworkRef) -> OpenedNetwork:
    """Load the network of a reference. Raises NotReady, and RunError as `open_run` does."""
    match ref:
        case RunRef(folder):
            return open_run(folder)
        case CheckpointRef(folder, which):
            return open_run(folder, which)
        case DrawnRef(text, run):
            return open_drawn(read_text(text), run)
        case PartRef(text):
            return open_part(read_text(text))
        case ImportedRef(text, weights):
            return open_imported(read_text(text), weights)
        case ProjectRef(text):
            return open_untrained(read_text(text))


def open_run(run: Path, which: str = "best") -> OpenedNetwork:
    """Load a run's network with the weights of a checkpoint: best, last or a kept epoch.

    Raises NotReady; RunError when a checkpoint is damaged.
    """
    from core.engine.load_module import load_module, load_network

    rebuilt = load_network(run)
    module = load_module(run, which).eval()
    return OpenedNetwork(rebuilt.project, rebuilt.report, module, run, run.name)


def data_of(opened: OpenedNetwork) -> Dataset | None:
    """The data, or None where it is not on this machine or does not suit the network."""
    try:
        return opened.dataset
    except DataError:
        return None
