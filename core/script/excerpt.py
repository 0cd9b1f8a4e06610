"""The part of a training file that reads what columns are made of: texts, names, dates, waves.

What needs more than a few lines stands in `core/data/reading.py`, which a run calls; a file gets
those functions word for word.
"""

import ast
from functools import cache
from pathlib import Path

from core.data.generated import OF_DIGITS
from core.data.info import DataInfo
from core.script import data
from core.source.literal import literal

ROOT = Path(__file__).parents[2]
READING = ROOT / "core/data/reading.py"
NEEDS = {
    "python_docs": "import pydoc_data.topics",
    "letter_names": "import unicodedata",
    "dates": "import datetime",
}


@cache
def function_text(name: str, file: Path = READING) -> str:
    """The text of a function that a run reads its data with, or of one or a class elsewhere."""
    text = file.read_text(encoding="utf-8")
    (found,) = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
    ]
    return "\n".join(text.splitlines()[found.lineno - 1 : found.end_lineno])


def named_text(name: str) -> str:
    """The text of a function or class that a task or loss names, "module:function"."""
    module, _, function = name.partition(":")
    return function_text(function, ROOT / f"{module.replace('.', '/')}.py")


def imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines that reading the data needs."""
    more = ("import math",) if "tokens" in [t.kind for t in info.terms] else ()
    if info.package == "Python":
        return (NEEDS[info.source], *more) if info.source in NEEDS else more
    if info.source in OF_DIGITS:
        lines = ("from sklearn.datasets import load_digits", *more)
        return (*lines, data.F) if info.resize else lines
    return (*data.data_imports(info), *more)


def read_lines(info: DataInfo) -> list[str]:
    """The lines that make samples, as `inputs` and what is told beside them."""
    source, length = info.origin, info.input_shape[0]
    if info.source == "python_docs":
        return [
            'alphabet = "\\n" + "".join(map(chr, range(32, 127)))',
            f"text = python_docs({literal(source.samples)}, alphabet)",
            f"inputs = text.unfold(0, {length + 1}, {length})",
        ]
    if info.source == "letter_names":
        return [
            f"alphabet = {_quoted(source.alphabet)}",
            f"scripts = [{', '.join(map(_quoted, source.classes))}]",
            f"inputs, labels = letter_names(scripts, {length}, alphabet)",
        ]
    if info.source == "dates":
        return [f"alphabet = {_quoted(source.alphabet)}",
                f"inputs = dates({literal(source.samples)}, alphabet)"]  # fmt: skip
    if info.source == "waves":
        whole = source.shape[0] + 1
        cut = "" if whole == length + 1 else f"[:, :{length + 1}]"
        return [f"inputs = waves({literal(source.samples)}, {whole}){cut}"]
    if info.source in OF_DIGITS:
        return [
            "data = load_digits()",
            "images = torch.tensor(data.images, dtype=torch.float32).unsqueeze(1)",
            f"inputs, labels = {OF_DIGITS[info.source]}(images, torch.tensor(data.target))",
            "inputs = inputs / 16  # from 0 to 1",
        ]
    return data.read_lines(info)


def _quoted(text: str) -> str:
    return '"' + text.replace("\0", "\\0") + '"'
