"""Warnings about structure: normalisation, unused parts, number of parameters."""

from collections.abc import Iterator
from typing import Any

from blocks import CATALOGUE, has, of_family
from core.analyse import remedies
from core.analyse.report import Finding, Report
from core.data.facts.info import DataInfo
from core.graph import Graph, Node
from core.graph.names import default_base, fresh_id
from core.graph.order import ancestors, descendants, order
from core.project.model import Project

AFFINE = ("dense", "convolves", "transposed")
"""Traits of layers that add up values times weights: two in a row do no more than one."""
TOO_MANY = 1000  # parameters for each sample: a net that can only learn by heart
DEEP = 10  # layers with weights in a row; VGG-11 was the first that needed care without

Edit = dict[str, Any]


def specialised(project: Project) -> Iterator[Finding]:
    """Warn of an imported drawing that is specialised to one sample."""
    entry = next(iter(project.graph.of_block("Input")), "")
    if not project.specialised or not entry:
        return
    first, *others = project.specialised
    more = (
        f" {len(others)} more places do the same."
        if len(others) > 1
        else (" One more place does the same." * len(others))
    )
    yield Finding(
        entry,
        "specialised",
        f"{entry} feeds a drawing that follows only one branch of the original model: {first}"
        f"{more}",
        "Other inputs may give different results than the original. Write the condition with "
        "tensors, "
        "such as torch.where, and import it again.",
    )


def batch_of_one(project: Project, report: Report, data: DataInfo | None) -> Iterator[Finding]:
    """Warn of batch normalisation with batch_size 1."""
    if project.training.get("batch_size") != 1:
        return
    for path, node in report.nodes.items():
        if not has(node.block, "batch_statistics") or path.rpartition(".")[2].isdigit():
            continue
        name, inside = _node_at(project.graph, path)
        edit = {"op": "replace", "node": name, "block": "GroupNorm", "settings": {"num_groups": 1}}
        yield Finding(
            path,
            "batch_of_one",
            f"{path} averages over the batch, but batch_size is 1.",
            "Set batch_size to 16 or more on the Train page, or use GroupNorm.",
            (remedies.offer(f"Make {path} a GroupNorm(num_groups=1)", edit | inside),),
        )


def _node_at(graph: Graph, path: str) -> tuple[str, dict[str, str]]:
    """The node at a path of the report, and the key that places an edit in its composite."""
    inside: dict[str, str] = {}
    *uses, name = (part for part in path.split(".") if not part.isdigit())
    for use in uses:
        block = remedies.block_of(graph, use)
        inside = {"composite": block}
        graph = _within(graph, block)
    return name, inside


def _within(graph: Graph, block: str) -> Graph:
    part = graph.composites[block].graph
    return Graph(part.nodes, part.edges, graph.composites)


def missing_normalisation(
    project: Project, report: Report, data: DataInfo | None
) -> Iterator[Finding]:
    """Warn of a deep stack of layers without normalisation.

    Of several paths to a block the shortest counts: a skip connection helps as well.
    """
    graph = project.graph
    longest = list(max(_rows(graph).values(), key=len, default=()))
    if len(longest) < DEEP:
        return
    last = longest[-1].partition(".")[0]
    yield Finding(
        last,
        "missing_normalisation",
        f"{last} is layer {len(longest)} in a row without normalisation: activations and "
        "gradients may vanish or explode.",
        "Add a normalisation such as BatchNorm2d after the layers, or residual connections.",
        tuple(_add_normalisation(graph, report, longest)),
    )


def _rows(graph: Graph) -> dict[str, tuple[str, ...]]:
    """For each node the weighted layers in a row up to it, by the shortest of its paths."""
    rows: dict[str, tuple[str, ...]] = {}
    for name in order(graph):
        before = min((rows[e.source] for e in graph.into(name)), key=len, default=())
        own = _layers(graph, name, graph.nodes[name])
        rows[name] = () if own is None else (*before, *own)
    return rows


def _layers(graph: Graph, name: str, node: Node) -> tuple[str, ...] | None:
    """The weighted layers of a node; None if it normalises or adds a skip connection."""
    block = remedies.block_of(graph, name)
    if block in graph.composites:
        if graph.composites[block].python:
            return None  # what it does inside nobody can tell
        part = _within(graph, block)
        if any(_layers(part, n, part.nodes[n]) is None for n in part.nodes):
            return None
        rows = _rows(part)
        shortest = min((rows[end] for end in part.of_block("Output")), key=len, default=())
        return tuple(f"{name}.{n}" for n in shortest) * node.repeat
    if has(block, "adds") or of_family(block, *NORMALISING):
        return None
    return (name,) * node.repeat if has(block, *AFFINE) else ()


