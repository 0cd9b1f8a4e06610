"""Real training steps under torch's profiler: where the time goes, and the memory. With torch.

A network is built anew from the project's seed and thrown away, as the learning rate finder does
it: no run and no weights are touched.
"""

import os
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, SupportsIndex, cast

import torch
from torch import Tensor, nn
from torch.autograd.profiler import record_function
from torch.profiler import ProfilerActivity, profile

from blocks import has
from core.analyse.activations import ActivationRecorder, local_ids, recording_activations
from core.analyse.report import Report
from core.engine.loader import Rows, StepLoader
from core.engine.rng import rng_state, set_rng_state
from core.engine.trainer import Trainer
from core.insight.profiling.cost import PHASES, BlockCost, Profile, Span
from core.insight.profiling.saved_for_backward import inside, keeping
from core.insight.storages import storages_bytes
from core.prepare.lr_finder import PLAIN, engine_for

WARM, STEPS, MOST_POINTS, MOST_SPANS = 2, 3, 300, 1500
BLOCK, PHASE = "block:", "phase:"
BACKWARD = "autograd::engine::evaluate_function"


class TimeRange(Protocol):
    """When an event ran, microseconds."""

    start: float

    def elapsed_us(self) -> float: ...


class ProfilerEvent(Protocol):
    """An event of torch's profiler, of which torch itself leaves the types open."""

    name: str
    sequence_nr: int
    time_range: TimeRange
    cpu_parent: "ProfilerEvent | None"
    cpu_children: "Sequence[ProfilerEvent]"

    @property
    def cpu_time_total(self) -> float: ...


Events = Sequence[ProfilerEvent]


class BlockMarks(ActivationRecorder):
    """A watched forward that keeps nothing and marks each node in the profiler's trace."""

    def __init__(self, report: Report) -> None:
        super().__init__(local_ids(report.lines), frozenset())
        self.stack = _Marked()

    def out(self, value: Any) -> Any:
        """Leave the node that was entered last."""
        self.stack.pop()
        return value


class _Marked(list[str]):
    """The stack of running nodes; each is a record of the profiler."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[record_function] = []

    def append(self, name: str, /) -> None:
        super().append(name)
        mark = record_function(BLOCK + ".".join(self))
        mark.__enter__()
        self._open.append(mark)

    def pop(self, index: SupportsIndex = -1, /) -> str:
        self._open.pop().__exit__(None, None, None)
        return super().pop(index)


class _Loader:
    """The batches of a step, each made under a mark."""

    def __init__(self, batches: StepLoader) -> None:
        self._batches = batches

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[Rows]:
        left = iter(self._batches)
        while True:
            with record_function(PHASE + "data"):
                try:
                    batch = next(left)
                except StopIteration:
                    return
            yield batch


@dataclass(frozen=True)
class ProfiledSteps:
    """A profile and the trace of its steps, as Chrome and Perfetto open it."""

    profile: Profile
    trace: str


def profile_steps(
    text: str, report: Report, batch: int = 0, runs_dir: str = "", beside: str = ""
) -> ProfiledSteps:
    """Profile training steps of a project on this processor. batch: 0 for the project's own.

    Raises RunError, TrainingError or DataError for one that cannot be trained.
    """
    before, settings = rng_state(), {**PLAIN, "start_from": None, "distil": None, "epochs": 1}
    settings |= {"batch_size": batch} if batch else {}
    try:
        engine = engine_for(text, settings, runs_dir=runs_dir, beside=beside)
        return _measured(engine, report)
    finally:
        set_rng_state(before)


def _measured(engine: Trainer, report: Report) -> ProfiledSteps:
    groups = engine.batches_of_epoch()
    needed = (groups * (WARM + STEPS + 1))[: WARM + STEPS + 1]
    engine.module.train()
    for group in needed[:WARM]:
        engine.train_step(engine.train.batches(group))
    kept = _kept(engine, report, needed[WARM])
    with _silent(), _marks(engine.module, report):
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
            for group in needed[WARM + 1 :]:
                with record_function(PHASE + "step"):
                    engine.train_step(_Loader(engine.train.batches(group)))
        trace = _trace(seen)
    shape = (sum(len(part) for part in needed[-1]), len(needed) - WARM - 1)
    return ProfiledSteps(_profile(engine, report, seen, kept, shape), trace)


@contextmanager
def _marks(module: nn.Module, report: Report) -> Generator[None]:
    """Mark nodes and the whole forward pass in the trace."""
    source, look, whole = report.source or "", BlockMarks(report), list[record_function]()

    def enter(*_: Any) -> None:
        whole.append(record_function(PHASE + "forward"))
        whole[-1].__enter__()

    def leave(*_: Any) -> None:
        whole.pop().__exit__(None, None, None)

    with recording_activations(module, source, report.lines, look=look):
        handles = [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


def _kept(engine: Trainer, report: Report, group: Sequence[Tensor]) -> dict[str, int]:
    """Bytes that one step keeps for its backward pass, by block; "" for the losses."""
    source, frozen = report.source or "", frozenset[str]()
    with (
        recording_activations(engine.module, source, report.lines, frozen) as look,
        keeping(engine.module, look) as kept,
    ):
        engine.train_step(engine.train.batches(group))
    return dict(kept.by_block)


@contextmanager
def _silent() -> Generator[None]:
    """Keep what the profiler's own libraries write from standard error."""
    try:
        sys.stderr.flush()
        saved = os.dup(2)
    except (AttributeError, OSError):  # it is closed: nothing can be written there
        yield
        return
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def _trace(seen: profile) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        seen.export_chrome_trace(str(path))
        return path.read_text("utf-8")


