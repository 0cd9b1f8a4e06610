"""The launchers, one declaration each: command line, doctor, Train page and README come from here.

A launcher is what starts a run and where it then trains. `find` looks at this machine only, without
a connection and without torch; `core/launch/refusals.py` checks a launcher with its address.
"""

import importlib.util
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from core.errors import RunError
from core.settings.launcher import HERE, KEY, KINDS, SEVERAL, Launcher, is_elsewhere
from core.worker import job_queue

SLURM_PROGRAMS = ("sbatch", "squeue", "scancel")


@dataclass(frozen=True)
class LauncherFinding:
    """What this machine has of a launcher. hint: what to do where it is not available."""

    available: bool
    text: str
    hint: str = ""


@dataclass(frozen=True)
class LauncherKind:
    """A launcher. address: what `--address` means, "" where it has none, and address_title its
    label; several: whether it starts more than one process on a machine; machines: on more than
    one machine. least: processes that it starts at least where somebody chooses it. shared: the
    address of a cluster that the trials of a sweep share where none is given. trials: whether those
    may be its jobs."""

    name: str
    title: str
    summary: str
    needs: str
    cost: str
    find: Callable[[], LauncherFinding]
    address: str = ""
    address_title: str = ""
    several: bool = True
    machines: bool = False
    least: int = 1
    shared: str = ""
    trials: bool = True


def count(number: int, word: str, more: str = "") -> str:
    """A number with its noun: 1 core, 2 cores."""
    return f"{number} {word}" if number == 1 else f"{number} {more or f'{word}s'}"


def _find_local() -> LauncherFinding:
    cores, gpus = job_queue.threads(), len(job_queue.gpus())
    parts = count(cores, "core") + (f", {count(gpus, 'GPU')}" if gpus else "")
    return LauncherFinding(True, parts)


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
        HERE,
        "This machine",
        "One process on this machine.",
        "nothing more",
        "Starts within a second; nothing is copied.",
        _find_local,
        several=False,
    ),
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
"""In the order of `KINDS`: from the nearest to the largest."""
SHARDING_TITLES = {"ddp": "Whole on each", "fsdp": "Sharded"}
SHARDING_COSTS = {
    "ddp": "Each process keeps all weights, gradients and the state of the optimiser. They "
    "exchange gradients once in each step.",
    "fsdp": "Each process keeps its share of weights, gradients and the state of the optimiser. "
    "The first one also keeps the whole network. Blocks are gathered twice in each step, which "
    "takes longer. It pays off where one device has no room to train the network.",
}
"""What `Launcher.sharding` means for several processes (DDP and FSDP2 of PyTorch)."""
BY_NAME = {kind.name: kind for kind in LAUNCHERS}


def kind_of(name: str) -> LauncherKind:
    """The declaration of a launcher."""
    return BY_NAME[name]


def names() -> tuple[str, ...]:
    """Names of all launchers, for the command line."""
    assert set(BY_NAME) == set(KINDS)
    return tuple(BY_NAME)


def where(stored: object) -> str:
    """Where a run trains, in a few words, by the launcher in its spec; "" for one process here."""
    try:
        launcher = Launcher.read({KEY: stored})
    except RunError:
        return ""
    processes = count(launcher.world, "process", "processes")
    if launcher.shards:
        processes += ", sharded weights"
    if not is_elsewhere(launcher.kind):
        return "" if launcher.world == 1 else processes
    many = f", {processes}" if launcher.world > 1 else ""
    title = launcher.address if launcher.kind == "ssh" else kind_of(launcher.kind).title
    return f"{title}{many}"
