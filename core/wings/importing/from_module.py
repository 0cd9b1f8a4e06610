"""Import a live torch module as a project: trace it, lower the trace, and draw it as composites.

`import_module(module, shapes, name)` keeps the original's parameter names. It executes the user's
model, so it is called only for an import that the user requests.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from torch import nn

from blocks import Block
from core.common.errors import ImportRefused
from core.graph import Graph
from core.project.model import Project
from core.source.model import class_name_of
from core.wings.importing.draw.composites import build_graph
from core.wings.importing.draw.draft import CONSTANT, Drafter, named_results
from core.wings.importing.draw.frozen import freeze
from core.wings.importing.draw.unused import keep_unused
from core.wings.importing.lower.scopes import identity_modules, make_drawable
from core.wings.importing.lower.sizes import Lifter
from core.wings.importing.lower.tied_weights import untie
from core.wings.importing.lower.train_eval import trace_both_modes
from core.wings.importing.matching.custom_blocks import (
    composites_of,
    custom_block_around,
    with_custom_block_offer,
)
from core.wings.importing.tracing.canonicalize import canonicalize
from core.wings.importing.tracing.computed_weights import (
    layers_with_computed_weights,
    with_plain_weights,
)
from core.wings.importing.tracing.data_dependent import describe_decisions, refuse_data_dependent
from core.wings.importing.tracing.hidden_layers import hidden_layers
from core.wings.importing.tracing.lasting_state import refuse_kept
from core.wings.importing.tracing.leaf_modules import CUSTOM_LEAVES, custom_leaves
from core.wings.importing.tracing.prepare import (
    initialise_lazy,
    make_by_first_call,
    model_name,
    refuse_foreign_rng,
    wrap_bare_layer,
)
from core.wings.importing.tracing.recorder import Run
from core.wings.importing.tracing.run_sample import RebuiltModule, retracer, trace_model
from core.wings.importing.tracing.static_shapes import (
    StaticShape,
    StaticShapeSearch,
    batch_decisions,
    compared_batches,
)
from core.wings.importing.tracing.symint import Expression
from core.wings.importing.tracing.torch_compile import calling_uncompiled, uncompiled
from core.wings.importing.tracing.trace_ir import Trace
from core.wings.importing.tracing.unregistered import unregistered
from core.wings.importing.tracing.user_frame import once_per_line
from core.wings.importing.verify.agreement import agreement
from core.wings.importing.weight_keys import key_map


@dataclass(frozen=True)
class ImportedModel:
    """A model as a project. keys: our state_dict's keys to the model's, where they differ.

    unused: keys of parameters that the recorded run never used. specialised: text of size
    expressions that the recorded run fixed, one for each line of the model. idle: modules without
    effect. heads: results that the original returns in training only. lazy: layers whose sizes came
    from a sample. made: what the model makes in its first call. decisions: lines where values of
    the sample decided the drawing. computed: weights that layers compute and the drawing stores as
    constants. training: text on effects in training only that are not drawn, and on results besides
    tensors. unregistered: tensors that are plain attributes of the model, and buffers of the
    drawing. hidden: text on layers and weights that torch does not register.
    """

    project: Project
    keys: dict[str, str] = field(default_factory=lambda: {})
    unused: tuple[str, ...] = ()
    specialised: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    lazy: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()
    unregistered: tuple[str, ...] = ()
    training: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@calling_uncompiled
def import_module(
    module: nn.Module,
    shapes: Sequence[tuple[int, ...]],
    name: str = "",
    dtypes: Sequence[str] = (),
    run: Run | None = None,
    heads: bool = False,
    specialise: bool = False,
    own_python: bool = False,
    keep_unused: bool = False,
) -> ImportedModel:
    """Record a model on inputs of the given shapes, batch excluded, and draw it.

    dtypes: torch's names, integers with a bound where they have one: int64<100. run: how to call
    it with them, where that is not model(*inputs). heads: draw what the model
    gives in training, too, where that is more. specialise: draw what Python decides by values as
    it goes for one sample, which is refused otherwise. own_python: take what cannot be drawn as a
    block of own Python, where its class can be one. keep_unused: draw the layers that forward does
    not call, too, for their weights. The model is run in both modes on a copy
    without weights. Raises ImportRefused with the reason and the place in the model.
    """
    dtypes = [*dtypes, *["float32"] * (len(shapes) - len(dtypes))]
    module = uncompiled(module)
    lazy, never = initialise_lazy(module, shapes, dtypes, run)
    made = make_by_first_call(module, shapes, dtypes, run)
    name = name or model_name(module)

    def drawn(every: bool, settings: bool = True) -> ImportedModel:
        plain, computed = with_plain_weights(module, every, settings)
        inner, alone = wrap_bare_layer(plain)
        original = Original(
            inner, alone, name, tuple(shapes), tuple(dtypes), run, heads, specialise, keep_unused
        )
        attempt = _with_branches(original)
        unused = (*attempt.unused, *(f"{path} (lazy, without a size)" for path in never))
        found = replace(attempt, lazy=lazy, made=made, hidden=hidden_layers(module))
        return replace(found, computed=computed, unused=unused)

    def attempted() -> ImportedModel:
        ways = ((False, True), (True, True)) if layers_with_computed_weights(module) else ()
        for every, settings in ways:
            with suppress(ImportRefused):
                return drawn(every, settings)
        return drawn(every=bool(ways), settings=False)

    try:
        return _with_own(module, attempted, own_python)
    except ImportRefused as refused:
        raise _with_hidden(module, refused) from refused


def _with_hidden(module: nn.Module, refused: ImportRefused) -> ImportRefused:
    """The error about a tensor without an owner, with the layers that torch does not know of."""
    hidden = hidden_layers(module) if refused.message == CONSTANT else ()
    if not hidden:
        return refused
    hint = f"{'. '.join(hidden)}."
    return type(refused)(refused.place, refused.message, hint, hint, refused.offers)


def _with_own(
    module: nn.Module, drawn: Callable[[], ImportedModel], own_python: bool
) -> ImportedModel:
    """Draw it, one class after the other as own Python where it cannot be drawn otherwise."""
    own: dict[type, Block] = {}
    while True:
        with custom_leaves(own):
            try:
                return drawn()
            except ImportRefused as refused:
                if not own_python:
                    raise with_custom_block_offer(module, refused) from refused
                own = own | custom_block_around(module, refused)


@dataclass(frozen=True)
class Original:
    """A model to draw and how to call it. alone: path of the layer that is all of it."""

    module: nn.Module
    alone: str
    name: str
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    run: Run | None
    heads: bool
    specialise: bool
    keep_unused: bool


def _with_branches(original: Original) -> ImportedModel:
    """Draw it as in both modes; as in evaluation where only that can be drawn."""
    try:
        return _drawn(original, branches=True)
    except ImportRefused:  # perhaps by a statement that only training has
        return _drawn(original, branches=False)


def _drawn(original: Original, branches: bool) -> ImportedModel:
    """Draw it. branches: with statements that only training has."""
    module, shapes, dtypes = original.module, original.shapes, original.dtypes
    trace, left_out = trace_both_modes(module, shapes, dtypes, original.run, branches)
    usual = len(list(named_results(trace.root.result)))
    if trace.undrawn:
        left_out.append(
            f"not drawn as outputs, because they are not tensors: {', '.join(trace.undrawn)}"
        )
    if original.heads:
        trace = trace_model(module, shapes, dtypes, original.run, training=True)
    without = tuple(identity_modules(trace))
    trace.tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    plain = unregistered(module)
    trace.tensors |= plain
    canonicalize(trace)
    untie(trace)
    passed = make_drawable(trace)
    lifter = Lifter(trace, passed)
    lifter.lift()
    read = _decided(original, trace, left_out)
    kind = {3: "image", 4: "video"}.get(len(shapes[0]), "features")
    rename = {"x": kind, "input": kind}
    draft = Drafter(trace, passed, module).draw(trace.root, original.name, rename)
    modules = dict(module.named_modules())
    if original.keep_unused:
        keep_unused(draft, module, key_map(module, draft)[1])
    left_out += freeze(draft, module)
    graph = _with_shapes(build_graph(draft, class_name_of(original.name), modules), shapes, dtypes)
    graph = replace(graph, composites={**composites_of(CUSTOM_LEAVES), **graph.composites})
    keys, unused = key_map(module, draft, original.alone)
    same = agreement(graph, module, key_map(module, draft)[0], dtypes, original.run)
    graph = _held(graph, original, trace, lifter.plain, same) if not read else graph
    decisions = describe_decisions(read)
    project = Project(name=original.name, about="", graph=graph, specialised=decisions)
    decided = once_per_line([*trace.guards, *trace.burned, *lifter.burned])
    more = tuple(graph.of_block("Output")[usual:])
    return ImportedModel(
        project,
        keys,
        unused,
        decided,
        without,
        more,
        decisions=decisions,
        training=tuple(left_out),
        unregistered=tuple(sorted(plain.keys() & set(trace.attributes.values()))),
    )


def _decided(original: Original, trace: Trace, notes: list[str]) -> dict[str, str]:
    """What values or the batch decided, by place. Raises ImportRefused unless it may be drawn."""
    if not original.specialise:
        refuse_foreign_rng(trace, original.name)
    if not original.specialise and not isinstance(original.module, RebuiltModule):
        notes += refuse_kept(original.module, original.shapes, original.dtypes, original.run)
    # a file of ONNX decides nothing by its batch, but its module needs several samples to tell them
    few = 3 if isinstance(original.module, RebuiltModule) else 1
    further = [] if few > 1 else compared_batches(trace)
    read = trace.decisions.read
    for batch in (few, *further):
        again = retracer(original.module, original.dtypes, original.run, trace, batch)
        read = read or batch_decisions(trace, again(original.shapes))
    if not original.specialise:
        refuse_data_dependent(read)
    return read


def _held(
    graph: Graph,
    original: Original,
    trace: Trace,
    plain: Sequence[Expression],
    same: Callable[[Sequence[tuple[int, ...]]], bool],
) -> Graph:
    """The graph with the sizes that it holds for. plain: expressions that are numbers in it."""
    again = retracer(original.module, original.dtypes, original.run, trace)
    return _with_static(
        graph, StaticShapeSearch(trace.signature, plain, original.shapes, again, same).find()
    )


def _with_static(graph: Graph, static: Sequence[StaticShape]) -> Graph:
    nodes = dict(graph.nodes)
    for node, sizes in zip(graph.of_block("Input"), static, strict=False):
        if any(size is not None for size in sizes):
            settings = {**nodes[node].settings, "static_shape": sizes}
            nodes[node] = replace(nodes[node], settings=settings)
    return replace(graph, nodes=nodes)


def _with_shapes(graph: Graph, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]) -> Graph:
    nodes = dict(graph.nodes)
    for node, shape, dtype in zip(graph.of_block("Input"), shapes, dtypes, strict=True):
        settings: dict[str, Any] = {"shape": tuple(shape)}
        if dtype != "float32":
            settings["dtype"] = dtype.partition("<")[0]
        nodes[node] = replace(nodes[node], settings=settings)
    return replace(graph, nodes=nodes)