def _profile(
    engine: Trainer, report: Report, seen: profile, kept: dict[str, int], shape: tuple[int, int]
) -> Profile:
    events = [e for e in cast(Events, seen.events() or ()) if e.name != "[memory]"]
    batch, steps = shape
    whole = [e for e in events if e.name == PHASE + "step"]
    forward, backward = _by_block(events)
    optimizers = [state for o in engine.recipe.optimisers for state in o.state.values()]
    states = [v for state in optimizers for v in state.values() if isinstance(v, Tensor)]
    weights = list(engine.module.parameters())
    return Profile(
        steps=steps,
        batch=batch,
        device="CPU",
        threads=torch.get_num_threads(),
        phases=_phases(events, steps),
        blocks=tuple(
            BlockCost(
                node.path,
                node.block,
                node.depth,
                inside(forward, node.path) / steps / 1000,
                inside(backward, node.path) / steps / 1000,
                inside(kept, node.path),
            )
            for node in report.nodes.values()
            if not has(node.block, "end")
        ),
        spans=_spans(events, whole[-1]),
        memory={
            "weights": storages_bytes(weights),
            "gradients": storages_bytes([p.grad for p in weights if p.grad is not None]),
            "optimizer": storages_bytes(states),
            "kept": sum(kept.values()),
        },
        over_time=_over_time(seen, whole[-1]),
    )


def _phases(events: Events, steps: int) -> dict[str, float]:
    """Milliseconds of a step by phase; the loss is what stands between forward and backward."""
    spent: dict[str, float] = {name: 0.0 for name in PHASES}
    total = 0.0
    for event in events:
        if event.name == PHASE + "step":
            total += event.cpu_time_total
        elif event.name.startswith(PHASE):
            spent[event.name.removeprefix(PHASE)] += event.cpu_time_total
        elif _top(event) and event.name.startswith("Optimizer."):
            spent["optimizer"] += event.cpu_time_total
        elif event.name.startswith(BACKWARD) and not _in_backward(event):
            spent["backward"] += event.cpu_time_total
        elif _top(event) and not event.name.startswith(BLOCK):
            spent["loss"] += event.cpu_time_total
    spent["other"] = max(0.0, total - sum(spent.values()))
    return {name: us / steps / 1000 for name, us in spent.items()}


def _top(event: ProfilerEvent) -> bool:
    """Whether an event stands directly in a step."""
    parent = event.cpu_parent
    return parent is not None and parent.name == PHASE + "step"


def _in_backward(event: ProfilerEvent) -> bool:
    parent = event.cpu_parent
    while parent is not None:
        if parent.name.startswith(BACKWARD):
            return True
        parent = parent.cpu_parent
    return False


