"""Large files are read in a process of their own, within memory that follows from their size."""

from typing import Any

import pytest

from app.process import pool
from app.process.pool import PoolError


def taking(count: int) -> int:
    return len(bytearray(count))


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What runs in place of processes: their names, and what they were given."""
    seen: list[Any] = []

    class Process:
        def __init__(self, name: str, light: bool = False) -> None:
            seen.append((name, light))

        def submit(self, timeout_s: float, function: Any, *args: Any) -> Any:
            seen.append((timeout_s, function, args))

        def close(self) -> None:
            seen.append("closed")

    monkeypatch.setattr(pool, "WorkerProcess", Process)
    monkeypatch.setattr(pool, "_work", Process("shared"))
    seen.clear()
    return seen


def test_a_large_file_has_a_process_of_its_own_and_memory_by_its_size(processes: list[Any]):
    pool.read(10 << 20, taking, 7, timeout_s=9)
    room = (1 << 30) + 24 * (10 << 20)
    given = (9, pool._within, (room, taking, 7))
    assert processes == [("Reading the file", True), given, "closed"]


def test_a_small_file_is_read_where_others_are(processes: list[Any]):
    pool.read(1000, taking, 7, timeout_s=9)
    assert processes == [(9, taking, (7,))]


def test_what_takes_more_memory_is_refused_in_words(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pool, "reserve_limit", lambda most: None)

    def full(*_: Any) -> None:
        raise MemoryError

    with pytest.raises(PoolError) as refused:
        pool._within(3 << 30, full)
    assert str(refused.value) == (
        "The file takes more than 3.22 GB of memory to read. Use a part of it."
    )


@pytest.mark.slow
def test_a_real_process_reads_within_its_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pool, "READ_ROOM", 64 << 20)
    monkeypatch.setattr(pool, "READ_TIMES", 0)
    assert pool.read(5 << 20, taking, 1 << 20, timeout_s=600) == 1 << 20
    with pytest.raises(PoolError, match=r"takes more than 67\.1 MB of memory to read"):
        pool.read(5 << 20, taking, 1 << 30, timeout_s=600)
