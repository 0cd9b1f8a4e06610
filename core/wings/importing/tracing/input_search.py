"""Search for a model's inputs (shapes, dtypes, bounds of integers) by running it on guesses.

Guesses follow from the first layers: images, features, sequences, tokens. Each runs the model
once with a batch of two; the first that runs is taken.
"""

import inspect
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from core.common.errors import ImportRefused
from core.project.inputs import Input
from core.wings.importing.error_messages import error_text
from core.wings.importing.published_size import own_sizes
from core.wings.importing.tracing.computed_weights import detached_deepcopy
from core.wings.importing.tracing.input_hints import input_hint, keywords
from core.wings.importing.tracing.lazy_layers import as_before, copy_of_lazy, has_lazy_layers
from core.wings.importing.tracing.model_call import InputSpec, ModelCall
from core.wings.importing.tracing.outputs import refuse_nothing, tensor_leaves
from core.wings.importing.tracing.sample_inputs import samples

LENGTH = 12
"""Steps of a sequence that is tried."""
SIDES = (224, 32, 28, 64, 96, 128, 256, 299, 16, 8)
"""Sides of images that are tried, after the model's own."""
FEATURES = (784, 10, 20, 16, 2, 4, 3, 1)
"""Sizes that are tried on a layer that takes any, as lazy ones do."""
WIDTHS = ("in_features", "input_size", "embed_dim", "d_model", "num_features", "in1_features")
"""What layers call the number of features that they take."""
MOST = 60
"""Guesses for each number of inputs before giving up."""
SEVERAL = (1, 2, 3, 4)
"""So many inputs are tried of a forward that takes any number."""
CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
RECURRENT = (nn.RNNBase, nn.RNNCellBase)


def find_inputs(module: nn.Module, spec: InputSpec, label: str) -> InputSpec:
    """Complete an input spec: shapes, integer bounds, the batch dimension.

    Runs a copy of the model. Raises ImportRefused if no guess runs.
    """
    lazy = has_lazy_layers(module)
    trial = _copied(module, lazy)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        if not spec.inputs:
            spec = _first_accepted(trial, spec, label, lazy)
        spec = replace(spec, inputs=with_integer_bounds(trial, spec))
        if spec.batch_dim is None and not lazy:
            spec = replace(spec, batch_dim=find_batch_dim(trial, spec))
    return spec


def _copied(module: nn.Module, lazy: bool) -> nn.Module:
    try:
        return copy_of_lazy(module) if lazy else detached_deepcopy(module)
    except FAILURES:
        return module  # what cannot be copied is refused with the reason when it is traced


def _first_accepted(module: nn.Module, spec: InputSpec, label: str, lazy: bool) -> InputSpec:
    """The first guess that the model runs on."""
    reason = ""
    for inputs in _guesses(module, spec):
        guess = replace(spec, inputs=inputs)
        try:
            result = _result(copy_of_lazy(module) if lazy else module, guess)
            if any(True for _ in tensor_leaves(result)):
                return guess
            refuse_nothing(type(module).__name__, result)
        except ImportRefused:
            raise
        except FAILURES as error:
            reason = (
                reason or f" On {' and '.join(map(str, inputs))} it reports: {error_text(error)}"
            )
    raise ImportRefused(
        label,
        f"does not accept images, features, sequences or tokens.{reason}",
        input_hint(module, like=next(_inputs_of_first_layers(module))),
    )


FAILURES = (Exception, SystemExit)
"""What the user's own code may end in: anything, also leaving the program."""


def _result(module: nn.Module, spec: InputSpec, batch: int = 2) -> Any:
    """What the model returns for random inputs."""
    shapes = [one.shape for one in spec.inputs]
    inputs = samples(shapes, [one.kind for one in spec.inputs], batch)
    run = spec.call
    with as_before(module):  # what it makes for one guess does not fit the next
        return run(module, *inputs) if run else module(*inputs)


