"""A whole import: open the source, draw it, check it, compare it. For the command and the page."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from blocks.starts import FROM_WEIGHTS
from core.analyse import analyse, build
from core.analyse.report import Report
from core.analyse.run_once import DOES_NOT_RUN, run_once
from core.errors import ImportRefused
from core.importing.draw.frozen import hold
from core.importing.from_module import Imported, import_module
from core.importing.sources import NOTHING, Source, open_source
from core.importing.tracing.model_call import Given
from core.importing.verify.equivalence import Heard, Verdict, nobody, verdicts
from core.importing.weights import carried, everything, write_weights
from core.project import trust

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
    def own_python(self) -> tuple[str, ...]:
        """The texts of own Python in it."""
        return _own_texts(self.found)

    @property
    def begins(self) -> bool:
        """Whether training has to begin with these weights to be the training of this model."""
        graph = self.found.project.graph
        parts = (graph, *(part.graph for part in graph.composites.values()))
        nodes = (node for part in parts for node in part.nodes.values())
        return self.trained or any(node.settings.get("init") == FROM_WEIGHTS for node in nodes)

    def write_weights(self, path: Path) -> None:
        """Write the weights with the source's keys, whole or not at all. Raises OSError."""
        ours = without_weights(self.report)
        write_weights(path, carried(self.state, self.found.keys, ours), self.found.keys)


Drawn = Callable[[Whole], None]
"""Given the whole before it is compared, which can take long."""
Compare = Callable[[Heard], list[Verdict]]


def quiet(step: str, part: float) -> None:
    """Say nothing."""


def keep_nothing(found: Whole) -> None:
    """Wait for the whole."""


def import_whole(
    source: str | bytes, given: Given = NOTHING, pretrained: bool = False,
    name: str = "", say: Say = quiet, heads: bool = False, drawn: Drawn = keep_nothing,
    heard: Heard = nobody, specialise: bool = False, own_python: bool = False,
) -> Whole:  # fmt: skip
    """Import `torchvision:NAME`, `python:...`, `onnx:FILE`, FILE.onnx, or the bytes of one.

    given: what is said of its inputs. heads: draw what a model gives in training only, too.
    specialise: draw what the model decides by values as it goes for one sample. own_python: take
    what cannot be drawn as a block of own Python, which waits for trust in the project. Raises
    ImportRefused.
    """
    begin = time.perf_counter()
    onnx = file_of(source)
    say("Reading the file" if onnx is not None else "Making the model", 0.05)
    if onnx is not None:
        found, compare = _file(onnx, given, name, say, specialise)
    else:
        assert isinstance(source, str)
        how = {"heads": heads, "specialise": specialise, "own_python": own_python}
        found, compare = _model(source, given, pretrained, say, how)
    with trust.meanwhile(*found.own_python):
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
    source: str, given: Given, pretrained: bool, say: Say, how: Mapping[str, bool]
) -> tuple[Whole, Compare]:
    opened = _opened(source, given, pretrained)
    say("Drawing it", 0.4)
    found = import_module(
        opened.module, opened.shapes, opened.name, opened.dtypes, opened.run, **how
    )
    with trust.meanwhile(*_own_texts(found)):
        report = _checked(found, say)
    notes = (*opened.notes, *_notes(found, how["heads"]))
    state = everything(opened.module)

    def compare(heard: Heard) -> list[Verdict]:
        return verdicts(
            opened.module, without_weights(report), found.keys, opened.shapes, opened.dtypes,
            keep=False, run=opened.run, heads=len(found.heads), heard=heard,
        )  # fmt: skip

    trained = pretrained or not source.startswith("torchvision:")
    whole = Whole(opened.name, found, report, state, opened.shapes, notes, trained=trained)
    return whole, compare


def _own_texts(found: Imported) -> tuple[str, ...]:
    """Own Python of a drawing: classes that this very import runs as they stand."""
    composites = found.project.graph.composites.values()
    return tuple(part.python for part in composites if part.python)


def _notes(found: Imported, heads: bool) -> Iterator[str]:
    own = [n for n, part in found.project.graph.composites.items() if part.python]
    if own:
        yield (
            f"own Python that the project asks you to read and trust before it runs: "
            f"{', '.join(own)}"
        )
    yield from found.training
    graph = found.project.graph
    for name in graph.of_block("Input"):
        held: Any = graph.nodes[name].settings.get("static_shape")
        if held:
            said = ", ".join("any" if size is None else str(size) for size in held)
            yield f"{name} is of the sizes ({said}) only, by which the model decides"
    if found.computed:
        yield (
            f"drawn as they are now, for the original computes them before every call, which "
            f"training shows: {', '.join(found.computed)}"
        )
    if found.unregistered:
        names = ", ".join(found.unregistered[:4]) + ", ..." * (len(found.unregistered) > 4)
        yield (
            f"drawn as buffers, for the original keeps them as plain tensors, which neither move "
            f"nor are saved with it: {names}; make each a buffer there (register_buffer)"
        )
    if found.heads:
        yield f"{', '.join(found.heads)}: the original gives this in training only"
    elif heads:
        yield "there are no results in training only: nothing more was drawn"
    if found.lazy:
        more = f" and {len(found.lazy) - 1} more" * (len(found.lazy) > 1)
        yield f"lazy layers took their sizes from one sample of this shape: {found.lazy[0]}{more}"


def without_weights(report: Report) -> nn.Module:
    """The module of our source without memory, for weights that are there already."""
    with torch.device("meta"):
        return hold(build(str(report.source)), report.rates)


def _opened(source: str, given: Given, pretrained: bool) -> Source:
    """Open a source; trained weights that cannot be fetched are one sentence."""
    from urllib.error import URLError

    try:
        return open_source(source, given, pretrained)
    except (URLError, TimeoutError, ConnectionError) as error:
        raise ImportRefused(
            source, "has trained weights that could not be downloaded: no network answered.",
            "Import it with random weights, or try again with a network.",
        ) from error  # fmt: skip


def _file(
    source: Path | bytes, given: Given, name: str, say: Say, specialise: bool
) -> tuple[Whole, Compare]:
    from core.importing.onnx import open_onnx, with_bounds
    from core.importing.onnx.check import file_verdicts

    if given.call:
        raise ImportRefused(
            name or "The ONNX file", "has its inputs in its own order and its batch in front.",
            "Leave out names, --arg and --batch-dim.",
        )  # fmt: skip
    opened = with_bounds(open_onnx(source, [one.shape for one in given.inputs], name), given)
    say("Drawing it", 0.4)
    found = import_module(
        opened.module, opened.shapes, opened.name, opened.dtypes, specialise=specialise
    )
    report = _checked(found, say)
    fixed = tuple(f"decided by the sample: {line}" for line in opened.module.plan.fixed)
    notes, state = (*opened.notes, *fixed), everything(opened.module)

    def compare(heard: Heard) -> list[Verdict]:
        return file_verdicts(opened, without_weights(report), found.keys, heard)

    return Whole(opened.name, found, report, state, opened.shapes, notes), compare


def _checked(found: Imported, say: Say) -> Report:
    """Check the drawing. Raises ImportRefused where it has an error."""
    say("Checking every shape", 0.8)
    report = run_once(analyse(found.project.graph, found.project.name))
    if report.source is None:
        first = report.errors[0]
        place = first.node or found.project.name
        ours = first.code == DOES_NOT_RUN
        what = "cannot be written as source" if ours else "has an error in the drawing"
        raise ImportRefused(place, f"{what}: {first.message}", first.hint)
    return report
