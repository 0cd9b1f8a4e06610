"""The accelerations that a run was started with, in its folder."""

from dataclasses import asdict
from pathlib import Path

from core.common.json_types import is_object
from core.runs.files import MODES, read_json, write_json
from core.settings.accelerations import SWITCHES, Acceleration, Modes


def read_accelerations(run_dir: Path) -> Modes:
    """What was decided at the first start of a run; {} where nothing was."""
    modes: Modes = {"compile_step": Acceleration(False)}  # older runs have none
    for name, entry in read_json(run_dir / MODES).items():
        if name in SWITCHES and is_object(entry) and isinstance(entry.get("on"), bool):
            at = entry.get("from_step", 0)
            known = at if isinstance(at, int | None) else 0
            modes[name] = Acceleration(entry["on"], str(entry.get("why", "")), known)
    return modes if len(modes) == len(SWITCHES) else {}


def write_accelerations(run_dir: Path, modes: Modes) -> None:
    """Write down what was decided, for all attempts to come."""
    entries = {name: asdict(mode) for name, mode in modes.items()}
    for entry in entries.values():
        if entry["from_step"] == 0:
            del entry["from_step"]
    write_json(run_dir / MODES, entries, durable=True)