def _guesses(module: nn.Module, spec: InputSpec) -> Iterator[tuple[Input, ...]]:
    """Inputs to try, likely ones first: all arguments of one kind, then of several."""
    for names in _arguments_to_pass(module, spec):
        kinds = list(_inputs_of_first_layers(module))
        alike = [(kind,) * len(names) for kind in kinds]
        mixed = itertools.product(kinds[:5], repeat=len(names)) if len(names) in (2, 3) else ()
        for combination in itertools.islice((*alike[:30], *mixed, *alike[30:]), MOST):
            yield tuple(replace(kind, name=n) for n, kind in zip(names, combination, strict=True))


def _arguments_to_pass(module: nn.Module, spec: InputSpec) -> list[tuple[str, ...]]:
    """Arguments of forward to pass: the required ones, those that it reads of **keywords, and the
    decoder's or several of *inputs if it takes such."""
    parameters = inspect.signature(module.forward).parameters.values()
    plain = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    needed = [p.name for p in plain if p.default is p.empty and p.name not in spec.arguments]
    main = getattr(module, "main_input_name", "")
    if main not in {p.name for p in plain}:
        main = ""
    first = (main,) if main else tuple(needed) if spec.arguments else ("",) * max(1, len(needed))
    decoder = [n for p in plain if (n := p.name) in ("decoder_input_ids", "decoder_input_values")]
    if takes_any_number(module) and not spec.arguments:
        return [("",) * (len(needed) + count) for count in SEVERAL]
    read = [name for name in keywords(module) if name not in spec.arguments]
    return [first, *((first[0], name) for name in decoder[:1]), *[(*needed, *read)][: len(read)]]


def takes_any_number(module: nn.Module) -> bool:
    """Whether forward takes *inputs."""
    parameters = inspect.signature(module.forward).parameters.values()
    return any(p.kind is p.VAR_POSITIONAL for p in parameters)


def _inputs_of_first_layers(module: nn.Module) -> Iterator[Input]:
    """Inputs that the model's first layers accept."""
    first = [m for m in module.modules() if _determines_input(m)]
    seen: set[Input] = set()
    for layer in first[:1] + [m for m in first if isinstance(m, CONVOLUTIONS)][:1] + first[1:3]:
        for one in _inputs_of_layer(layer, module):
            if one not in seen:
                seen.add(one)
                yield one
    yield from (one for one in _default_inputs() if one not in seen)


def _default_inputs() -> Iterator[Input]:
    """Guesses for a model whose layers determine nothing."""
    yield from (Input((3, side, side)) for side in SIDES[:3])
    yield from (Input((LENGTH,), "int64"), Input((1, 28, 28)))
    yield from (Input((size,)) for size in FEATURES)
    yield from (Input((LENGTH, size)) for size in FEATURES)


def _determines_input(layer: nn.Module) -> bool:
    """Whether a layer determines the shape of its input."""
    named = (*WIDTHS, "in_channels", "num_embeddings", "normalized_shape")
    return any(isinstance(getattr(layer, n, None), int | tuple) for n in named)