NORMALISING = ("normalisation", "recurrent", "attention")


def _add_normalisation(graph: Graph, report: Report, layers: list[str]) -> Iterator[remedies.Offer]:
    """Offer a normalisation behind every layer but the last, as one step."""
    edits: list[Edit] = []
    taken = set(graph.nodes)
    for name in dict.fromkeys(layers[:-1]):
        out = list(graph.out_of(name)) if name in graph.nodes else []
        shape = next(iter(report.nodes[name].outputs.values())).shape if len(out) == 1 else ()
        plain = not name.count(".") and not has(remedies.block_of(graph, name), "dense")
        block = f"BatchNorm{len(shape) - 2}d" if plain else "BatchNorm1d"
        if block not in CATALOGUE or len(shape) < 2 or (not plain and len(shape) != 2):
            continue
        new = fresh_id(default_base(block, "normalisation"), taken)
        taken.add(new)
        edits.append(
            {
                "op": "insert",
                "id": new,
                "block": block,
                "settings": {},
                "target": out[0].target,
                "port": out[0].target_port,
            }
        )
    if edits:
        yield remedies.offer(f"Insert a normalisation after {len(edits)} layers", *edits)


def unused_parts(project: Project, report: Report, data: DataInfo | None) -> Iterator[Finding]:
    """Warn of nodes that reach no Output. A node without any wire out has its own warning."""
    graph = project.graph
    ends = graph.of_block("Output")
    reached = {*ends, *ancestors(graph, *ends)}
    for name, node in graph.nodes.items():
        if name in reached or not graph.out_of(name):
            continue
        entry = node.block == "Input"
        behind = descendants(graph, name) | {name}
        after = [n for n in graph.nodes if n in behind]
        edits = [{"op": "remove", "node": n} for n in after]
        yield Finding(
            name,
            "unused_input" if entry else "dead_branch",
            f"{name} is not connected to any Output: its result is not used.",
            "Connect the end of its branch to an Output, or remove the branch.",
            (remedies.offer(f"Remove {', '.join(after)}", *edits),),
        )


def overparameterised(project: Project, report: Report, data: DataInfo | None) -> Iterator[Finding]:
    """Warn of far more parameters than the data has values."""
    if data is None or not data.train_size:
        return
    each = report.trainable_params // data.train_size
    if each <= TOO_MANY:
        return
    largest = max((p for p in report.nodes if "." not in p), key=lambda p: report.nodes[p].params)
    yield Finding(
        largest,
        "too_many_weights",
        f"{largest} has the largest share of the {report.trainable_params:,} parameters for "
        f"{data.train_size:,} training samples: {each:,} per sample.",
        "The network may overfit. Make layers narrower, or add pooling before the first Linear.",
        tuple(_fewer_parameters(project.graph, report, largest, TOO_MANY * data.train_size)),
    )


def _fewer_parameters(
    graph: Graph, report: Report, largest: str, most: int
) -> Iterator[remedies.Offer]:
    """Offer pooling before a flatten in front of the largest layer, or a narrower layer."""
    node, known = graph.nodes[largest], report.nodes[largest]
    room = most - (report.trainable_params - known.params)
    flat = next((e.source for e in graph.into(largest)), "")
    wire = next(iter(graph.into(flat)), None) if flat else None
    image = report.wires.get(f"{wire.source} -> {flat}") if wire else None
    if image and image.rank == 4 and has(graph.nodes[flat].block, "flattens") and room > 0:
        sides = [d for d in image.shape[2:] if isinstance(d, int)]
        pooled = int((min(sides, default=0) ** 2 * room / known.params) ** 0.5)
        if pooled >= 1 and wire:
            new = fresh_id(default_base("AdaptiveAvgPool2d", "pooling"), set(graph.nodes))
            yield remedies.offer(
                f"Insert AdaptiveAvgPool2d(output_size={pooled}) before {flat}",
                {
                    "op": "insert",
                    "id": new,
                    "block": "AdaptiveAvgPool2d",
                    "settings": {"output_size": pooled},
                    "target": flat,
                    "port": wire.target_port,
                },
            )
    wide = node.settings.get("out_features")
    if isinstance(wide, int) and not all(
        graph.nodes[e.target].block == "Output" for e in graph.out_of(largest)
    ):
        narrow = 1 << max(int(wide * most / (2 * report.trainable_params)).bit_length() - 1, 0)
        yield remedies.offer(
            f"Set out_features of {largest} to {narrow}",
            {"op": "set", "node": largest, "settings": {"out_features": narrow}},
        )
