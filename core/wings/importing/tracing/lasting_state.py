"""What a model keeps from one call to the next: weights changed in place, values kept on self.

A drawing computes each call alike. So a copy that has run is compared with copies that never ran,
over three calls in a row, in both modes.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from core.wings.importing.error_messages import for_one_sample
from core.wings.importing.tracing.computed_weights import (
    detached_deepcopy,
    layers_with_computed_weights,
)
from core.wings.importing.tracing.leaf_modules import CUSTOM_LEAVES, leaf_block
from core.wings.importing.tracing.outputs import tensor_leaves
from core.wings.importing.tracing.outside_reads import LASTING, SETS_SEED, outside_reads
from core.wings.importing.tracing.outside_values import held_by, outside_values, snapshot
from core.wings.importing.tracing.recorder import Run
from core.wings.importing.tracing.run_sample import FAILURES
from core.wings.importing.tracing.sample_inputs import samples
from core.wings.importing.tracing.unregistered import OF_EVERY_MODULE
from core.wings.importing.tracing.user_frame import is_users_file

TIMES = 8
"""So often calls are repeated of a model that reads a clock: one time it may give the same."""
WEIGHTS = (
    "Compute the weight as a tensor of the call, such as F.linear(x, w.clamp(-1, 1)), "
    "or change it outside of forward"
)
STATE = "Pass it in as an input and return it as a result, or calculate it from the call's input"
SEEDED = (
    "sets the seed of torch's random numbers, so that each call draws the same. "
    "A drawing draws others in each call."
)
SEED = "Leave it to who calls the model: torch.manual_seed before the call"
OUTSIDE = "Let forward depend on its inputs, weights and torch's random numbers alone"
Item = tuple[str, str]
"""Path of a module, and the name of what it keeps."""


class Kept(NamedTuple):
    """What is kept. place: the line of the model that changes it."""

    place: str
    message: str
    advice: str


def refuse_kept(
    module: nn.Module, shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], run: Run | None
) -> list[str]:
    """Raise ImportRefused for a model whose calls in evaluation change what later calls give.

    Returns what it reads from outside that gives the same each time, as sentences.
    """
    read: dict[str, str] = {}
    if kept := find_kept(module, _calls(shapes, dtypes), run, training=False, read=read):
        raise for_one_sample(*kept)
    return [
        f"{place} reads {what}: it is drawn as it was read now"
        for place, what in read.items()
        if what.startswith(LASTING)
    ]


def kept_in_training(module: nn.Module, inputs: Sequence[Tensor], run: Run | None) -> str:
    """The same of training, apart from buffers, as a sentence with what to do; "" without any."""
    shapes = [tuple(t.shape[1:]) for t in inputs]
    dtypes = [str(t.dtype).removeprefix("torch.") for t in inputs]
    kept = find_kept(module, _calls(shapes, dtypes), run, training=True)
    return f"{kept.place} {kept.message} {kept.advice}." if kept else ""


def _calls(shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]) -> list[list[Tensor]]:
    """Three calls with other values each, of which two are alike in size, one is not."""
    few, more = samples(shapes, dtypes, 2), samples(shapes, dtypes, 3)
    return [few, more, [tensor.flip(0) for tensor in more]]


def find_kept(
    module: nn.Module,
    calls: Sequence[Sequence[Tensor]],
    run: Run | None,
    training: bool,
    read: dict[str, str] | None = None,
) -> Kept | None:
    """What three calls in a row change, None if nothing that matters for a later one.

    read: receives what they read from outside of the model, by place.
    """
    if any(t.is_meta for t in (*module.parameters(), *module.buffers())):
        return None  # without values nothing can be compared
    first, more, again = calls
    for each in ([first, more, again], [more, again, more]):
        try:
            return _found(module, each, run, training, {} if read is None else read)
        except FAILURES:  # what is kept may fit batches of its own size alone, as a hidden state
            continue
    return None  # the user's own code may end in anything; what it was, is said by the trace


def _found(
    module: nn.Module,
    calls: Sequence[Sequence[Tensor]],
    run: Run | None,
    training: bool,
    read: dict[str, str],
) -> Kept | None:
    """The same of calls that the model can take one after the other."""
    used = detached_deepcopy(module).train(training)
    with outside_reads() as outside:
        after = [_results(used, call, run) for call in calls]
    read |= outside
    if seeds := [place for place, what in outside.items() if what.startswith(SETS_SEED)]:
        return Kept(seeds[0], SEEDED, SEED)
    weights = list(_changed_weights(module, used))
    values = [] if weights else list(_changed_values(module, used, buffers=not training))
    again = TIMES if outside else 1
    if not weights and (
        (training and not values)
        or _is_alike(module, list(calls) * again, run, training, after * again)
    ):
        return None
    if training and not weights and layers_with_computed_weights(module):
        return None  # a spectral norm measures on in each call, and is drawn so
    if weights or values:
        return _by_model(detached_deepcopy(module).train(training), weights, values, calls, run)
    return _by_outside(module, outside, calls, run, training)


def _by_model(
    used: nn.Module,
    weights: Sequence[Item],
    values: Sequence[Item],
    calls: Sequence[Sequence[Tensor]],
    run: Run | None,
) -> Kept:
    """What the model itself changes, by the line that does."""
    path, name = (weights or values)[0]
    part = used.get_submodule(path)
    place = _place_of_change(used, lambda: getattr(part, name, None), calls, run)
    if weights:
        message = f"changes its weight {_full(weights[0])} in place in every call."
        return Kept(place, f"{message} A drawing keeps its weights in forward.", WEIGHTS)
    message = f"keeps {_full(values[0])} from one call to the next, which changes its results."
    return Kept(place, f"{message} A drawing computes every call alike.", STATE)


def _by_outside(
    module: nn.Module,
    read: Mapping[str, str],
    calls: Sequence[Sequence[Tensor]],
    run: Run | None,
    training: bool,
) -> Kept:
    """What changes outside of the model, else the first of what it reads there, by place."""
    getters = outside_values(module)
    before, used = snapshot(getters), detached_deepcopy(module).train(training)
    _ = [_results(used, call, run) for call in calls]
    place, what = type(module).__name__, "something outside of the model"
    changed = [name for name, value in before.items() if not _same(value, getters[name]())]
    if changed:
        place, what = _place_of_change(used, getters[changed[0]], calls, run), changed[0]
    elif read:
        place, what = next(iter(read.items()))
    message = f"gives other results in a later call, by {what}."
    return Kept(place, f"{message} A drawing computes every call alike.", OUTSIDE)


def _full(item: Item) -> str:
    return ".".join(part for part in item if part)


def _is_alike(
    module: nn.Module,
    calls: Sequence[Sequence[Tensor]],
    run: Run | None,
    training: bool,
    after: Sequence[Sequence[Tensor]],
) -> bool:
    """Whether copies that never ran give what the later calls of one that has run gave."""
    pairs = zip(calls[1:], after[1:], strict=True)
    return all(
        _same(_results(detached_deepcopy(module).train(training), call, run), results)
        for call, results in pairs
    )


def _results(module: nn.Module, call: Sequence[Tensor], run: Run | None) -> list[Tensor]:
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        given = [tensor.clone() for tensor in call]
        results = tensor_leaves(run(module, *given) if run else module(*given))
        return [result.clone() for result in results]


def _changed_weights(module: nn.Module, used: nn.Module) -> Iterator[Item]:
    now = dict(used.named_parameters())
    for name, weight in module.named_parameters():
        if name in now and not _same(weight, now[name]):
            path, _, last = name.rpartition(".")
            yield path, last


def _changed_values(module: nn.Module, used: nn.Module, buffers: bool) -> Iterator[Item]:
    """Attributes, and buffers if asked for, that a module of the user's has changed."""
    parts = dict(module.named_modules())
    for path, part in used.named_modules():
        before = parts.get(path)
        if before is None or leaf_block(part) or type(part) in CUSTOM_LEAVES:
            continue
        held, kept = _held(before, buffers), _held(part, buffers)
        for name, value in kept.items():
            if name not in held or not _same(held[name], value):
                yield path, name


