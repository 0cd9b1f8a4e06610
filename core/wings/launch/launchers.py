"""Launchers of several processes, other machines and clusters, one declaration each."""

import importlib.util
import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from core.settings.launcher import SEVERAL, Launcher
from core.worker import job_queue
from core.worker.launchers import LauncherFinding, LauncherKind, count

SLURM_PROGRAMS = ("sbatch", "squeue", "scancel")


DRIVER = "core.wings.launch.driver"


def _find_processes() -> LauncherFinding:
    if importlib.util.find_spec("torch") is None:
        hint = "Install torch: pip install torch."
        return LauncherFinding(False, "torch.distributed was not found.", hint)
    cores, gpus = job_queue.threads(), len(job_queue.gpus())
    most = gpus or cores
    have = count(gpus, "GPU") if gpus else count(cores, "core")
    return LauncherFinding(
        True, f"{have}; more than {count(most, 'process', 'processes')} gain nothing"
    )


def _find_ssh() -> LauncherFinding:
    program = shutil.which("ssh")
    if program is None:
        return LauncherFinding(False, "ssh was not found.", "Install the OpenSSH client.")
    return LauncherFinding(True, program)


def _find_slurm() -> LauncherFinding:
    missing = [name for name in SLURM_PROGRAMS if shutil.which(name) is None]
    if missing:
        hint = "Start Layerloom on a login node of the cluster."
        were = "was" if len(missing) == 1 else "were"
        return LauncherFinding(False, f"{', '.join(missing)} {were} not found.", hint)
    return LauncherFinding(True, str(shutil.which("sbatch")))


def _find_ray() -> LauncherFinding:
    try:
        return LauncherFinding(True, f"Ray {version('ray')}")
    except PackageNotFoundError:
        hint = "Install it: pip install 'layerloom[ray]'."
        return LauncherFinding(False, "Ray is not installed.", hint)


LAUNCHERS = (
    LauncherKind(
        SEVERAL,
        "Several processes",
        "Several processes on this machine, each with its part of every batch.",
        "a GPU or some cores for each process",
        "Each process imports torch: about 0.4 GB of memory and some seconds at the start. It pays "
        "off with several GPUs or a large network.",
        _find_processes,
        least=2,
        trials=False,
    ),
    LauncherKind(
        "ssh",
        "Machine by ssh",
        "Another machine, reached by ssh.",
        "an ssh key for that machine, and the same versions of Layerloom, Python and torch there",
        "Copies the run and its own data there, and metrics, log and checkpoints back while it "
        "trains.",
        _find_ssh,
        address_title="Machine",
        address="the machine, as `ssh` takes it: HOST or USER@HOST",
    ),
    LauncherKind(
        "slurm",
        "Slurm",
        "A job of a Slurm cluster.",
        "sbatch, squeue and scancel, and a runs folder that every node mounts",
        "Waits in the queue of the cluster and counts against your account there.",
        _find_slurm,
        address_title="Partition",
        address="the partition, if not the default one",
        machines=True,
    ),
    LauncherKind(
        "ray",
        "Ray",
        "Workers of a Ray cluster, or of one that Ray starts on this machine.",
        "the package ray, and a runs folder that every node mounts",
        "Ray itself takes about 0.7 GB of memory and 20 to 60 s at the start.",
        _find_ray,
        address_title="Cluster",
        address="the cluster, such as auto or HOST:6379; without it Ray starts on this machine",
        machines=True,
        shared="auto",
    ),
)
"""From the nearest to the largest."""
SHARDING_TITLES = {"ddp": "Whole on each", "fsdp": "Sharded"}
SHARDING_COSTS = {
    "ddp": "Each process keeps all weights, gradients and the state of the optimiser. They "
    "exchange gradients once in each step.",
    "fsdp": "Each process keeps its share of weights, gradients and the state of the optimiser. "
    "The first one also keeps the whole network. Blocks are gathered twice in each step, which "
    "takes longer. It pays off where one device has no room to train the network.",
}
"""What `Launcher.sharding` means for several processes (DDP and FSDP2 of PyTorch)."""


def check_launcher(launcher: Launcher, training: Mapping[str, Any]) -> None:
    """Refuse a launcher that cannot train with these settings. Raises RunError."""
    from core.wings.launch import refusals

    refusals.check_launcher(launcher, training)


def check_reachable(launcher: Launcher) -> None:
    """Refuse a cluster that does not answer. Raises RunError."""
    from core.wings.launch import refusals

    refusals.check_reachable(launcher)


def parts_of_trials(
    launcher: Launcher,
    training: Mapping[str, Any],
    searched: Mapping[str, Sequence[Any]],
    source: str,
    data: Mapping[str, Any] | None = None,
) -> list[str]:
    """What differs from one process for the sizes that a sweep tries."""
    from core.wings.launch import smaller_batches

    return smaller_batches.of_trials(launcher, training, searched, source, data)
