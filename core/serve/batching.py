"""Batches of simultaneous requests, run through the network in one thread.

Needs torch.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import torch
from torch import Tensor

Columns = tuple[Tensor | None, ...]
Outputs = list[Tensor]
Run = Callable[[Columns, int], Outputs]
"""A network: its inputs (N, ...), None for one that is generated, and N; its outputs (N, ...)."""


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
    result: Any = None

    @property
    def given(self) -> tuple[bool, ...]:
        return tuple(column is not None for column in self.columns)


class Batcher:
    """Collects samples for a moment, then runs them as one batch.

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
        self._queue: deque[_Queued] = deque()
        self._arrived, self._closing = asyncio.Event(), False
        self._thread = ThreadPoolExecutor(1, "network")
        self._work_task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to work, in the running event loop."""
        self._work_task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Accept nothing more, finish the queue, and end the thread."""
        self._closing = True
        self._arrived.set()
        if self._work_task:
            await self._work_task
        self._thread.shutdown()

    async def __call__(self, columns: Columns, count: int) -> Outputs:
        """The outputs of some samples. Raises QueueFull, and what the network raises."""
        return await self.do(Exchange(lambda: (columns, count), lambda outputs: outputs), count)

    async def do(self, exchange: Exchange, samples: int = 1) -> Any:
        """What is said in an exchange. samples: how many are expected. Raises QueueFull, and what
        the exchange and the network raise."""
        if self._closing or self.queued + samples > self.waiting:
            raise QueueFull
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.append(_Queued(exchange, samples, answer))
        self.queued += samples
        self._arrived.set()
        return await answer

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            if not self._queue:
                if self._closing:
                    return
                self._arrived.clear()
                await self._arrived.wait()
                continue
            if self.queued < self.most and not self._closing:
                await asyncio.sleep(0 if self._alone and len(self._queue) == 1 else self.window_s)
            batch = self._next_batch()
            self._alone = len(batch) < 2
            await loop.run_in_executor(self._thread, self._run_all, batch)
            for each in batch:
                _settle(each)

    def _next_batch(self) -> list[_Queued]:
        """The request that has waited longest, and with it the smallest of the others: whoever
        sends many samples at once keeps none with few waiting for more than a batch."""
        first = self._queue.popleft()
        batch, size, left = [first], first.samples, deque[_Queued]()
        for each in sorted(self._queue, key=lambda each: each.samples):
            fits = size + each.samples <= self.most
            if fits:
                batch.append(each)
                size += each.samples
        chosen = set(map(id, batch))
        left.extend(each for each in self._queue if id(each) not in chosen)
        self._queue = left
        self.queued -= size
        return [each for each in batch if not each.answer.done()]

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


def _settle(each: _Queued) -> None:
    if each.answer.done():
        return
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
