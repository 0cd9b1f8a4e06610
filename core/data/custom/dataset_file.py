"""A Python file with a torch Dataset of the user's own: read by its syntax, never run here.

Its class runs in `core.data.custom.custom_dataset` only, if this user has trusted exactly this
text.
"""

import ast
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from core.common.errors import DataError
from core.data.sources.custom_source import CustomSource, read_custom_source
from core.data.sources.paths import locate
from core.files import trust
from core.graph.python import Fault, text_faults

KIND = "Dataset"
ENDING = ".py"
MAX_BYTES = 200_000
BASES = ("Dataset", "IterableDataset")
WAITS = "contains Python code that you have not trusted yet"
HOW = "Read it and trust it on the Data page, or with: layerloom trust FILE"
STATEMENTS = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.Assign, ast.AnnAssign)


def read_file(given: CustomSource) -> str:
    """The text of a data set's file. Raises DataError where it is not there, or no Python."""
    path = locate(given.path, given.key)
    if not path.is_file() or path.stat().st_size > MAX_BYTES:
        raise DataError(
            f"{given.path} is not a file of at most {MAX_BYTES:,} bytes.",
            "Name the Python file with the class.",
        )
    return read_utf8(path, given.path)


def read_utf8(path: Path, name: str) -> str:
    """A file as text in UTF-8, with a line feed behind each line. Raises DataError."""
    try:
        return path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise DataError(
            f"{name} cannot be read: {error.strerror}.", "Check your permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name} is not UTF-8 text (byte {error.start}).", "Save it as text in UTF-8."
        ) from error


def faults(text: str) -> tuple[Fault, ...]:
    """Faults of a text as the file of a data set, each with its line."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return (Fault(getattr(error, "lineno", None) or 1, f"is not Python: {error}."),)
    return (*text_faults(text), *_of_statements(tree))


def _of_statements(tree: ast.Module) -> Iterator[Fault]:
    for before, node in pairwise(tree.body):
        if node.lineno == before.end_lineno:
            yield Fault(node.lineno, "has two statements; give each a line of its own.")
    for number, node in enumerate(tree.body):
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, STATEMENTS) and not (docstring and not number):
            yield Fault(
                node.lineno,
                "is not an import, class, function or assignment; move it into a function.",
            )
        elif isinstance(node, ast.ImportFrom) and _is_unsupported_import(node):
            yield Fault(
                node.lineno,
                "has an import that a training script cannot use: write the "
                "full name of the module and list the names.",
            )


def _is_unsupported_import(node: ast.ImportFrom) -> bool:
    """Whether a statement is relative, a star, or for the compiler."""
    return bool(node.level) or node.module == "__future__" or node.names[0].name == "*"


def classes_in(text: str) -> tuple[str, ...]:
    """Names of the classes with a data set as their base."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    return tuple(node.name for node in classes if any(map(_is_dataset, node.bases)))


def _is_dataset(base: ast.expr) -> bool:
    base = base.value if isinstance(base, ast.Subscript) else base  # Dataset[tuple[Tensor, int]]
    name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
    return name in BASES


def class_of(given: CustomSource, text: str) -> str:
    """The class of the data set: the one that the project names, else the only one.

    Raises DataError.
    """
    there = classes_in(text)
    body = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    if given.dataset:
        if given.dataset in [node.name for node in body]:
            return given.dataset
        listed = ", ".join(node.name for node in body) or "none"
        raise DataError(f"{given.path} has no class {given.dataset}.", f"Its classes: {listed}.")
    if len(there) != 1:
        what = f"{len(there)} Dataset classes" if there else "no Dataset class"
        hint = (
            f"Set data.class to one of {', '.join(there)}."
            if there
            else ("Write class NAME(torch.utils.data.Dataset), with __len__ and __getitem__.")
        )
        raise DataError(f"{given.path} has {what}.", hint)
    return there[0]


def trusted_text(given: CustomSource) -> str:
    """The text of a file that may run. Raises DataError if this exact text is not trusted."""
    text = read_file(given)
    if wrong := faults(text):
        raise DataError(
            f"{given.path}, line {wrong[0].line}, {wrong[0].message}", "Correct that line."
        )
    if not trust.trusted(text):
        raise DataError(f"{given.path} {WAITS}.", f"{HOW}. {trust.problem()}".strip())
    return text


def python_of(data: Mapping[str, Any]) -> dict[str, str]:
    """The Python file of a project's data, by its path; {} if there is none."""
    try:
        given = read_custom_source(data)
        return {given.path: read_file(given)} if given and given.kind == KIND else {}
    except DataError:  # reading the data shows the error
        return {}


def untrusted_path(data: Mapping[str, Any]) -> str:
    """The path of the Python file in a project's data that is not trusted yet; "" for none."""
    return next((name for name, text in python_of(data).items() if not trust.trusted(text)), "")
