# pyright: reportMissingImports=false
"""The process that talks to Ray: `python -m core.wings.launch.ray_driver RUN_DIR`.

It connects to a cluster or starts one on this machine, requests a worker for each rank, and waits.
Exit status: 0 all workers ended well; 1 they did not, with the reason in ray.json.
"""

import os
import re
import secrets
import shutil
import signal
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.common.device import has
from core.common.errors import RunError
from core.files.messages import quote
from core.runs.files import read_json, write_json
from core.settings.launcher import Launcher
from core.wings.launch import ray_worker
from core.wings.launch.ray_launcher import REASON, environment
from core.wings.launch.ray_rank import end_with_parent
from core.wings.launch.remote_job import attempt_of
from core.worker import child_process

NONCE = "shared.nonce"
"""The file by which each worker proves that it sees the run folder."""
STORE_BYTES = 200_000_000
"""Memory for objects of Ray on this machine: the workers exchange none."""
LOST_WORKER = (
    "ActorDiedError",
    "ActorUnavailableError",
    "LocalRayletDiedError",
    "NodeDiedError",
    "OutOfMemoryError",
    "WorkerCrashedError",
)
"""Errors of Ray for a worker that is gone, after which the run is tried again."""
HANDED_ON = (
    "LAYERLOOM_ENDED",
    "LAYERLOOM_HOME",
    "LAYERLOOM_WORKSPACE",
    "LAYERLOOM_ROOTS",
    child_process.FOLDERS,
)
"""Variables that the ranks need."""


def main(run_dir: Path) -> int:
    """Train a run on workers of Ray; give the exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    end_with_parent()
    os.environ.update(environment())
    spec = read_json(run_dir / "spec.json")
    launcher = Launcher.read(spec)
    nonce = secrets.token_hex(16)
    (run_dir / NONCE).write_text(nonce)
    try:
        connect(launcher, int(spec.get("threads", 1)))
        train(run_dir, launcher, spec, nonce)
    except Exception as error:
        reason = explain(error)
        failed = reason.subject == ray_worker.FAILED_RANK
        record = {"message": reason.message, "hint": reason.hint, "rank_failed": failed}
        write_json(run_dir / REASON, record)
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    finally:
        (run_dir / NONCE).unlink(missing_ok=True)
        shutil.rmtree(run_dir / ".ray", ignore_errors=True)
    return 0


def connect(launcher: Launcher, threads: int) -> None:
    """Connect to the cluster, or start one here. Raises RunError where it is too small."""
    import ray  # pyright: ignore[reportMissingImports]

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "warning"}
    if launcher.address:
        ray.init(launcher.address, **quiet)
    else:
        quiet |= {"include_dashboard": False, "object_store_memory": STORE_BYTES}
        ray.init("local", num_cpus=launcher.world * threads, **quiet)
    cores = int(ray.cluster_resources().get("CPU", 0))
    if cores < launcher.world * threads:
        message = (
            f"The Ray cluster has {cores} processors; {launcher.world} processes with {threads} "
            f"threads each need {launcher.world * threads}."
        )
        raise RunError("launcher", message, "Request fewer processes or machines.")


def train(run_dir: Path, launcher: Launcher, spec: Mapping[str, Any], nonce: str) -> None:
    """Train on one worker as a task of Ray, on several with its TorchTrainer; wait for the end."""
    threads = int(spec.get("threads", 1))
    device = str(spec.get("training", {}).get("device", "auto"))
    on_gpu = has(device, "shared")
    config = {
        "run_dir": str(run_dir),
        "nonce": nonce,
        "attempt": f"{attempt_of(run_dir)}.{nonce[:8]}",
        "threads": threads,
        "torch": version("torch"),
        "variables": {name: os.environ[name] for name in HANDED_ON if os.environ.get(name)},
    }
    resources = {"CPU": threads, **({"GPU": 1} if on_gpu else {})}
    if launcher.world == 1:
        _train_alone(config, resources)
    else:
        _train_on_ranks(run_dir, launcher, config, resources)


def _train_alone(config: dict[str, Any], resources: dict[str, int]) -> None:
    import ray  # pyright: ignore[reportMissingImports]

    task: Any = ray.remote(ray_worker.work_alone)
    options = {"num_cpus": resources["CPU"], "num_gpus": resources.get("GPU", 0)}
    ray.get(task.options(**options, max_retries=0, runtime_env=_code()).remote(config))


def _code() -> dict[str, Any]:
    """The environment of a worker: where it finds Layerloom."""
    return {"env_vars": {"PYTHONPATH": str(child_process.ROOT)}}


def _train_on_ranks(
    run_dir: Path, launcher: Launcher, config: dict[str, Any], resources: dict[str, int]
) -> None:
    from ray.train import FailureConfig, RunConfig, ScalingConfig  # pyright: ignore[reportMissingImports]
    from ray.train.torch import TorchTrainer  # pyright: ignore[reportMissingImports]

    TorchTrainer(
        ray_worker.work,
        train_loop_config=config,
        scaling_config=ScalingConfig(
            num_workers=launcher.world,
            use_gpu="GPU" in resources,
            resources_per_worker=resources,
            placement_strategy="SPREAD" if launcher.machines > 1 else "PACK",
        ),
        run_config=RunConfig(
            name="run",
            storage_path=str(run_dir / ".ray"),
            failure_config=FailureConfig(max_failures=0),
            worker_runtime_env=_code(),
        ),
    ).fit()


def explain(error: Exception) -> RunError:
    """The reason in a sentence: our own, out of whatever Ray wrapped it in, or Ray's last line."""
    if isinstance(error, RunError):
        return error
    text = str(error)
    if ray_worker.MARK in text:
        said = text.split(ray_worker.MARK)[1]
        subject, message, hint = (*said.split("|"), "", "")[:3]
        return RunError(subject, message, hint)
    if type(error).__name__ in LOST_WORKER:
        message = "A worker of Ray was lost, as when its node ends or its memory runs out."
        return RunError(ray_worker.FAILED_RANK, message, "log.txt has the details.")
    if "Version mismatch" in text:
        return _versions_differ(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = quote(lines[-1]) if lines else type(error).__name__
    if "No module named 'core" in text:
        hint = f"Install Layerloom on every node, in {child_process.ROOT}."
        return RunError("launcher", "A worker of Ray does not find Layerloom.", hint)
    if isinstance(error, ConnectionError):
        none = "any running Ray instance" in text
        message = "No Ray cluster runs here." if none else f"No Ray cluster answers: {last}."
        return RunError("address", message, "`ray start --head` starts one.")
    return RunError("launcher", f"Ray could not train: {last}.", "log.txt has the details.")


def _versions_differ(text: str) -> RunError:
    """Ray's own comparison of a cluster and this machine, as a sentence."""
    pairs = (re.findall(rf"{name}: *([0-9][\w.+]*)", text)[:2] for name in ("Ray", "Python"))
    for name, found in zip(("Ray", "Python"), pairs, strict=True):
        if len(found) == 2 and found[0] != found[1]:
            message = f"The Ray cluster has {name} {found[0]}, this machine has {found[1]}."
            return RunError("address", message, f"Install the same version of {name} on both.")
    message = "The Ray cluster has other versions of Ray or Python than this machine."
    return RunError("address", message, "Install the same versions on both.")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
