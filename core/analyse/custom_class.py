"""Load the class of a block of own Python, through the same audit as any source."""

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


class CustomClassError(Exception):
    """What own Python raised: line in its text (0 if unknown), and message."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.text = line, message


def custom_class(code: str) -> Mapping[str, type]:
    """The classes of a text by name. Raises AuditError unless this user has trusted exactly this
    text."""
    module = loaded(_source(code))
    return {name: getattr(module, name) for name in classes_in(code)}


@lru_cache(64)
def _source(code: str) -> str:
    names = {"torchvision"} if "torchvision" in code else set[str]()
    lines = [line for line in HEAD.split("\n") if "torchvision" not in line or names]
    return "\n".join([*lines, "", code, ""])


@contextlib.contextmanager
def raising_custom_errors(code: str) -> Generator[None]:
    """Convert all that own Python raises to CustomClassError; what it prints goes to standard
    error.

    A KeyboardInterrupt from outside of the class is the user's, and is raised as it is.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except BaseException as error:
        line = _line(error, code)
        if isinstance(error, KeyboardInterrupt) and not line:
            raise
        raise CustomClassError(line, _message(error)) from error


def _line(error: BaseException, code: str) -> int:
    """The last line of the class in the traceback; for a syntax error its own."""
    source = _source(code)
    head = source[: source.index(code)].count("\n")
    own_lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if _is_own(f.filename)]
    lines = [line - head for line in own_lines if line is not None and line > head]
    return lines[-1] if lines else 0


def _is_own(filename: str) -> bool:
    return filename.startswith("<layerloom_model_")


def _message(error: BaseException) -> str:
    lines = _text(error).strip().splitlines()
    text = lines[0] if lines else ""
    kind = type(error).__name__
    return text if isinstance(error, RuntimeError) and text else f"{kind}: {text}".rstrip(": ")


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException as fault:  # an error class of its own: its text is that of the user's code
        text = f"its message cannot be shown, as that raises {type(fault).__name__}"
    return text.encode("utf-8", "backslashreplace").decode()