def _held(part: nn.Module, buffers: bool) -> dict[str, Any]:
    own = {name: value for name, value in vars(part).items() if name not in OF_EVERY_MODULE}
    return own | (dict(part.named_buffers(recurse=False)) if buffers else {})


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal; objects of the user's by what they hold."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        alike = one.shape == other.shape and one.dtype == other.dtype
        return alike and (one.is_meta or torch.equal(one.nan_to_num(), other.nan_to_num()))
    if type(one) is not type(other) or isinstance(one, nn.Module):
        return type(one) is type(other)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_same(v, other[k]) for k, v in one.items())
    if isinstance(one, list | tuple | deque):
        return len(one) == len(other) and all(map(_same, one, other))  # pyright: ignore
    if not callable(one) and (held := held_by(one)):
        return _same(held, held_by(other))
    text = repr(one)
    return " at 0x" in text or text == repr(other)


def _place_of_change(
    used: nn.Module,
    value: Callable[[], Any],
    calls: Sequence[Sequence[Tensor]],
    run: Run | None,
) -> str:
    """The module and line of the user's after which a value is another."""
    with _watched_lines(used, value) as found:
        for call in calls:
            _ = _results(used, call, run)
    return found[0] if found else type(used).__name__


@contextmanager
def _watched_lines(used: nn.Module, value: Callable[[], Any]) -> Iterator[list[str]]:
    """The places of lines inside the context after which a value is another."""
    found: list[str] = []
    paths = {id(part): path for path, part in used.named_modules()}
    before = _held_now(value())
    last: list[tuple[FrameType, int]] = []

    def each_line(frame: FrameType, event: str, _: Any) -> Any:
        if not found and last and not _same(before, _held_now(value())):
            found.append(_place(*last[-1], paths, type(used).__name__))
        last[:] = [(frame, frame.f_lineno)]
        return each_line

    def each_call(frame: FrameType, event: str, _: Any) -> Any:
        return each_line if is_users_file(frame.f_code.co_filename) else None

    earlier = sys.gettrace()
    sys.settrace(each_call)
    try:
        yield found
    finally:
        sys.settrace(earlier)


def _held_now(value: Any) -> Any:
    """A value as it is now, to be compared later."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    text = repr(value)
    return repr(held_by(value)) if " at 0x" in text else text


def _place(frame: FrameType, line: int, paths: Mapping[int, str], whole: str) -> str:
    first = next(iter(frame.f_locals.values()), None)  # the module, whatever it calls itself
    return (
        f"{paths.get(id(first), '') or whole} ({Path(frame.f_code.co_filename).name}, line {line})"
    )
