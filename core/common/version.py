"""The version of Layerloom, read from pyproject.toml in a checkout, else from the installation.

An editable installation keeps the version it was made with, so the file beside the code goes first.
"""

import functools
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

NAME = "layerloom"
UNKNOWN = "0"
"""The version where the code is neither in a checkout nor installed."""
_PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@functools.cache
def layerloom_version() -> str:
    """Return the version, such as "0.5.0"; UNKNOWN where none is written down."""
    return _from_checkout(_PYPROJECT) or _installed()


def _from_checkout(pyproject: Path) -> str:
    """Return the version in our own pyproject.toml; "" where there is none."""
    if not pyproject.is_file():
        return ""
    project = tomllib.loads(pyproject.read_text("utf-8")).get("project", {})
    return str(project.get("version", "")) if project.get("name") == NAME else ""


def _installed() -> str:
    try:
        return version(NAME)
    except PackageNotFoundError:
        return UNKNOWN
