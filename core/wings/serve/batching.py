"""Batches of simultaneous requests, run through the network in one thread.

Needs torch.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import prod
from time import monotonic
from typing import Any

import torch
from torch import Tensor

Columns = tuple[Tensor | None, ...]
Outputs = list[Tensor]
Run = Callable[[Columns, int], Outputs]
"""A network: its inputs (N, ...), None for one that is generated, and N; its outputs (N, ...)."""
FEW, PART = 4, 8
"""Samples. LeNet takes 0.3 ms for one, 0.9 for 16 and 3.1 for 64: small parts cost more in all, and
let others in sooner. Beside 32 clients that send 64 samples each, one that sends one waited 10.3 ms
(95th percentile) for parts of 16, 8.5 for 8 and 10.1 for 4, measured in turn, 3.6 alone."""
MIXED_S = 1.0
"""For this long after a request of few samples others like it are expected."""
REST, LONGEST_REST_S = 4.0, 0.5
"""After a step of many samples, or reading one apart, while others of few come: how long the next
waits for them, as a multiple of the step, and at most. Many get a fifth of the time, and few mostly
meet nobody. Beside 32 clients that send 64 samples each, all on two cores, the 95th percentile of
one that sends one was 2.1 to 2.6 times its own at 2, 1.8 to 2.3 at 3, and 1.7 to 1.9 at 4 (now);
where clients have cores of their own 3.8 to 4.4 without a rest, 1.5 to 1.9 at 2."""
KEPT = 8
"""One in as many of the samples that may wait is kept for requests of few."""


class QueueFull(Exception):
    """Too many samples are waiting, or the server is stopping."""


@dataclass
class Exchange:
    """What is done for a request in the network's thread. read: its inputs and how many samples.
    say: the answer, of its outputs."""

    read: Callable[[], tuple[Columns, int]]
    say: Callable[[Outputs], Any]


@dataclass
class _Queued:
    exchange: Exchange
    samples: int
    answer: "asyncio.Future[Any]"
    columns: Columns = ()
    parts: list[Outputs] = field(default_factory=list)
    result: Any = None

    @property
    def given(self) -> tuple[bool, ...]:
        return tuple(column is not None for column in self.columns)


class Batcher:
    """Collects samples for a moment, then runs them as one batch.

    Requests of few samples and of many take turns, and one of many is run in parts of PART while
    others of few come: one sample waits for a part, not for all that somebody else sends at once.

    most: samples in a batch. window_s: how long the first of a batch waits for others; one that
    comes alone after another that ran alone does not wait. waiting: samples that may wait.
    on_batch: called with the size of each batch, in the network's thread.
    """

    def __init__(
        self,
        run: Run,
        most: int = 64,
        window_s: float = 0.002,
        waiting: int = 1024,
        on_batch: Callable[[int], None] = lambda _size: None,
    ) -> None:
        self.run, self.most, self.window_s = run, most, window_s
        self.waiting, self.on_batch = waiting, on_batch
        self.queued = 0
        self._alone = True  # whether the last batch was one request
        self._few_came = -MIXED_S  # when the last request of few samples began to wait
        self._rested = 0.0  # when the next step of many may begin
        self._few, self._many = deque[_Queued](), deque[_Queued]()
        self._steps: tuple[_Queued, Iterator[None]] | None = None
        self._arrived, self._closing = asyncio.Event(), False
        self._thread: ThreadPoolExecutor | None = None
        self._work_task: asyncio.Task[None] | None = None

    async def start(self, first: Callable[[], None] = lambda: None) -> None:
        """Begin to work, in the running event loop. first: done in the network's thread before."""
        self._thread = ThreadPoolExecutor(1, "network")
        await self._in_thread(first)
        self._work_task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Accept nothing more, finish the queue, and end the thread."""
        self._closing = True
        self._arrived.set()
        if self._work_task:
            await self._work_task
        if self._thread:
            self._thread.shutdown()

    async def __call__(self, columns: Columns, count: int) -> Outputs:
        """The outputs of some samples. Raises QueueFull, and what the network raises."""
        return await self.do(Exchange(lambda: (columns, count), lambda outputs: outputs), count)

    async def do(self, exchange: Exchange, samples: int = 1) -> Any:
        """What is said in an exchange. samples: how many are expected. Raises QueueFull, and what
        the exchange and the network raise."""
        kept = 0 if samples <= FEW else self.waiting // KEPT
        if self._closing or self.queued + samples > self.waiting - kept:
            raise QueueFull
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        (self._few if samples <= FEW else self._many).append(_Queued(exchange, samples, answer))
        if samples <= FEW:
            self._few_came = monotonic()
        self.queued += samples
        self._arrived.set()
        return await answer

    def rest_after(self, seconds: float) -> float:
        """How long work on large requests rests after this much of it; 0 where none of few samples
        come, or the server ends."""
        is_mixed = monotonic() - self._few_came < MIXED_S
        return min(REST * seconds, LONGEST_REST_S) if is_mixed and not self._closing else 0.0

    async def _work(self) -> None:
        while True:
            if self._few:
                await self._run_few()
            are_many = bool(self._many or self._steps)
            rest = 0.0 if self._closing else self._rested - monotonic()
            if are_many and rest <= 0:
                began = monotonic()
                await self._run_many()
                self._rested = monotonic() + self.rest_after(monotonic() - began)
            elif not self._few:
                if self._closing and not are_many:
                    return
                await self._arrival(rest if are_many else None)

    async def _arrival(self, seconds: float | None) -> None:
        """Wait for the next request, at most this long."""
        self._arrived.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._arrived.wait()

    async def _run_few(self) -> None:
        """The next batch of requests of few samples; where nothing else is to be done, after a
        moment for others to come."""
        waits = not (self._many or self._steps or self._closing or self.queued >= self.most)
        if waits:
            await asyncio.sleep(0 if self._alone and len(self._few) == 1 else self.window_s)
        batch = self._next_batch(self._few, self.most)
        self._alone = len(batch) < 2
        await self._in_thread(self._run_all, batch)
        _settle(batch)

    async def _run_many(self) -> None:
        """A step of the request that is run in parts, or a batch, or the next that is."""
        mixed = monotonic() - self._few_came < MIXED_S
        size = min(PART, self.most) if mixed else self.most
        if self._steps is None and self._many[0].samples <= size:
            batch = self._next_batch(self._many, size)
            await self._in_thread(self._run_all, batch)
            _settle(batch)
            return
        if self._steps is None:
            (each,) = self._next_batch(self._many, 0) or (None,)
            if each is None:
                return
            self._steps = each, self._in_parts(each, size)
        each, steps = self._steps
        each.result = await self._in_thread(_tried, partial(next, steps, None))
        if each.result is not None or each.answer.done():  # whoever asked may have gone
            self._steps = None
            _settle([each])

    async def _in_thread(self, call: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call, *args)

    def _next_batch(self, queue: deque[_Queued], most: int) -> list[_Queued]:
        """The request that has waited longest, and with it the smallest of the others."""
        batch = [queue.popleft()]
        size = batch[0].samples
        for each in sorted(queue, key=lambda each: each.samples):
            if size + each.samples <= most:
                batch.append(each)
                size += each.samples
        chosen = set(map(id, batch))
        left = [each for each in queue if id(each) not in chosen]
        queue.clear()
        queue.extend(left)
        self.queued -= size
        return [each for each in batch if not each.answer.done()]

    def _in_parts(self, each: _Queued, size: int) -> Iterator[Any]:
        """In the network's thread: None after each step of a request, its answer at last."""
        self._read(each)
        yield None
        for start in range(0, each.samples, size):
            count = min(size, each.samples - start)
            self.on_batch(count)
            columns = tuple(c if c is None else c[start : start + count] for c in each.columns)
            each.parts.append(self.run(columns, count))
            yield None
        yield each.exchange.say([torch.cat(parts) for parts in zip(*each.parts, strict=True)])

    def _run_all(self, batch: Sequence[_Queued]) -> None:
        """In the network's thread: read the requests, run those that fit together, say answers."""
        for each in batch:
            each.result = _tried(partial(self._read, each))
        for group in self._groups([each for each in batch if each.result is None]):
            self._run_group(group)

    def _read(self, each: _Queued) -> None:
        each.columns, each.samples = each.exchange.read()
        if each.samples > self.waiting:
            raise QueueFull

    def _groups(self, batch: Sequence[_Queued]) -> Iterator[list[_Queued]]:
        group, size = list[_Queued](), 0
        for each in sorted(batch, key=lambda each: each.given):
            if group and (size + each.samples > self.most or each.given != group[0].given):
                yield group
                group, size = [], 0
            group.append(each)
            size += each.samples
        if group:
            yield group

    def _outputs(self, group: Sequence[_Queued]) -> Outputs:
        count = sum(each.samples for each in group)
        columns = tuple(_join(parts) for parts in zip(*(w.columns for w in group), strict=True))
        self.on_batch(count)
        return self.run(columns, count)

    def _run_group(self, group: Sequence[_Queued]) -> None:
        """Run requests; if that fails, run each alone, so that one cannot spoil another."""
        outputs = _tried(partial(self._outputs, group))
        if isinstance(outputs, Exception):
            if len(group) == 1:
                group[0].result = outputs
            for each in group if len(group) > 1 else ():
                self._run_group([each])
            return
        start = 0
        for each in group:
            part = [output[start : start + each.samples] for output in outputs]
            each.result = _tried(partial(each.exchange.say, part))
            start += each.samples


