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

from core.common.errors import RunError

ARRIVE_S = 600.0
"""How long ranks wait for the last one to arrive."""
WAIT = timedelta(days=30)
"""How long a collective may take, as in a pause; `Silence` recognises a rank that hangs."""


@dataclass(frozen=True)
class RankEnvironment:
    """One process among `world`. rendezvous: names the attempt, the same for all; "" where torchrun
    started it on several machines."""

    rank: int = 0
    world: int = 1
    local: int = 0
    rendezvous: str = ""
    one_machine: bool = True

    @classmethod
    def of_environment(cls, given: Mapping[str, str] | None = None) -> Self:
        """That of this process; rank 0 of 1 without RANK and WORLD_SIZE.

        Raises RunError for values that are not valid ranks.
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
        rendezvous = given.get("LAYERLOOM_ATTEMPT", "")
        if not rendezvous and one_machine:  # all have torchrun as their parent
            rendezvous = f"torchrun.{os.getppid()}.{given.get('TORCHELASTIC_RESTART_COUNT', '0')}"
        return cls(rank, world, local, rendezvous, one_machine)


def join(run_dir: Path, environment: RankEnvironment, cuda: bool) -> None:
    """Meet the other ranks; torch.distributed works from here on. Raises RunError."""
    import torch
    import torch.distributed as dist

    if environment.one_machine:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo0" if sys.platform == "darwin" else "lo")
    if cuda:
        torch.cuda.set_device(environment.local % torch.cuda.device_count())
    backend = "cpu:gloo,cuda:nccl" if cuda else "gloo"
    here: dict[str, Any] = {
        "rank": environment.rank,
        "world_size": environment.world,
        "timeout": WAIT,
    }
    if not environment.rendezvous:
        dist.init_process_group(backend, **here)
        return
    store = _file_store(rendezvous_file(run_dir, environment), environment.world)
    store.set(f"here/{environment.rank}", "1")
    await_all(environment, lambda rank: store.check([f"here/{rank}"]))
    dist.init_process_group(backend, store=store, **here)


def _file_store(file: Path, world: int) -> Any:
    import torch.distributed as dist

    return dist.FileStore(str(file), world)  # pyright: ignore[reportPrivateImportUsage]


def rendezvous_file(run_dir: Path, environment: RankEnvironment) -> Path:
    """The file by which the ranks of an attempt meet."""
    return run_dir / f"rendezvous.{environment.rendezvous}"


def await_all(
    environment: RankEnvironment, arrived: Callable[[int], bool], limit_s: float = ARRIVE_S
) -> None:
    """Wait until all ranks are there. Raises RunError that names those that are not."""
    end, missing = time.monotonic() + limit_s, list(range(environment.world))
    while missing := [rank for rank in missing if not arrived(rank)]:
        if time.monotonic() > end:
            who = ", ".join(f"rank {rank}" for rank in missing)
            message = f"{who} of {environment.world} did not arrive within {limit_s:g} s."
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
