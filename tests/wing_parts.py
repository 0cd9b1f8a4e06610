"""What tests of a wing add to those of the base: tests/wings/NAME/PART.py, where it is there."""

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

WINGS = Path(__file__).with_name("wings")


def modules(part: str) -> list[Any]:
    """The module of this name of every wing that has one."""
    found = sorted(WINGS.glob(f"*/{part}.py"))
    return [import_module(f"tests.wings.{path.parent.name}.{part}") for path in found]


def rows(part: str, name: str) -> dict[str, Any]:
    """The mapping of this name in those modules, put together."""
    return {key: row for module in modules(part) for key, row in getattr(module, name, {}).items()}


def left_out(path: str) -> bool:
    """Whether a file is of a wing that `make without` left out, so that texts may name it."""
    wings = "|".join(os.environ.get("LAYERLOOM_WITHOUT", "").split())
    return bool(wings and re.search(rf"wings[/.](?:{wings})\b", path))
