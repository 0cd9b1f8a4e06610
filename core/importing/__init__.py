"""Import a live model: recorded once, drawn as nested composites, checked against the original.

`import_module(module, shapes, name)` gives a project with the original names; `core.importing`
runs the user's model, so it is called only when the user asks for it.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from core.graph import Graph
from core.importing.draft import Drafter, camel, named_results
from core.importing.errors import ImportRefused, told
from core.importing.fold import fold
from core.importing.keys import key_map
from core.importing.plain import say_plainly
from core.importing.record import Run, record
from core.importing.scopes import idle, tidy
from core.importing.sizes import Lifter
from core.importing.steps import Trace
from core.importing.ties import untie
from core.importing.trials import samples
from core.project.model import Project
from core.source.model import class_name_of

__all__ = ["ImportRefused", "Imported", "import_module"]

BATCH, FEW = 127, 13
"""Samples of the recorded run: a prime that few other sizes are multiples of; fewer where the
run needs real values."""


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
    trace = _recorded(module, shapes, dtypes, run)
    usual = len(list(named_results(trace.root.result)))
    if heads:
        trace = _recorded(module, shapes, dtypes, run, training=True)
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


def _recorded(
    module: nn.Module, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], run: Run | None,
    training: bool = False,
) -> Trace:  # fmt: skip
    quantised = next((n for n, m in module.named_modules() if is_quantised(m)), None)
    if quantised is not None:
        raise ImportRefused(
            quantised, "is quantised: it keeps packed integers, which no block can hold.",
            "Import the model before its quantisation.",
        )  # fmt: skip
    for name, part in module.named_modules():
        if remedy := computes_weights(part):
            raise ImportRefused(
                name or type(part).__name__, "computes its weights anew before every call "
                "(a parametrisation, such as a spectral or weight norm), which no block does.",
                f"Fix them before the import: {remedy}.",
            )  # fmt: skip
    try:
        free = samples(shapes, dtypes, BATCH, "meta")
        return record(weightless(module).train(training), free, run)
    except ImportRefused:
        raise
    except FAILURES:
        pass  # on the meta device no value can be read; with values it may run
    try:
        return record(copy.deepcopy(module).train(training), samples(shapes, dtypes, FEW), run)
    except ImportRefused:
        raise
    except FAILURES as error:
        kind, said = type(module).__name__, told(error)
        sizes = ", ".join(str(shape) for shape in shapes)
        raise ImportRefused(kind, f"cannot be run on {sizes}: {said}") from error


FAILURES = (Exception, SystemExit)
"""What the user's own code may end in: anything, also leaving the program."""


def is_quantised(module: nn.Module) -> bool:
    """Whether a module keeps packed integers."""
    home, kind = type(module).__module__, type(module).__name__
    return "quantized" in home and kind not in ("FloatFunctional", "DeQuantStub", "QuantStub")


def computes_weights(module: nn.Module) -> str:
    """How to give a layer plain weights, "" if it has them."""
    if parametrize.is_parametrized(module):
        return 'torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")'
    kinds = {type(hook).__name__ for hook in module._forward_pre_hooks.values()}
    known = {"SpectralNorm": "remove_spectral_norm", "WeightNorm": "remove_weight_norm"}
    found = next((name for kind, name in known.items() if kind in kinds), "")
    return f"torch.nn.utils.{found}(layer)" if found else ""


def weightless(module: nn.Module) -> nn.Module:
    """A copy of a model with all its tensors on the meta device: no memory, no computing."""
    memo: dict[int, Any] = {}
    for p in module.parameters():
        memo[id(p)] = nn.Parameter(torch.empty_like(p, device="meta"), p.requires_grad)
    for b in module.buffers():
        memo[id(b)] = torch.empty_like(b, device="meta")
    return copy.deepcopy(module, memo)


def _with_shapes(graph: Graph, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]) -> Graph:
    from dataclasses import replace

    nodes = dict(graph.nodes)
    for node, shape, dtype in zip(graph.of_block("Input"), shapes, dtypes, strict=True):
        given: dict[str, Any] = {"shape": tuple(shape)}
        if dtype != "float32":
            given["dtype"] = dtype
        nodes[node] = replace(nodes[node], settings=given)
    return replace(graph, nodes=nodes)
