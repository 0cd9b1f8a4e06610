"""Run the generated source once: what has no error in the drawing must run.

On the meta device, which computes nothing, else on a few real values. A failure is a bug of our
writer, and is reported as one.
"""

import ast
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from traceback import extract_tb

import torch
from torch import nn

from blocks import Signature
from core.analyse.build import build
from core.analyse.meta_values import with_meta_values
from core.analyse.probe import BATCHES
from core.analyse.report import Finding, Report, size
from core.source.audit import AuditError, own_classes

LARGEST = 50_000_000
"""Parameters that may be made in memory, where the meta device does not do."""
DOES_NOT_RUN = "source_does_not_run"
"""The code of the error."""
WRITTEN = (SyntaxError, NameError, AuditError)
"""Errors that no other values mend."""
Inputs = tuple[Signature, ...]


def run_once(report: Report) -> Report:
    """The report, with an error where the source it comes with does not run.

    Nothing is said of a drawing that has errors of its own.
    """
    if report.source is None:
        return report
    inputs = tuple(signature for _, signature in report.inputs)
    few = report.total_params <= LARGEST
    fault = _fault(report.source, report.class_name, inputs, few, _is_sized(report))
    if fault is None:
        return report
    errors = (*report.errors, _finding(report, *fault))
    return replace(report, ok=False, errors=errors, source=None, lines={})


def _is_sized(report: Report) -> bool:
    """Whether no size depends on the data, so that any values do."""
    return all(
        None not in signature.shape
        for node in report.nodes.values()
        for signature in node.outputs.values()
    )


def _finding(report: Report, line: int, error: str) -> Finding:
    node = next((path for path, lines in report.lines.items() if line in lines), "")
    where = f"line {line}: {error}" if line else error
    subject = f"{node} has no error, but the source" if node else "The source"
    return Finding(
        node, DOES_NOT_RUN,
        f"{subject} that Layerloom wrote does not run ({where}). "
        "This is a fault of Layerloom, not of the drawing.",
        "Please report it with the project file. Other settings, or other blocks that do the same, "
        "may help until it is mended.",
    )  # fmt: skip


@lru_cache(maxsize=256)
def _fault(
    source: str, class_name: str, inputs: Inputs, few: bool, sized: bool
) -> tuple[int, str] | None:
    """The line and what torch or Python says of it; None if the source runs."""
    try:
        with _undisturbed():
            _run(source, class_name, inputs, "meta", BATCHES[0])
    except Exception as error:  # torch and own classes raise anything; the next run decides
        if isinstance(error, WRITTEN):
            return _described(error, source)
    else:
        return None
    if not few:
        return None  # it was built; to run it takes more memory than a check may
    try:
        with _undisturbed():
            _run(source, class_name, inputs, "cpu", 2)
    except WRITTEN as error:
        return _described(error, source)
    except Exception as error:
        # an own class may refuse the values, and so may what counts them
        return _described(error, source) if sized else None
    return None


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Leave the random numbers, and the warnings that training tells, to others."""
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]), torch.no_grad():
        warnings.simplefilter("ignore")
        yield


def _run(source: str, class_name: str, inputs: Inputs, device: str, batch: int) -> None:
    with torch.device(device):
        module: nn.Module = build(source, class_name).eval()
        values = [_values(signature, batch) for signature in inputs]
        if _own(source):
            module(*values)
        else:
            with_meta_values(lambda: module(*values))


def _values(signature: Signature, batch: int) -> torch.Tensor:
    """Numbers that every layer takes: small ones, and the first place of every table."""
    shape, dtype = size(signature, batch), getattr(torch, signature.dtype)
    if dtype == torch.bool:
        return torch.ones(shape, dtype=dtype)
    return (
        torch.rand(shape, dtype=dtype)
        if dtype.is_floating_point
        else torch.zeros(shape, dtype=dtype)
    )


def _own(source: str) -> list[ast.ClassDef]:
    try:
        return own_classes(ast.parse(source), source)
    except SyntaxError:
        return []


def _described(error: Exception, source: str) -> tuple[int, str] | None:
    """The line of the source and the error; None where a class of the project's own raised it."""
    own = [range(c.lineno, (c.end_lineno or 0) + 1) for c in _own(source)]
    frames = [f for f in extract_tb(error.__traceback__) if f.filename.startswith("<layerloom_")]
    line = frames[-1].lineno or 0 if frames else 0
    if isinstance(error, SyntaxError):
        line = error.lineno or 0
    if any(line in lines for lines in own):
        return None
    text = str(error).strip().split("\n")[0]
    return line, f"{type(error).__name__}: {text}" if text else type(error).__name__
