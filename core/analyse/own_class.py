"""A class of a project's own Python, brought to life behind the same gate as any source."""

import contextlib
import sys
import traceback
from collections.abc import Generator, Mapping
from functools import lru_cache

from core.analyse.build import loaded
from core.graph.python import classes_in

HEAD = """import math

import torch
import torchvision
from torch import Tensor, nn
from torch.nn import functional as F
"""
"""What every generated file may import; a class may use these names and Python's own."""


class OwnError(Exception):
    """What a project's own class raised: the line of its text (0 if unknown), and the words."""

    def __init__(self, line: int, said: str) -> None:
        super().__init__(said)
        self.line, self.said = line, said


def own_class(code: str) -> Mapping[str, type]:
    """The class by its name. Raises AuditError unless this user has trusted exactly this text."""
    module = loaded(_source(code))
    return {name: getattr(module, name) for name in classes_in(code)}


@lru_cache(64)
def _source(code: str) -> str:
    names = {"torchvision"} if "torchvision" in code else set[str]()
    lines = [line for line in HEAD.split("\n") if "torchvision" not in line or names]
    return "\n".join([*lines, "", code, ""])


@contextlib.contextmanager
def told(code: str) -> Generator[None]:
    """Turn all that own code raises into an OwnError; what it prints goes to standard error.

    A KeyboardInterrupt from outside of the class is the user's, and goes on.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except BaseException as error:
        line = _line(error, code)
        if isinstance(error, KeyboardInterrupt) and not line:
            raise
        raise OwnError(line, _words(error)) from error


def _line(error: BaseException, code: str) -> int:
    """The last line of the class that was running; a syntax error tells its own."""
    source = _source(code)
    head = source[: source.index(code)].count("\n")
    mine = [f.lineno for f in traceback.extract_tb(error.__traceback__) if _is_own(f.filename)]
    lines = [line - head for line in mine if line is not None and line > head]
    return lines[-1] if lines else 0


def _is_own(filename: str) -> bool:
    return filename.startswith("<layerloom_model_")


def _words(error: BaseException) -> str:
    lines = _text(error).strip().splitlines()
    said = lines[0] if lines else ""
    kind = type(error).__name__
    return said if isinstance(error, RuntimeError) and said else f"{kind}: {said}".rstrip(": ")


def _text(error: BaseException) -> str:
    try:
        said = str(error)
    except BaseException as fault:  # an error of the class's own says it by the class's code
        said = f"it cannot be said why, as that raises {type(fault).__name__}"
    return said.encode("utf-8", "backslashreplace").decode()
