"""Nothing of the interpreter or of the connection holds an answer back."""

import asyncio
import atexit
import gc
import socket
import sys
import threading

import pytest
import torch
from torch import Tensor

from app.cli import ports
from core.wings.serve import steady
from core.wings.serve.batching import Batcher, Columns

ONE = (torch.ones(1, 2),)


def test_connections_at_our_port_send_at_once() -> None:
    async def delayed() -> int:
        seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def met(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = writer.get_extra_info("socket")
            seen.set_result(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with ports.bound(None, 8600) as bound:
            async with await asyncio.start_server(met, sock=bound.line):
                _, writer = await asyncio.open_connection(bound.number, bound.port)
                nodelay = await seen
                writer.close()
        return nodelay

    assert asyncio.run(delayed()) == 1


def test_what_is_loaded_is_not_looked_through_again(monkeypatch: pytest.MonkeyPatch) -> None:
    called = list[object]()
    monkeypatch.setattr(gc, "collect", lambda: called.append("collect"))
    monkeypatch.setattr(gc, "freeze", lambda: called.append("freeze"))
    monkeypatch.setattr(atexit, "register", called.append)
    monkeypatch.setattr(sys, "setswitchinterval", called.append)
    steady.be_steady()
    assert called == ["collect", "freeze", gc.unfreeze, 0.0005]


def test_one_that_comes_alone_waits_for_nobody() -> None:
    """With a window that never ends it is answered all the same; those beside another wait."""
    sizes, go = list[int](), threading.Event()

    def held(columns: Columns, _count: int) -> list[Tensor]:
        go.wait(600)
        return [column for column in columns if column is not None]

    async def ask() -> list[bool]:
        batcher = Batcher(held, most=3, window_s=3600, on_batch=sizes.append)
        await batcher.start()
        first = asyncio.ensure_future(batcher(ONE, 1))
        while not sizes:
            await asyncio.sleep(0)
        others = [asyncio.ensure_future(batcher(ONE, 1)) for _ in range(3)]
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(first, *others)
        await batcher.close()
        return [each.done() for each in (first, *others)]

    assert asyncio.run(ask()) == [True] * 4
    assert sizes == [1, 3]
