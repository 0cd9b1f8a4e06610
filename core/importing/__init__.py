"""Import a live model: recorded once, drawn as nested composites, checked against the original.

`import_module(module, shapes, name)` gives a project with the original names; `core.importing`
runs the user's model, so it is called only when the user asks for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from core.graph import Graph
from core.importing.draft import Drafter, camel, named_results
from core.importing.errors import ImportRefused
from core.importing.fold import fold
from core.importing.keys import key_map
from core.importing.plain import say_plainly
from core.importing.record import Run
from core.importing.recorded import recorded
from core.importing.scopes import idle, tidy
from core.importing.sizes import Lifter
from core.importing.ties import untie
from core.project.model import Project
from core.source.model import class_name_of

__all__ = ["ImportRefused", "Imported", "import_module"]


@dataclass(frozen=True)
class Imported:
    """A model as a project. keys: our state_dict's keys to the model's, where they differ.

    unused: keys of parameters that the recorded run never used. specialised: expressions of
    sizes that were decided in the recorded run, for people. idle: modules that did nothing in it.
    heads: results that the original gives in training only.
    """

    project: Project
    keys: dict[str, str] = field(default_factory=lambda: {})
    unused: tuple[str, ...] = ()
    specialised: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()


def import_module(
    module: nn.Module, shapes: Sequence[tuple[int, ...]], name: str = "",
    dtypes: Sequence[str] = (), run: Run | None = None, heads: bool = False,
) -> Imported:  # fmt: skip
    """Record a model on inputs of the given shapes, batch excluded, and draw it.

    run: how to call it with them, where that is not model(*inputs). heads: draw what the model
    gives in training, too, where that is more. The model is run in eval mode on a copy without
    weights. Raises ImportRefused with the reason and the place in the model.
    """
    dtypes = [*dtypes, *["float32"] * (len(shapes) - len(dtypes))]
    trace = recorded(module, shapes, dtypes, run)
    usual = len(list(named_results(trace.root.result)))
    if heads:
        trace = recorded(module, shapes, dtypes, run, training=True)
    name = name or camel(type(module).__name__)
    without = tuple(idle(trace))
    trace.tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    say_plainly(trace)
    untie(trace)
    passed = tidy(trace)
    lifter = Lifter(trace, passed)
    lifter.lift()
    kind = {3: "image", 4: "video"}.get(len(shapes[0]), "features")
    rename = {"x": kind, "input": kind if kind == "video" else "image"}
    draft = Drafter(trace, passed, module).draw(trace.root, name, rename)
    modules = dict(module.named_modules())
    graph = _with_shapes(fold(draft, class_name_of(name), modules), shapes, dtypes)
    keys, unused = key_map(module, draft)
    project = Project(name=name, about="", graph=graph)
    decided = tuple(dict.fromkeys([*trace.guards, *trace.burned, *lifter.burned]))
    more = tuple(graph.of_block("Output")[usual:])
    return Imported(project, keys, unused, decided, without, more)


def _with_shapes(graph: Graph, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]) -> Graph:
    from dataclasses import replace

    nodes = dict(graph.nodes)
    for node, shape, dtype in zip(graph.of_block("Input"), shapes, dtypes, strict=True):
        given: dict[str, Any] = {"shape": tuple(shape)}
        if dtype != "float32":
            given["dtype"] = dtype
        nodes[node] = replace(nodes[node], settings=given)
    return replace(graph, nodes=nodes)