def _inputs_of_layer(layer: Any, module: nn.Module) -> Iterator[Input]:
    """Inputs that one layer accepts."""
    if isinstance(layer, nn.Embedding | nn.EmbeddingBag):
        yield from (Input((n,), "int64") for n in (LENGTH, *_lengths(module)))
        yield Input((), "int64")
    elif isinstance(layer, CONVOLUTIONS):
        yield from _images(layer, module)
    else:
        size = next((v for n in WIDTHS if isinstance(v := getattr(layer, n, None), int)), 0)
        shape = getattr(layer, "normalized_shape", (size,) if size else ())
        if not shape or not all(shape):
            yield from (Input((size,)) for size in FEATURES[: 4 * isinstance(layer, nn.LazyLinear)])
            return
        sequence = isinstance(layer, (nn.RNNBase, nn.MultiheadAttention))
        flat, steps = Input(tuple(shape)), Input((LENGTH, *shape))
        yield from (steps, flat) if sequence else (flat, steps)
        for channels in (3, 1):
            side = round((size // channels) ** 0.5)
            if size and side * side * channels == size:
                yield Input((channels, side, side))


def _lengths(module: nn.Module) -> list[int]:
    """Sequence lengths to try, from the model's own sizes."""
    names = ("block_size", "seq_len", "max_len", "context_length", "sequence_length", "num_steps")
    owners = (module, getattr(module, "config", None))
    values = [getattr(owner, name, None) for owner in owners for name in names]
    return [n for n in values if isinstance(n, int) and 0 < n <= 1024] + [8, 4]


def _images(layer: Any, module: nn.Module) -> Iterator[Input]:
    """Images, audio or video for a convolution that comes first."""
    channels = layer.in_channels
    rank = CONVOLUTIONS.index(next(k for k in CONVOLUTIONS if isinstance(layer, k))) + 1
    for size in (s for c in ((channels,) if channels else (3, 1)) for s in _sizes(module, c, rank)):
        yield Input(size)


def _sizes(module: nn.Module, channels: int, rank: int) -> Iterator[tuple[int, ...]]:
    if rank == 1:
        yield from ((channels, n) for n in (64, 128, 28, LENGTH, 1024, 16_000))
        return
    own = own_sizes(module)
    if rank == 3:
        if len(own) == 3:
            yield from ((channels, *own), (own[0], channels, *own[1:]))
        yield from ((channels, 16, s, s) for s in (*own[-1:], 112, 224, 32))
        yield (channels, 8, 32, 32)
    else:
        yield from [(channels, *own[-2:])] * bool(own)
        yield from ((channels, s, s) for s in (SIDES if channels > 1 else (28, *SIDES)))


def with_integer_bounds(module: nn.Module, spec: InputSpec) -> tuple[Input, ...]:
    """The spec with an upper bound for each integer input that has none: the number of rows of the
    largest embedding table that can be indexed fully, one input after the other."""
    tables = {m.num_embeddings for m in module.modules() if isinstance(m, nn.Embedding)}
    inputs = list(spec.inputs)
    for index, one in enumerate(inputs):
        if "int" not in one.dtype or one.bound:
            continue
        for bound in sorted(tables, reverse=True):
            tried = [*inputs[:index], replace(one, bound=bound), *inputs[index + 1 :]]
            if _fits(module, replace(spec, inputs=tuple(tried)), index):
                inputs = tried
                break
    return tuple(inputs)


def _fits(module: nn.Module, spec: InputSpec, index: int) -> bool:
    """Whether a model runs on the largest integer of an input."""
    shapes = [one.shape for one in spec.inputs]
    batch = samples(shapes, [one.kind for one in spec.inputs], 2)
    batch[index].fill_(spec.inputs[index].bound - 1)
    run = spec.call
    try:
        _ = run(module, *batch) if run else module(*batch)
    except FAILURES:
        return False
    return True


def find_batch_dim(module: nn.Module, spec: InputSpec) -> int:
    """The batch dimension: 1 if the model mixes samples of dimension 0 but not of dimension 1."""
    first = any(getattr(m, "batch_first", True) is False for m in module.modules())
    if not first or not any(len(one.shape) for one in spec.inputs):
        return 0
    if _mixes(module, replace(spec, batch_dim=0)):
        return int(not _mixes(module, replace(spec, batch_dim=1)))
    return 0


def _mixes(module: nn.Module, spec: InputSpec) -> bool:
    """Whether the last sample's result depends on the other samples; also True if it cannot run.

    The last one, since a recurrent layer's first step does not depend on later ones.
    """
    shapes = [one.shape for one in spec.inputs]
    batch = samples(shapes, [one.kind for one in spec.inputs], 3)
    run: Any = spec.call or ModelCall(("",) * len(batch))
    try:
        whole = list(tensor_leaves(run(module, *batch)))
        alone = list(tensor_leaves(run(module, *(t[-1:] for t in batch))))
    except FAILURES:
        return True
    return not _same_last(whole, alone)


def _same_last(whole: Sequence[Tensor], alone: Sequence[Tensor]) -> bool:
    pairs = [(w, a) for w, a in zip(whole, alone, strict=True) if w.shape[1:] == a.shape[1:]]
    return bool(pairs) and all(
        len(w) == 3 and len(a) == 1 and torch.allclose(w[-1:], a, atol=1e-4) for w, a in pairs
    )
