# pyright: reportMissingImports=false
"""What a worker of Ray does for a run: it proves that it sees the run folder, then starts a rank.

The rank is the same process as under any other launcher, with a log of its own for its output.
"""

import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.worker import child_process

MARK = "@@"
"""Around what is for the user in an error that Ray wraps."""
FAILED_RANK = "rank"
"""The subject of the error of a rank that ended by a fault."""
SEEN_S = 10.0
"""Seconds in which a file shows on a network disk."""
LEFT_TO_FIRST = (76, 77)
"""Exit statuses of a rank that rank 0 reports: see `core.worker.main`."""
POLL_S = 0.2
END_S = 10.0


def work(config: dict[str, Any]) -> None:
    """Start the rank of this worker and wait for it. Raises RuntimeError where it failed."""
    from ray.train import get_context  # pyright: ignore[reportMissingImports]
    from ray.train.collective import barrier  # pyright: ignore[reportMissingImports]

    context = get_context()
    rank, world = context.get_world_rank(), context.get_world_size()
    run_dir = Path(config["run_dir"])
    check_node(config, f"Rank {rank}")
    barrier()  # nobody begins before all have been checked
    ranks = {
        "RANK": rank,
        "WORLD_SIZE": world,
        "LOCAL_RANK": context.get_local_rank(),
        "LOCAL_WORLD_SIZE": context.get_local_world_size(),
    }
    code = run_rank(run_dir, config, {name: str(value) for name, value in ranks.items()})
    if rank and code in LEFT_TO_FIRST:
        return
    if rank and code:
        time.sleep(END_S)  # rank 0 notices by itself, and may have more to report
    _check_end(code, f"Rank {rank}")


def work_alone(config: dict[str, Any]) -> None:
    """Train a run of one process in a task of Ray. Raises RuntimeError where it failed."""
    check_node(config, "The worker")
    _check_end(run_rank(Path(config["run_dir"]), config, {}), "The process")


def check_node(config: dict[str, Any], who: str) -> None:
    """Check that this node sees the run folder and has the torch of the machine that asks.

    who: begins the sentence. Raises RuntimeError.
    """
    run_dir, node = Path(config["run_dir"]), platform.node()
    if not sees(run_dir / "shared.nonce", config["nonce"]):
        message = f"{who} on {node} does not see the run folder {run_dir}."
        hint = "Use a runs folder that every node of the cluster mounts."
        raise RuntimeError(f"{MARK}launcher|{message}|{hint}{MARK}")
    here, there = (text.partition("+")[0] for text in (version("torch"), str(config["torch"])))
    if here != there:
        message = f"{node} has torch {here}, the machine that started the run has {there}."
        hint = "Install the same version of torch on both."
        raise RuntimeError(f"{MARK}launcher|{message}|{hint}{MARK}")


def _check_end(code: int, who: str) -> None:
    """Raises RuntimeError for a process that failed. code: its exit status."""
    if code:
        ended = f"with status {code}" if code > 0 else f"by signal {-code}"
        message = f"{who} on {platform.node()} ended {ended}."
        raise RuntimeError(f"{MARK}{FAILED_RANK}|{message}|log.txt has the details.{MARK}")


def sees(path: Path, nonce: str) -> bool:
    """Whether the file is there with this content, soon."""
    deadline = time.monotonic() + SEEN_S
    while time.monotonic() < deadline:
        try:
            if path.read_text() == nonce:
                return True
        except OSError:
            pass
        time.sleep(POLL_S)
    return False


def run_rank(run_dir: Path, config: dict[str, Any], ranks: dict[str, str]) -> int:
    """Run the process of a rank to its end; it ends with this one."""
    threads = str(config["threads"])
    env = child_process.environment(
        {
            **config["variables"],
            **ranks,
            "LAYERLOOM_ATTEMPT": config["attempt"],
            "OMP_NUM_THREADS": threads,
            "MKL_NUM_THREADS": threads,
            "OMP_WAIT_POLICY": "PASSIVE",
            "PYTHONUNBUFFERED": "1",
        }
    )
    env = {name: value for name, value in env.items() if not name.startswith("MASTER_")}
    command = child_process.module("core.wings.launch.ray_rank", str(run_dir))
    with (run_dir / "log.txt").open("ab", buffering=0) as log:
        process = child_process.start(command, env=env, stdout=log, stderr=log)
    try:
        while process.poll() is None:
            time.sleep(POLL_S)
    finally:
        if process.poll() is None:
            end(process)
    return int(process.wait())


def end(process: Any) -> None:
    """End the process of a rank whose worker Ray ends."""
    process.terminate()
    try:
        process.wait(END_S)
    except child_process.TimeoutExpired:
        process.kill()
