"""Where a run can train: in one process here, and where the launchers of wings start more.

A launcher is what starts a run. A wing declares those that it brings in its module `launchers`:

    LAUNCHERS         `LauncherKind`, each
    DRIVER            the module of the process that follows a run elsewhere
    check_launcher    refuses one that cannot train with some settings; see below
    check_reachable   refuses a cluster that does not answer
    parts_of_trials   what differs from one process, for the sizes that a sweep tries

Nothing here imports torch, so that a page can read it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.common import wing
from core.common.errors import RunError
from core.settings.launcher import HERE, KEY, PLACES, SEVERAL, Launcher, is_elsewhere
from core.worker import job_queue


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
    may be its jobs. `find` looks at this machine only, without a connection and without torch."""

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


def _find_here() -> LauncherFinding:
    cores, gpus = job_queue.threads(), len(job_queue.gpus())
    parts = count(cores, "core") + (f", {count(gpus, 'GPU')}" if gpus else "")
    return LauncherFinding(True, parts)


ALONE = LauncherKind(
    HERE,
    "This machine",
    "One process on this machine.",
    "nothing more",
    "Starts within a second; nothing is copied.",
    _find_here,
    several=False,
)


def _of_wings() -> Iterator[Any]:
    for _, part in wing.parts("launchers"):
        yield part


def kinds() -> tuple[LauncherKind, ...]:
    """All launchers that are here, from the nearest to the largest."""
    return (ALONE, *(kind for part in _of_wings() for kind in part.LAUNCHERS))


def kind_of(name: str) -> LauncherKind:
    """The declaration of a launcher that is here."""
    return next(kind for kind in kinds() if kind.name == name)


def starter_of(launcher: Launcher) -> Any:
    """The module of the wing that starts such a run. Raises RunError where it is not here."""
    name = SEVERAL if launcher.kind == HERE else launcher.kind
    for part in _of_wings():
        if any(kind.name == name for kind in part.LAUNCHERS):
            return part
    message = "This Layerloom trains in one process on this machine only"
    place = where(launcher.as_spec()) or launcher.kind
    hint = "Install a Layerloom that has the wing launch."
    raise RunError(KEY, f"{message}, not by {place}: the wing launch is not here.", hint)


def check_here(launcher: Launcher) -> None:
    """Refuse a run that only a wing which is not here can start. Raises RunError."""
    if launcher.world > 1 or is_elsewhere(launcher.kind):
        starter_of(launcher)


def check_launcher(launcher: Launcher, training: Mapping[str, Any]) -> None:
    """Refuse a launcher that cannot train here, or not with these settings.

    Connects to the machine or the cluster of the launcher; starts nothing there. training: settings
    of the project. Raises RunError, TrainingError for a batch that cannot be divided.
    """
    if not launcher.plain:
        starter_of(launcher).check_launcher(launcher, training)


def check_reachable(launcher: Launcher) -> None:
    """Check that a cluster answers which the trials of a sweep share. Raises RunError."""
    if not launcher.plain:
        starter_of(launcher).check_reachable(launcher)


def parts_of_trials(
    launcher: Launcher | None,
    training: Mapping[str, Any],
    searched: Mapping[str, Sequence[Any]],
    source: str,
    data: Mapping[str, Any],
) -> list[str]:
    """What differs from one process for the sizes that a sweep tries, each sentence once.

    searched: values by key. source: the text of the network. data: settings of the data.
    """
    if launcher is None or launcher.plain:
        return []
    return starter_of(launcher).parts_of_trials(launcher, training, searched, source, data)


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
    return f"{launcher.address if PLACES[launcher.kind].named else _title(launcher.kind)}{many}"


def _title(name: str) -> str:
    """The title of a launcher, which may not be here."""
    return next((kind.title for kind in kinds() if kind.name == name), name)
