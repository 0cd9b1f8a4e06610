"""A whole import, for the command and the page: open the source, draw it, check it, compare it."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from blocks.initializers import FROM_WEIGHTS
from core.analyse import analyse, build
from core.analyse.report import Report
from core.analyse.run_once import DOES_NOT_RUN, run_once
from core.common.errors import ImportRefused
from core.engine.weights_file import write_weights
from core.files import trust
from core.wings.importing.draw.frozen import apply_frozen
from core.wings.importing.from_module import ImportedModel, import_module
from core.wings.importing.sources import NOTHING, ModelSource, open_source
from core.wings.importing.tracing.input_hints import other_dtype
from core.wings.importing.tracing.model_call import InputSpec
from core.wings.importing.verify.equivalence import (
    OnVerdict,
    OutputComparison,
    ignore_verdict,
    verdicts,
)
from core.wings.importing.weights import full_state, mapped_state

Shape = tuple[int, ...]
OnProgress = Callable[[str, float], None]
"""Receives the current step, and the share of the work done, 0 to 1."""


@dataclass(frozen=True)
class ImportResult:
    """The result of an import. shapes: of one sample per input. notes: what differs, for people.

    state: the original's weights; empty after the comparison, which perturbs them. verdicts: empty
    before the comparison. trained: whether the weights are, or may be, more than random.
    """

    name: str
    imported: ImportedModel
    report: Report
    state: dict[str, Tensor]
    shapes: tuple[Shape, ...]
    notes: tuple[str, ...] = ()
    verdicts: tuple[OutputComparison, ...] = ()
    seconds: float = 0.0
    trained: bool = True

    @property
    def own_python(self) -> tuple[str, ...]:
        """The source texts of its custom blocks."""
        return _own_texts(self.imported)

    @property
    def starts_from_weights(self) -> bool:
        """Whether training has to start from these weights to be the training of this model."""
        graph = self.imported.project.graph
        parts = (graph, *(part.graph for part in graph.composites.values()))
        nodes = (node for part in parts for node in part.nodes.values())
        return self.trained or any(node.settings.get("init") == FROM_WEIGHTS for node in nodes)

    def write_weights(self, path: Path) -> None:
        """Write the weights with the source's keys, atomically. Raises OSError."""
        ours = build_on_meta(self.report)
        write_weights(path, mapped_state(self.state, self.imported.keys, ours), self.imported.keys)


OnDrawn = Callable[[ImportResult], None]
"""Given the whole before it is compared, which can take long."""
Compare = Callable[[OnVerdict], list[OutputComparison]]


def no_progress(step: str, part: float) -> None:
    """The default: progress is not reported."""


def ignore_result(result: ImportResult) -> None:
    """The default: the result is only returned at the end."""


def import_model(
    source: str | bytes,
    inputs: InputSpec = NOTHING,
    pretrained: bool = False,
    name: str = "",
    on_progress: OnProgress = no_progress,
    heads: bool = False,
    on_drawn: OnDrawn = ignore_result,
    on_verdict: OnVerdict = ignore_verdict,
    specialise: bool = False,
    own_python: bool = False,
    keep_unused: bool = False,
) -> ImportResult:
    """Import what `open_source` opens, `onnx:FILE`, FILE.onnx, or the bytes of one.

    inputs: what the user states of them. heads: draw results of training mode, too. specialise:
    draw data-dependent control flow as it went for one sample. own_python: import classes that
    cannot be drawn as blocks of own Python, which wait for trust in the project.
    keep_unused: draw the layers that forward does not call, too. Raises ImportRefused.
    """
    begin = time.perf_counter()
    onnx = file_of(source)
    on_progress("Reading the file" if onnx is not None else "Creating the model", 0.05)
    if onnx is not None:
        result, compare = _from_onnx(onnx, inputs, name, on_progress, specialise)
    else:
        assert isinstance(source, str)
        how = {
            "heads": heads,
            "specialise": specialise,
            "own_python": own_python,
            "keep_unused": keep_unused,
        }
        result, compare = _from_torch(source, inputs, pretrained, on_progress, how)
    with trust.meanwhile(*result.own_python):
        on_drawn(result)
        judged = compare(on_verdict)
    return replace(result, state={}, verdicts=tuple(judged), seconds=time.perf_counter() - begin)


def file_of(source: str | bytes) -> Path | bytes | None:
    """The ONNX file that a source names; None if it names something else."""
    if isinstance(source, bytes):
        return source
    if source.startswith("onnx:") or source.lower().endswith(".onnx"):
        return Path(source.removeprefix("onnx:"))
    return None


def _from_torch(
    source: str,
    inputs: InputSpec,
    pretrained: bool,
    on_progress: OnProgress,
    options: Mapping[str, bool],
) -> tuple[ImportResult, Compare]:
    opened = _open_source(source, inputs, pretrained)
    on_progress("Drawing it", 0.4)
    imported = import_module(
        opened.module, opened.shapes, opened.name, opened.dtypes, opened.run, **options
    )
    with trust.meanwhile(*_own_texts(imported)):
        report = _check_drawing(imported, on_progress, other_dtype(opened.module))
    notes = (*opened.notes, *_notes(imported, options["heads"]))
    state = full_state(opened.module)

    def compare(on_verdict: OnVerdict) -> list[OutputComparison]:
        return verdicts(
            opened.module,
            build_on_meta(report),
            imported.keys,
            opened.shapes,
            opened.dtypes,
            keep=False,
            run=opened.run,
            heads=len(imported.heads),
            on_verdict=on_verdict,
        )

    result = ImportResult(
        opened.name, imported, report, state, opened.shapes, notes, trained=opened.trained
    )
    return result, compare


