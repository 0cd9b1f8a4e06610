"""The Python API: open_project, analyse, build, to_networkx. Only what needs torch imports it."""

import os
from importlib import import_module
from typing import Any

# Else onnxruntime reports to its makers, and keeps a number of this machine to do so.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_DOORS = {
    "open_project": "core.project",
    "analyse": "core.analyse",
    "build": "core.analyse",
    "to_networkx": "core.graph.networkx_graph",
}
__all__ = ["analyse", "build", "open_project", "to_networkx"]


def __getattr__(name: str) -> Any:
    if name in _DOORS:
        return getattr(import_module(_DOORS[name]), name)
    raise AttributeError(f"module 'core' has no attribute {name!r}")
