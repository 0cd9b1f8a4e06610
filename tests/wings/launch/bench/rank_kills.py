"""Random ranks are killed at random moments.

    python -m tests.wings.launch.bench.rank_kills [KILLS]

Each run trains a small net on iris, on 2 and 4 ranks in turn; one rank is killed once. All have to
end, with the weights of one process that nobody disturbed. Writes rank_kills.md.
"""

import hashlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import torch

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.runs.files import read_json, read_status
from core.settings.launcher import Launcher
from tests.core.small_runs import project, table_net, train_here
from tests.wings.launch.worker.forked_workers import train_on_ranks

TABLE = Path(__file__).with_name("rank_kills.md")
KILLS, SEED = 20, 7
SETTINGS: dict[str, Any] = {
    "epochs": 120, "threads": 1, "batch_size": 16, "lr": 0.01, "checkpoint_every_s": 0.1,
}  # fmt: skip
STEPS = 8 * 120


def made(folder: Path, world: int) -> Path:
    """A run of `world` ranks; of one process that accumulates where that is negative."""
    settings, launcher = dict(SETTINGS), Launcher(processes=abs(world))
    if world < 0:
        settings |= {"batch_size": 16 // -world, "accumulate": -world}
    found = project(table_net(4, 3), {"source": "iris"}, **settings)
    report = analyse_project(found)
    return prepare(found, report, folder, launcher=launcher if world > 0 else None)


def weights(run_dir: Path) -> str:
    """The hash of the weights in the last checkpoint of a run."""
    state = torch.load(run_dir / "ckpt" / "last.pt", weights_only=True)
    values = [value.numpy().tobytes() for value in state["model"].values()]
    return hashlib.sha256(b"".join(values)).hexdigest()


def killer(run_dir: Path, rank: int, step: int) -> Callable[[Any], None]:
    """A process that kills a rank once the run has come to a step."""

    def watch(_: Any) -> None:
        if os.fork():
            return
        try:
            while read_json(run_dir / "status.json").get("step", 0) < step:
                time.sleep(0.001)
            os.kill(read_json(run_dir / "ranks" / f"{rank}.json")["pid"], signal.SIGKILL)
        finally:
            os._exit(0)

    return watch


def tried(folder: Path, chance: random.Random, world: int, wanted: str) -> str:
    """A line of the table: one run, one kill."""
    rank, step = chance.randrange(world), chance.randrange(STEPS // 2)
    run_dir = made(folder, world)
    started = time.monotonic()
    _, processes = train_on_ranks(run_dir, world, killer(run_dir, rank, step))
    state, took = read_status(run_dir)["state"], time.monotonic() - started
    same = "yes" if weights(run_dir) == wanted else "NO"
    return f"| {world} | {rank} | {step} | {processes.restarts} | {state} | {same} | {took:.1f} |"


def main(kills: int, out: Path = TABLE) -> None:
    """Kill, and write the table."""
    chance = random.Random(SEED)
    rows: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder, wanted = Path(name), dict[int, str]()
        for world in (2, 4):
            alone = made(folder, -world)
            train_here(alone)
            wanted[world] = weights(alone)
        for index in range(kills):
            world = (2, 4)[index % 2]
            rows.append(tried(folder, chance, world, wanted[world]))
            out.write_text("\n".join([*head(kills), *rows, ""]))


def head(kills: int) -> list[str]:
    """What was tried, and where."""
    columns = "ranks", "killed", "after step", "restarts", "state", "weights equal", "seconds"
    return [
        "# Kills of ranks",
        "",
        f"Tried on {date.today()} by `python -m tests.wings.launch.bench.rank_kills {kills}`: "
        "a small net on "
        f"iris, {STEPS} steps, SIGKILL to a random rank after a random step. Weights are compared "
        "by SHA-256 with those of one process with the same accumulate.",
        "",
        f"| {' | '.join(columns)} |",
        "|---" * len(columns) + "|",
    ]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else KILLS)
