"""Machines and clusters that this user chose: a run folder may come from somebody else.

A run names its launcher in spec.json, and whoever starts it sends its data there, or submits a job
in their own name. So a launcher elsewhere starts a run only where this user chose its kind and
address before: `launchers.json` in the folder of the user's files. Choosing is an option of a
command, or a click.
"""

import json
import os
import shlex
from pathlib import Path

from core.common.errors import ProjectError, RunError
from core.files.folder import write_bytes
from core.files.home import changing, home, read_or_set_aside
from core.files.messages import quote
from core.files.strict import decode, parse
from core.settings.launcher import PLACES, Launcher, is_elsewhere

FILE = "launchers.json"
LARGEST = 1_000_000
ELSEWHERE = "LAYERLOOM_ELSEWHERE"
"""The variable by which a class server lets its students train on no other machine: "off"."""
OFF = "trains on other machines, which is switched off here (LAYERLOOM_ELSEWHERE=off)."


def trust(launcher: Launcher) -> None:
    """Note that this user trains there. Raises ProjectError where that cannot be written."""
    if is_trusted(launcher):
        return
    if _off():
        raise ProjectError(launcher.kind, OFF, "Train on this machine.")
    with changing(FILE) as file:
        entries = _read(file) | {(launcher.kind, launcher.address)}
        text = json.dumps([list(entry) for entry in sorted(entries)], indent=1) + "\n"
        write_bytes(file, text.encode())


def is_trusted(launcher: Launcher) -> bool:
    """Whether this user trained there before; always so on this machine."""
    started = PLACES[launcher.kind].own and not launcher.address
    if started or not is_elsewhere(launcher.kind):
        return True
    if _off():
        return False
    file = home() / FILE
    entries = read_or_set_aside(file, _read, set[tuple[str, str]]())
    return (launcher.kind, launcher.address) in entries


def check_trusted(name: str, launcher: Launcher) -> None:
    """Refuse to start a run elsewhere where nobody chose that. name: of the run or the sweep.

    Raises RunError.
    """
    if is_trusted(launcher):
        return
    if _off():
        raise RunError(name, f"{name} {OFF}", "Train on this machine.")
    address = f" --address {shlex.quote(launcher.address)}" if launcher.address else ""
    message = f"{name} {destination(launcher)}. You have not trained there yet."
    hint = f"If you trust it, add --launcher {launcher.kind}{address}."
    raise RunError(name, message, hint if launcher.address.isprintable() else "")


def _off() -> bool:
    return os.environ.get(ELSEWHERE, "on") != "on"  # a word that is none is no yes


def destination(launcher: Launcher) -> str:
    """What starting a run elsewhere would do, as the rest of a sentence."""
    place, address = PLACES[launcher.kind], quote(launcher.address, whole=True)
    return place.sends.format(place.address.format(address) if launcher.address else "")


def _read(file: Path) -> set[tuple[str, str]]:
    """The list in a file, none where there is none. Raises ProjectError for another content."""
    if not file.exists():
        return set()
    entries = parse(decode(file.read_bytes(), LARGEST), LARGEST)
    wrong = ProjectError(str(file), "is not a list of launchers.")
    if not isinstance(entries, list):
        raise wrong
    found = set[tuple[str, str]]()
    for entry in entries:
        if not (isinstance(entry, list | tuple) and len(entry) == 2):
            raise wrong
        kind, address = entry
        if not (isinstance(kind, str) and isinstance(address, str)):
            raise wrong
        found.add((kind, address))
    return found
