"""Which of the processes of a run this one is, by its environment, and how they meet.

They meet by a file of the run folder, named after the attempt: it needs no port, and nothing of an
attempt that has ended. `torchrun` sets RANK, WORLD_SIZE and LOCAL_RANK as our supervisor does; on
several machines without LAYERLOOM_ATTEMPT its own MASTER_ADDR serves.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from core.errors import RunError

ARRIVE_S = 600.0
"""How long ranks wait for the last one to arrive."""
WAIT = timedelta(days=30)
"""How long a collective may take: a pause or a validation; who hangs is looked for elsewhere."""


@dataclass(frozen=True)
class RankPlace:
    """One process among `world`. meeting: names the attempt, the same for all; "" where torchrun
    started it on several machines."""

    rank: int = 0
    world: int = 1
    local: int = 0
    meeting: str = ""
    one_machine: bool = True

    @classmethod
    def of_environment(cls, given: Mapping[str, str] | None = None) -> Self:
        """That of this process; a single one where the environment says nothing.

        Raises RunError for numbers that are none.
        """
        given = os.environ if given is None else given
        if "RANK" not in given and "WORLD_SIZE" not in given:
            return cls()
        rank, world = _number(given, "RANK", 0), _number(given, "WORLD_SIZE", 1)
        local = _number(given, "LOCAL_RANK", rank)
        here = _number(given, "LOCAL_WORLD_SIZE", world)
        if not 0 <= rank < world:
            message = f"RANK is {rank} and WORLD_SIZE is {world}; ranks go from 0 to {world - 1}."
            raise RunError("ranks", message, "Start it by layerloom train, or by torchrun.")
        one_machine = here == world and given.get("LAYERLOOM_MACHINES", "1") == "1"
        meeting = given.get("LAYERLOOM_ATTEMPT", "")
        if not meeting and one_machine:  # all have torchrun as their parent
            meeting = f"torchrun.{os.getppid()}.{given.get('TORCHELASTIC_RESTART_COUNT', '0')}"
        return cls(rank, world, local, meeting, one_machine)


def join(run_dir: Path, place: RankPlace, cuda: bool) -> None:
    """Meet the other ranks; torch.distributed works from here on. Raises RunError."""
    import torch
    import torch.distributed as dist

    if place.one_machine:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo0" if sys.platform == "darwin" else "lo")
    if cuda:
        torch.cuda.set_device(place.local % torch.cuda.device_count())
    backend = "cpu:gloo,cuda:nccl" if cuda else "gloo"
    here: dict[str, Any] = {"rank": place.rank, "world_size": place.world, "timeout": WAIT}
    if not place.meeting:
        dist.init_process_group(backend, **here)
        return
    store = _file_store(meeting_file(run_dir, place), place.world)
    store.set(f"here/{place.rank}", "1")
    await_all(place, lambda rank: store.check([f"here/{rank}"]))
    dist.init_process_group(backend, store=store, **here)


def _file_store(file: Path, world: int) -> Any:
    import torch.distributed as dist

    return dist.FileStore(str(file), world)  # pyright: ignore[reportPrivateImportUsage]


def meeting_file(run_dir: Path, place: RankPlace) -> Path:
    """The file by which the ranks of an attempt meet."""
    return run_dir / f"rendezvous.{place.meeting}"


def await_all(place: RankPlace, arrived: Callable[[int], bool], limit_s: float = ARRIVE_S) -> None:
    """Wait until all ranks are there. Raises RunError that names those that are not."""
    end, missing = time.monotonic() + limit_s, list(range(place.world))
    while missing := [rank for rank in missing if not arrived(rank)]:
        if time.monotonic() > end:
            who = ", ".join(f"rank {rank}" for rank in missing)
            message = f"{who} of {place.world} did not arrive within {limit_s:g} s."
            hint = "All ranks need this folder, and the same value of WORLD_SIZE."
            raise RunError("ranks", message[:1].upper() + message[1:], hint)
        time.sleep(0.02)


def _number(given: Mapping[str, str], name: str, usual: int) -> int:
    text = given.get(name, str(usual))
    try:
        return int(text)
    except ValueError:
        message = f"{name} is {text!r}, which is not a whole number."
        raise RunError("ranks", message, "Start it by layerloom train, or by torchrun.") from None