def _tried(call: Callable[[], Any]) -> Any:
    """What a call returns, or the Exception that it raises."""
    try:
        return call()
    except Exception as error:
        return error


def _settle(batch: Sequence[_Queued]) -> None:
    for each in batch:
        if each.answer.done():
            continue
        if isinstance(each.result, Exception):
            each.answer.set_exception(each.result)
        else:
            each.answer.set_result(each.result)


def _join(parts: Sequence[Tensor | None]) -> Tensor | None:
    tensors = [part for part in parts if part is not None]
    return torch.cat(tensors) if tensors else None


def runner(module: Callable[..., Any], interface: Mapping[str, Any]) -> Run:
    """A module as a `Run`: noise is drawn, a reply to a text is made character by character."""
    inputs = interface["inputs"]
    before = next((i for i, spec in enumerate(inputs) if spec.get("column") == "before"), -1)

    @torch.inference_mode()
    def run(columns: Columns, count: int) -> Outputs:
        full = [
            _complete(spec, column, count) for spec, column in zip(inputs, columns, strict=True)
        ]
        outputs = _flat(module(*full))
        if before < 0 or columns[before] is not None:
            return outputs
        for place in range(prod(inputs[before]["shape"]) - 1):
            full[before][:, place + 1] = outputs[0][:, place].argmax(-1)
            outputs = _flat(module(*full))
        return outputs

    return run


def _complete(spec: Mapping[str, Any], column: Tensor | None, count: int) -> Tensor:
    if column is not None:
        return column
    shape, dtype = (count, *spec["shape"]), getattr(torch, spec["dtype"])
    return torch.randn(shape) if dtype.is_floating_point else torch.zeros(shape, dtype=dtype)


def _flat(value: Any) -> Outputs:
    if isinstance(value, Tensor):
        return [value]
    return [tensor for part in value for tensor in _flat(part)]
