"""Where own data of a run is looked for: where it was started first, then where it is now."""

from pathlib import Path
from typing import Any

from core.data.paths import roots_for
from core.runs.files import read_json


def read_data_roots(run_dir: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """What control.json is to keep of it, and the variables that tell the worker.

    Raises OSError where there is no spec.json.
    """
    asked, seal = read_json(run_dir / "control.json"), _seal(run_dir)
    kept = asked.get("roots")
    before = kept if isinstance(kept, list) and asked.get("seal") == seal else []
    found, places = roots_for([name for name in before if isinstance(name, str)])
    return {"roots": found, "seal": seal}, places


def _seal(run_dir: Path) -> list[int]:
    """What a stranger who packs a folder, and names roots in it, cannot know of it unpacked."""
    about = (run_dir / "spec.json").stat()
    return [about.st_ino, about.st_ctime_ns]