def _block_of(event: ProfilerEvent) -> str | None:
    """The innermost node that an event runs in."""
    parent: ProfilerEvent | None = event
    while parent is not None:
        if parent.name.startswith(BLOCK):
            return parent.name.removeprefix(BLOCK)
        parent = parent.cpu_parent
    return None


def _by_block(events: Events) -> tuple[dict[str, float], dict[str, float]]:
    """Microseconds forward and backward, by innermost node.

    A backward event bears the number of the forward operation that made its node of the graph:
    the last one with that number, as those before only say which comes next.
    """
    forward, backward, owner = dict[str, float](), dict[str, float](), dict[int, str]()
    for event in sorted(events, key=lambda e: e.time_range.start):
        block = _block_of(event)
        if event.name.startswith(BLOCK) and block is not None:
            own = event.cpu_time_total - _children_us(event)
            forward[block] = forward.get(block, 0.0) + own
        elif block is not None and event.sequence_nr >= 0:
            owner[event.sequence_nr] = block
    for event in events:
        if event.name.startswith(BACKWARD) and not _in_backward(event):
            block = owner.get(event.sequence_nr)
            if block is not None:
                backward[block] = backward.get(block, 0.0) + event.cpu_time_total
    return forward, backward


def _children_us(event: ProfilerEvent) -> float:
    """Time of the nodes directly inside a node."""
    return sum(
        child.cpu_time_total if child.name.startswith(BLOCK) else _children_us(child)
        for child in event.cpu_children
    )


def _spans(events: Events, step: ProfilerEvent) -> tuple[Span, ...]:
    """The pieces of one step, as a flame chart draws them: phases, nodes, and backward by node."""
    owner = {
        e.sequence_nr: block
        for e in sorted(events, key=lambda e: e.time_range.start)
        if e.sequence_nr >= 0 and (block := _block_of(e)) is not None
    }
    found: list[Span] = []
    for event in sorted(events, key=lambda e: e.time_range.start):
        start = event.time_range.start - step.time_range.start
        if not 0 <= start < step.time_range.elapsed_us():
            continue
        named = _named(event, owner)
        if named is not None:
            name, kind, depth = named
            found.append(Span(name, kind, start / 1000, event.cpu_time_total / 1000, depth))
    return tuple(found[:MOST_SPANS])


def _named(event: ProfilerEvent, owner: dict[int, str]) -> tuple[str, str, int] | None:
    """What a piece of a step is called, its kind and depth; None for what is not drawn."""
    if event.name.startswith(BLOCK):
        path = event.name.removeprefix(BLOCK)
        return path, "forward", 1 + path.count(".")
    if event.name.startswith(PHASE) and not event.name.endswith("step"):
        kind = event.name.removeprefix(PHASE)
        return kind, kind, 0
    if event.name.startswith(BACKWARD) and not _in_backward(event):
        node = event.name.partition(": ")[2].removesuffix("Backward0")
        return owner.get(event.sequence_nr, "") or node, "backward", 0
    if _top(event) and event.name.startswith("Optimizer."):
        return event.name.partition("#")[2] or event.name, "optimizer", 0
    if _top(event):
        return event.name.removeprefix("aten::"), "loss", 0
    return None


def _over_time(seen: profile, step: ProfilerEvent) -> tuple[tuple[float, int], ...]:
    """Bytes allocated within the last step, less those freed, as time goes on."""
    results = getattr(seen.profiler, "kineto_results", None)
    if results is None:
        return ()
    begin, allocated = results.trace_start_ns() + 1000 * step.time_range.start, 0
    until, points = begin + 1000 * step.time_range.elapsed_us(), [(0.0, 0)]
    with suppress(AttributeError):  # an event of another build of torch: there is no such curve
        marks = [(e.start_ns(), e.nbytes()) for e in results.events() if e.name() == "[memory]"]
        for at, size in sorted(marks):
            if begin <= at <= until:
                allocated += size
                points.append(((at - begin) / 1e6, allocated))
    return _thinned(points)


def _thinned(points: list[tuple[float, int]]) -> tuple[tuple[float, int], ...]:
    """At most MOST_POINTS of them, of each stretch the largest."""
    each = -(-len(points) // MOST_POINTS)
    parts = [points[k : k + each] for k in range(0, len(points), each)]
    return tuple(max(part, key=lambda point: point[1]) for part in parts)
