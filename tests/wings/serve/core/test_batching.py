"""Requests share batches; one that fails spoils no other; what waits at the end is answered."""

import asyncio
import threading

import pytest
import torch
from torch import Tensor

from core.wings.serve import batching
from core.wings.serve.batching import Batcher, Columns, QueueFull

ONE = (torch.ones(1, 2),)


def doubled(columns: Columns, _count: int) -> list[Tensor]:
    (values,) = columns
    assert values is not None
    if (values < 0).any():
        raise ValueError("below zero")
    return [values * 2]


def test_requests_that_come_together_run_together_and_get_their_own_rows() -> None:
    sizes = list[int]()

    async def ask() -> list[float]:
        batcher = Batcher(doubled, most=4, window_s=0.05, on_batch=sizes.append)
        await batcher.start()
        asked = [batcher((torch.full((1, 2), float(i)),), 1) for i in range(6)]
        answers = await asyncio.gather(*asked)
        await batcher.close()
        return [float(outputs[0][0, 0]) for outputs in answers]

    assert asyncio.run(ask()) == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert sizes == [4, 2]


def test_one_that_fails_spoils_no_other_of_its_batch() -> None:
    async def ask() -> list[object]:
        batcher = Batcher(doubled, window_s=0.05)
        await batcher.start()
        asked = [batcher((torch.full((1, 2), v),), 1) for v in (1.0, -1.0, 3.0)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        await batcher.close()
        return [str(a) if isinstance(a, Exception) else a[0][0].tolist() for a in answers]

    assert asyncio.run(ask()) == [[2.0, 2.0], "below zero", [6.0, 6.0]]


def test_a_full_queue_is_busy_and_what_waits_at_the_end_is_answered() -> None:
    go = threading.Event()

    def held(columns: Columns, count: int) -> list[Tensor]:
        go.wait(600)
        return doubled(columns, count)

    async def ask() -> list[int]:
        batcher = Batcher(held, most=2, window_s=0, waiting=2)
        await batcher.start()
        waiting = [asyncio.ensure_future(batcher(ONE, 1)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await batcher((torch.ones(3, 2),), 3)
        closing = asyncio.ensure_future(batcher.close())
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await batcher(ONE, 1)
        go.set()
        await closing
        return [len((await each)[0]) for each in waiting]

    assert asyncio.run(ask()) == [1, 1]


def test_few_samples_do_not_wait_behind_many_requests_of_many() -> None:
    """Who waits longest comes first, and with it the smallest: one sample waits for one batch."""
    sizes, go = list[int](), threading.Event()

    def held(columns: Columns, count: int) -> list[Tensor]:
        go.wait(600)
        return doubled(columns, count)

    async def ask() -> list[str]:
        batcher = Batcher(held, most=4, window_s=0, on_batch=sizes.append)
        await batcher.start()
        done = list[str]()

        async def one(name: str, count: int) -> None:
            await batcher((torch.ones(count, 2),), count)
            done.append(name)

        asked = [asyncio.create_task(one("first", 3))]
        while not sizes:
            await asyncio.sleep(0)
        for name, count in (("a", 3), ("b", 3), ("c", 3), ("small", 1)):
            asked.append(asyncio.create_task(one(name, count)))
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(*asked)
        await batcher.close()
        return done

    assert asyncio.run(ask()) == ["first", "a", "small", "b", "c"]
    assert sizes == [3, 4, 3, 3]


async def many_and_then_few(numbers: Tensor, sizes: list[int]) -> tuple[list[str], object]:
    """Who is answered when, and the answer to many, where two with one sample come during the
    first part of many; the sizes of what was run."""
    go, done = threading.Event(), list[str]()

    def held(columns: Columns, count: int) -> list[Tensor]:
        if sizes == [1, 1, 8]:
            go.wait(600)
        return doubled(columns, count)

    batcher = Batcher(held, most=64, window_s=0, on_batch=sizes.append)

    async def one(name: str, values: Tensor) -> Tensor:
        try:
            return (await batcher((values,), len(values)))[0]
        finally:
            done.append(name)

    await batcher.start()
    for name in ("first", "second"):
        await one(name, torch.ones(1, 1))
    many = asyncio.create_task(one("many", numbers))
    while len(sizes) < 3:
        await asyncio.sleep(0)
    few = [asyncio.create_task(one("few", torch.ones(1, 1))) for _ in range(2)]
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(*few)
    (answer,) = await asyncio.gather(many, return_exceptions=True)
    await batcher.close()
    return done, answer


@pytest.mark.parametrize("ends", ["answer", "error"])
def test_few_samples_are_answered_between_the_parts_of_many(
    ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many come first; few that come while they run are answered before them."""
    monkeypatch.setattr(batching, "monotonic", lambda: 0.0)
    numbers, sizes = torch.arange(40.0).reshape(40, 1), list[int]()
    if ends == "error":
        numbers[-1] = -1
    done, answer = asyncio.run(many_and_then_few(numbers, sizes))
    assert done == ["first", "second", "few", "few", "many"]
    assert sizes == [1, 1, 8, 2, 8, 8, 8, 8]
    if ends == "error":
        assert str(answer) == "below zero"
    else:
        assert isinstance(answer, Tensor)
        assert answer[:, 0].tolist() == [2.0 * i for i in range(40)]


def test_few_samples_meet_nobody_while_many_rest_and_the_end_ends_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A rest of an hour after each step of many: few are answered in it, and many at the end."""
    monkeypatch.setattr(batching, "REST", 1e9)
    monkeypatch.setattr(batching, "LONGEST_REST_S", 3600.0)
    sizes = list[int]()

    async def ask() -> int:
        batcher = Batcher(doubled, most=64, window_s=0, on_batch=sizes.append)
        await batcher.start()
        await batcher(ONE, 1)
        many = asyncio.create_task(batcher((torch.ones(24, 2),), 24))
        while len(sizes) < 2:
            await batcher(ONE, 1)
        for _ in range(3):
            await batcher(ONE, 1)
        await batcher.close()
        return len((await many)[0])

    assert asyncio.run(ask()) == 24
    assert sizes.count(8) == 3
    assert sizes[-3:] == [8, 8, 8]


def test_the_rest_is_four_times_the_work_and_none_where_nobody_sends_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [100.0]
    monkeypatch.setattr(batching, "monotonic", lambda: clock[0])

    async def rests() -> list[float]:
        batcher = Batcher(doubled, window_s=0)
        await batcher.start()
        found = [batcher.rest_after(0.25)]
        await batcher(ONE, 1)
        found += [batcher.rest_after(0.0625), batcher.rest_after(40.0)]
        clock[0] += 1.5
        found.append(batcher.rest_after(0.25))
        await batcher.close()
        return found

    assert asyncio.run(rests()) == [0.0, 0.25, 0.5, 0.0]


def test_many_samples_run_whole_where_nobody_else_comes() -> None:
    sizes = list[int]()

    async def ask() -> Tensor:
        batcher = Batcher(doubled, most=64, on_batch=sizes.append)
        await batcher.start()
        outputs = await batcher((torch.ones(64, 1),), 64)
        await batcher.close()
        return outputs[0]

    assert asyncio.run(ask()).sum() == 128
    assert sizes == [64]


def test_places_are_kept_for_few_samples() -> None:
    go = threading.Event()

    def held(columns: Columns, count: int) -> list[Tensor]:
        go.wait(600)
        return doubled(columns, count)

    async def ask() -> int:
        batcher = Batcher(held, most=8, window_s=0, waiting=16)
        await batcher.start()
        asked = [asyncio.create_task(batcher((torch.ones(7, 1),), 7)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await batcher((torch.ones(7, 1),), 7)
        asked.append(asyncio.create_task(batcher(ONE, 1)))
        await asyncio.sleep(0)
        go.set()
        answers = await asyncio.gather(*asked)
        await batcher.close()
        return len(answers)

    assert asyncio.run(ask()) == 3


@pytest.mark.parametrize("samples", [1, 40])
def test_the_event_loop_runs_no_request(samples: int) -> None:
    """Neither one that comes alone and is quick, nor one of many samples."""
    names = set[str]()

    def named(columns: Columns, count: int) -> list[Tensor]:
        names.add(threading.current_thread().name)
        return doubled(columns, count)

    async def ask() -> None:
        batcher = Batcher(named, most=16, window_s=0)
        await batcher.start()
        for _ in range(3):
            await batcher((torch.ones(samples, 2),), samples)
        await batcher.close()

    asyncio.run(ask())
    assert all(name.startswith("network") for name in names)


def test_the_parts_of_a_request_whose_client_has_gone_are_not_run() -> None:
    sizes, go = list[int](), threading.Event()

    def held(columns: Columns, count: int) -> list[Tensor]:
        go.wait(600)
        return doubled(columns, count)

    async def ask() -> None:
        batcher = Batcher(held, most=16, window_s=0, on_batch=sizes.append)
        await batcher.start()
        many = asyncio.create_task(batcher((torch.ones(64, 2),), 64))
        while not sizes:
            await asyncio.sleep(0)
        many.cancel()
        await asyncio.gather(many, return_exceptions=True)
        go.set()
        await batcher(ONE, 1)
        await batcher.close()

    asyncio.run(ask())
    assert sizes == [16, 1]
