"""The Python door: open_project, analyse, build. Torch is imported only by what needs it."""

from importlib import import_module
from typing import Any

_DOORS = {
    "open_project": "core.project",
    "analyse": "core.analyse",
    "build": "core.analyse",
}
__all__ = ["analyse", "build", "open_project"]


def __getattr__(name: str) -> Any:
    if name in _DOORS:
        return getattr(import_module(_DOORS[name]), name)
    raise AttributeError(f"module 'core' has no attribute {name!r}")