def _own_texts(imported: ImportedModel) -> tuple[str, ...]:
    """Sources of custom blocks: classes that this very import runs as they are."""
    composites = imported.project.graph.composites.values()
    return tuple(part.python for part in composites if part.python)


def _notes(imported: ImportedModel, heads: bool) -> Iterator[str]:
    own = [n for n, part in imported.project.graph.composites.items() if part.python]
    if own:
        yield (f"custom Python; read and trust it before the project can run: {', '.join(own)}")
    yield from imported.training
    yield from imported.hidden
    graph = imported.project.graph
    for name in graph.of_block("Input"):
        held: Any = graph.nodes[name].settings.get("static_shape")
        if held:
            sizes = ", ".join("any" if size is None else str(size) for size in held)
            yield f"{name} is of the sizes ({sizes}) only, by which the model decides"
    if imported.computed:
        yield (
            f"drawn with their current values, but the original computes them before every call, "
            f"which matters in training: {', '.join(imported.computed)}"
        )
    if imported.unregistered:
        names = ", ".join(imported.unregistered[:4]) + ", ..." * (len(imported.unregistered) > 4)
        yield (
            f"drawn as buffers, but plain tensors in the original, which are neither moved nor "
            f"saved with it: {names}; make each a buffer there (register_buffer)"
        )
    if imported.heads:
        yield f"{', '.join(imported.heads)}: the original gives this in training only"
    elif heads:
        yield "no outputs occur in training only, so nothing was added"
    if imported.lazy:
        more = f" and {len(imported.lazy) - 1} more" * (len(imported.lazy) > 1)
        first = f"{imported.lazy[0]}{more}"
        yield f"lazy layers took their sizes from one sample of this shape: {first}"
    if imported.made:
        yield (
            "made by the original in its first call, here for one sample of this shape: "
            f"{', '.join(imported.made)}"
        )


def build_on_meta(report: Report) -> nn.Module:
    """The module of our source on the meta device, to be given weights."""
    with torch.device("meta"):
        return apply_frozen(build(str(report.source)), report.rates)


def _open_source(source: str, inputs: InputSpec, pretrained: bool) -> ModelSource:
    """Open a source. Raises ImportRefused if its trained weights cannot be downloaded."""
    from urllib.error import URLError

    try:
        return open_source(source, inputs, pretrained)
    except (URLError, TimeoutError, ConnectionError) as error:
        raise ImportRefused(
            source,
            "has trained weights that could not be downloaded: there is no network connection.",
            "Import it with random weights, or try again with a connection.",
        ) from error


def _from_onnx(
    source: Path | bytes, inputs: InputSpec, name: str, on_progress: OnProgress, specialise: bool
) -> tuple[ImportResult, Compare]:
    from core.wings.importing.onnx import open_onnx, with_bounds
    from core.wings.importing.onnx.check import file_verdicts

    if inputs.call:
        raise ImportRefused(
            name or "The ONNX file",
            "has its inputs in its own order and its batch in front.",
            "Leave out names, --arg and --batch-dim.",
        )
    opened = with_bounds(open_onnx(source, [one.shape for one in inputs.inputs], name), inputs)
    on_progress("Drawing it", 0.4)
    imported = import_module(
        opened.module, opened.shapes, opened.name, opened.dtypes, specialise=specialise
    )
    report = _check_drawing(imported, on_progress)
    fixed = tuple(f"decided by the sample: {line}" for line in opened.module.plan.fixed)
    notes, state = (*opened.notes, *fixed), full_state(opened.module)

    def compare(on_verdict: OnVerdict) -> list[OutputComparison]:
        return file_verdicts(opened, build_on_meta(report), imported.keys, on_verdict)

    return ImportResult(opened.name, imported, report, state, opened.shapes, notes), compare


def _check_drawing(imported: ImportedModel, on_progress: OnProgress, dtype: str = "") -> Report:
    """Analyse the drawing. dtype: of the model's weights, where that is not float32.

    Raises ImportRefused if it has an error.
    """
    on_progress("Checking every shape", 0.8)
    report = run_once(analyse(imported.project.graph, imported.project.name))
    if report.source is None:
        first = report.errors[0]
        location = first.node or imported.project.name
        if dtype:
            raise ImportRefused(
                location,
                f"has weights of {dtype}, and a drawing has weights of float32.",
                f"Import model.float(), and let forward cast nothing to {dtype}.",
            )
        ours = first.code == DOES_NOT_RUN
        reason = "cannot be written as source" if ours else "has an error in the drawing"
        raise ImportRefused(location, f"{reason}: {first.message}", first.hint)
    return report
