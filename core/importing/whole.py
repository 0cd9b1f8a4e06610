"""A whole import: open the source, draw it, check it, compare it. For the command and the page."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from blocks.starts import FROM_WEIGHTS
from core.analyse import analyse, build
from core.analyse.report import Report
from core.importing import Imported, import_module
from core.importing.errors import ImportRefused
from core.importing.sources import open_source
from core.importing.verdicts import Heard, Verdict, nobody, verdicts
from core.importing.weights import everything, write_weights

Shape = tuple[int, ...]
Say = Callable[[str, float], None]
"""Told what is being done, and the part of the work behind it, 0 to 1."""


@dataclass(frozen=True)
class Whole:
    """What came of an import. shapes: of one sample per input. notes: what is otherwise.

    state: the original's weights, gone when it was compared, for that is done on other ones.
    judged: the verdicts, none yet while it is only drawn. trained: the weights are more than
    chance, or may be.
    """

    name: str
    found: Imported
    report: Report
    state: dict[str, Tensor]
    shapes: tuple[Shape, ...]
    notes: tuple[str, ...] = ()
    judged: tuple[Verdict, ...] = ()
    seconds: float = 0.0
    trained: bool = True

    @property
    def begins(self) -> bool:
        """Whether training has to begin with these weights to be the training of this model."""
        graph = self.found.project.graph
        parts = (graph, *(part.graph for part in graph.composites.values()))
        nodes = (node for part in parts for node in part.nodes.values())
        return self.trained or any(node.settings.get("init") == FROM_WEIGHTS for node in nodes)

    def write_weights(self, path: Path) -> None:
        """Write the weights with the source's keys."""
        write_weights(path, self.state, self.found.keys)


Drawn = Callable[[Whole], None]
"""Given the whole before it is compared, which can take long."""
Compare = Callable[[Heard], list[Verdict]]


def quiet(step: str, part: float) -> None:
    """Say nothing."""


def keep_nothing(found: Whole) -> None:
    """Wait for the whole."""


def import_whole(
    source: str | bytes, shapes: Sequence[Shape] = (), pretrained: bool = False,
    name: str = "", say: Say = quiet, heads: bool = False, drawn: Drawn = keep_nothing,
    heard: Heard = nobody,
) -> Whole:  # fmt: skip
    """Import `torchvision:NAME`, `python:...`, `onnx:FILE`, FILE.onnx, or the bytes of one.

    heads: draw what a model gives in training only, too. Raises ImportRefused.
    """
    begin = time.perf_counter()
    onnx = file_of(source)
    say("Reading the file" if onnx is not None else "Making the model", 0.05)
    if onnx is not None:
        found, compare = _file(onnx, shapes, name, say)
    else:
        assert isinstance(source, str)
        found, compare = _model(source, shapes, pretrained, say, heads)
    drawn(found)
    judged = compare(heard)
    return replace(found, state={}, judged=tuple(judged), seconds=time.perf_counter() - begin)


def file_of(source: str | bytes) -> Path | bytes | None:
    """The ONNX file that a source names; None if it names something else."""
    if isinstance(source, bytes):
        return source
    if source.startswith("onnx:") or source.lower().endswith(".onnx"):
        return Path(source.removeprefix("onnx:"))
    return None


def _model(
    source: str, shapes: Sequence[Shape], pretrained: bool, say: Say, heads: bool
) -> tuple[Whole, Compare]:
    opened = _opened(source, shapes, pretrained)
    say("Drawing it", 0.4)
    found = import_module(opened.module, opened.shapes, opened.name, run=opened.run, heads=heads)
    report = _checked(found, say)
    notes = tuple(_notes(found, heads))
    state = everything(opened.module)

    def compare(heard: Heard) -> list[Verdict]:
        return verdicts(
            opened.module, without_weights(report), found.keys, opened.shapes, keep=False,
            run=opened.run, heads=len(found.heads), heard=heard,
        )  # fmt: skip

    trained = pretrained or not source.startswith("torchvision:")
    whole = Whole(opened.name, found, report, state, opened.shapes, notes, trained=trained)
    return whole, compare


def _notes(found: Imported, heads: bool) -> Iterator[str]:
    if found.heads:
        yield f"{', '.join(found.heads)}: the original gives this in training only"
    elif heads:
        yield "there are no results in training only: nothing more was drawn"


def without_weights(report: Report) -> nn.Module:
    """The module of our source without memory, for weights that are there already."""
    with torch.device("meta"):
        return build(str(report.source))


def _opened(source: str, shapes: Sequence[Shape], pretrained: bool) -> Any:
    """Open a source; trained weights that cannot be fetched are one sentence."""
    from urllib.error import URLError

    try:
        return open_source(source, shapes, pretrained)
    except (URLError, TimeoutError, ConnectionError) as error:
        raise ImportRefused(
            source, "has trained weights that could not be downloaded: no network answered.",
            "Import it with random weights, or try again with a network.",
        ) from error  # fmt: skip


def _file(
    source: Path | bytes, shapes: Sequence[Shape], name: str, say: Say
) -> tuple[Whole, Compare]:
    from core.importing.onnx import open_onnx
    from core.importing.onnx.against import file_verdicts

    opened = open_onnx(source, shapes, name)
    say("Drawing it", 0.4)
    found = import_module(opened.module, opened.shapes, opened.name, opened.dtypes)
    report = _checked(found, say)
    fixed = tuple(f"decided by the sample: {line}" for line in opened.module.plan.fixed)
    notes, state = (*opened.notes, *fixed), everything(opened.module)

    def compare(heard: Heard) -> list[Verdict]:
        return file_verdicts(opened, without_weights(report), found.keys, heard)

    return Whole(opened.name, found, report, state, opened.shapes, notes), compare


def _checked(found: Imported, say: Say) -> Report:
    """Check the drawing. Raises ImportRefused where it has an error."""
    say("Checking every shape", 0.8)
    report = analyse(found.project.graph, found.project.name)
    if report.source is None:
        first = report.errors[0]
        raise ImportRefused(first.node, f"has an error in the drawing: {first.message}", first.hint)
    return report
