"""The classes of a model file, copied unchanged into a longer file."""

import ast
import re
from collections.abc import Iterable
from typing import Protocol

F = "from torch.nn import functional as F"
SOMETIMES = (F, "import math", "import torchvision")
"""Lines that a model file has where its classes need them."""
UTILS = "from torch.nn.utils"
"""How lines begin that import parametrizations."""
BASE = ("import torch", "from torch import Tensor, nn")


class Written(Protocol):
    """The source in a report."""

    @property
    def source(self) -> str | None: ...
    @property
    def class_name(self) -> str: ...


def classes_of(model: str) -> str:
    """The text of a model file from its first class on."""
    lines = model.splitlines()
    return "\n".join(lines[_classes(model)[0].lineno - 1 :]).rstrip()


def imports_for(model: str, further: Iterable[str]) -> str:
    """The import lines of a file that holds the model and more, in the order formatters keep."""
    needed = {*BASE, *further}
    needed |= {line for line in model.splitlines() if line in SOMETIMES or line.startswith(UTILS)}
    return "\n".join(sorted(_whole(needed), key=_import_order))


def _whole(lines: set[str]) -> list[str]:
    """The import lines without those whose names another line takes from the same module, too."""
    found = list[str]()
    for line in lines:
        start, _, names = line.partition(" import ")
        others = (other.partition(" import ") for other in lines if other != line)
        wider = (set(more.split(", ")) for begin, _, more in others if begin == start)
        if not names or not any(set(names.split(", ")) <= each for each in wider):
            found.append(line)
    return found


def _import_order(line: str) -> tuple[bool, str, str]:
    """Where isort puts an import line: modules in order of the alphabet, whatever their case."""
    return line.startswith("from "), line.split()[1].lower(), line


def rename_clashes(model: str, text: str, names: Iterable[str]) -> str:
    """Rename those constants in `text` whose names the model's classes bear already."""
    for name in {c.name for c in _classes(model)} & set(names):
        text = re.sub(rf"\b{name}\b(?!\()", f"{name}_", text)
    return text


def _classes(model: str) -> list[ast.ClassDef]:
    return [part for part in ast.parse(model).body if isinstance(part, ast.ClassDef)]


def outputs_of(model: str) -> int:
    """How many results the last class of a model file gives."""
    last = [part for part in ast.parse(model).body if isinstance(part, ast.ClassDef)][-1]
    (forward,) = [p for p in last.body if isinstance(p, ast.FunctionDef) and p.name == "forward"]
    annotation = forward.returns
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        return len(annotation.slice.elts)
    return 1


def source_of(report: Written) -> str:
    """The model file of a report. Raises ValueError when there is none."""
    if report.source is None:
        raise ValueError("The network has errors, so it cannot be trained.")
    return report.source
