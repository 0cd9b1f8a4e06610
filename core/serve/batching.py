"""Batches of simultaneous requests, run through the network in one thread.

Needs torch.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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


@dataclass(frozen=True)
class _QueuedRequest:
    columns: Columns
    count: int
    given: tuple[bool, ...]
    answer: "asyncio.Future[Outputs]"


class Batcher:
    """Collects samples for a moment, then runs them as one batch.

    most: samples in a batch. window_s: how long the first of a batch waits for others; one that
    comes alone after another that ran alone does not wait. waiting: samples that may wait.
    on_batch: called with the size of each batch.
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
        self._queue: deque[_QueuedRequest] = deque()
        self._arrived, self._closing = asyncio.Event(), False
        self._thread = ThreadPoolExecutor(1, "network")
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to work, in the running event loop."""
        self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Accept nothing more, finish the queue, and end the thread."""
        self._closing = True
        self._arrived.set()
        if self._task:
            await self._task
        self._thread.shutdown()

    async def __call__(self, columns: Columns, count: int) -> Outputs:
        """The outputs of some samples. Raises QueueFull, and what the network raises."""
        if self._closing or self.queued + count > self.waiting:
            raise QueueFull
        answer: asyncio.Future[Outputs] = asyncio.get_running_loop().create_future()
        given = tuple(column is not None for column in columns)
        self._queue.append(_QueuedRequest(columns, count, given, answer))
        self.queued += count
        self._arrived.set()
        return await answer

    async def _work(self) -> None:
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
            await self._run_batch(batch)

    def _next_batch(self) -> list[_QueuedRequest]:
        """The next batch: requests at the front that fit together; cancelled ones are dropped."""
        batch: list[_QueuedRequest] = []
        while self._queue:
            first = self._queue[0]
            size = sum(each.count for each in batch)
            alike = not batch or first.given == batch[0].given
            if batch and (size + first.count > self.most or not alike):
                break
            self._queue.popleft()
            self.queued -= first.count
            if not first.answer.done():
                batch.append(first)
        return batch

    async def _run_batch(self, batch: Sequence[_QueuedRequest]) -> None:
        """Run a batch; if it fails, run each request alone, so that one cannot spoil another."""
        if not batch:
            return
        count = sum(each.count for each in batch)
        columns = tuple(_join(parts) for parts in zip(*(w.columns for w in batch), strict=True))
        self.on_batch(count)
        try:
            loop = asyncio.get_running_loop()
            outputs = await loop.run_in_executor(self._thread, self.run, columns, count)
        except Exception as error:
            if len(batch) > 1:
                for each in batch:
                    await self._run_batch([each])
            elif not batch[0].answer.done():
                batch[0].answer.set_exception(error)
            return
        start = 0
        for each in batch:
            if not each.answer.done():
                each.answer.set_result([o[start : start + each.count] for o in outputs])
            start += each.count


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
