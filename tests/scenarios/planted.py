"""Files with the names of modules, each of which leaves a mark wherever it is imported."""

import os
import sys
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARK = "import os\nwith open({mark!r}, 'a') as file:\n    file.write(__file__ + '\\n')\n"
OURS = ("app", "blocks", "core", "projects", "tests", "sitecustomize", "usercustomize")
SCRIPT = """
import sys
from app.cli import entry

if __name__ == "__main__":
    sys.exit(entry())
"""
"""What pip installs as `layerloom`."""


def names() -> list[str]:
    """Every module of the standard library, of every package that is installed, and of ours."""
    installed = [name for name in packages_distributions() if name.isidentifier()]
    return sorted({*sys.stdlib_module_names, *installed, *OURS})


def plant(folders: Iterable[Path], mark: Path, which: Iterable[str]) -> int:
    """Put a file of every name into every folder; how many there are."""
    text, many = MARK.format(mark=str(mark)), 0
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        for name in which:
            (folder / f"{name}.py").write_text(text, "utf-8")
            many += 1
    return many


def layerloom(folder: Path) -> list[str]:
    """The command as pip installs it, in a folder of its own."""
    script = folder / "bin" / "layerloom"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"import sys\nsys.path.append({str(ROOT)!r})\n{SCRIPT}", "utf-8")
    return [sys.executable, str(script)]


def environment(home: Path) -> dict[str, str]:
    """The environment of somebody whose folder is `home`, with nothing that leads Python."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    state = str(home / ".local" / "state" / "layerloom")
    return {**kept, "HOME": str(home), "LAYERLOOM_HOME": state, "LAYERLOOM_WORKSPACE": ""}
