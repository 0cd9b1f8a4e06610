"""Run tries: each one compresses the network, is measured, and becomes a row on disk."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from core.common.errors import LayerloomError
from core.export.onnx_low_precision import calibration
from core.export.subject import Subject, subject_of
from core.project import write_text
from core.project.model import ENDING
from core.runs import checkpoint, full_disk
from core.runs.files import take_lock
from core.settings.init_weights import beginning_with
from core.wings.shrink import files
from core.wings.shrink.catalogue import Try
from core.wings.shrink.drawings import NETWORK, SAMPLES, WEIGHTS, weights_of
from core.wings.shrink.files import ORIGINAL, ShrinkProgress
from core.wings.shrink.measure import measure_peak_memory, measure_row
from core.wings.shrink.rows import REFUSED, Row
from core.wings.shrink.stopping import busy
from core.wings.shrink.way import EXTRA, ReportStep, ShrinkError, SmallerNetwork, Way

BUSY_S = 0.5


def shrink(
    run: Path,
    tries: Sequence[Try],
    on_progress: Callable[[ShrinkProgress], None] = lambda progress: None,
) -> Iterator[Row]:
    """Make and measure each try of a run; yields the rows, that of the network as it is first.

    on_progress: called with each step, which the run's folder stores too. Raises ShrinkError if
    another process compresses this run, ExportError and RunError if its network cannot be loaded.
    """
    subject, weights = subject_of(run), stamp(run)
    with hold_lock(run):
        known = {row.name for row in files.rows(run, weights)}

        def report(name: str, at: int, doing: str) -> None:
            progress = ShrinkProgress(name, at, len(tries), doing)
            files.write_progress(run, progress)
            on_progress(progress)

        if ORIGINAL not in known:
            report(ORIGINAL, 0, "measuring the original network")
            yield _original(run, subject, weights)
        for at, one in enumerate(tries, 1):
            on_step = _step_reporter(report, one.name, at)
            on_step("compressing")
            yield _try(run, subject, one, weights, on_step)


def _step_reporter(report: Callable[[str, int, str], None], name: str, at: int) -> ReportStep:
    """The progress of a method, with its try."""
    return lambda doing: report(name, at, doing)


def stamp(run: Path) -> str:
    """An id of the weights that a row was made from."""
    status = checkpoint.path_of(run, "best").stat()
    return f"{status.st_mtime_ns}-{status.st_size}"


@contextmanager
def hold_lock(run: Path) -> Iterator[None]:
    """Hold the run's lock. Raises ShrinkError if another process does or nothing can be written."""
    try:
        files.folder_of(run).mkdir(exist_ok=True)
        path = files.folder_of(run) / files.LOCK
        lock = _lock_of(path) or _lock_of(path)
    except OSError as error:
        raise ShrinkError(*files.unwritable(run, error)) from error
    if lock is None:
        raise ShrinkError(*busy(run))
    try:
        files.delete_unfinished(run)
        yield
    except OSError as error:
        if full_disk.is_full(error):
            raise ShrinkError(*files.unwritable(run, error)) from error
        raise
    finally:
        path.unlink(missing_ok=True)  # while it is ours
        lock.close()


def _lock_of(path: Path) -> IO[bytes] | None:
    """The lock; None where another process has it, or had this file, which is gone now."""
    lock = take_lock(path, BUSY_S)
    if lock is not None:
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                return lock
        lock.close()
    return None


def _original(run: Path, subject: Subject, weights: str) -> Row:
    """Keep and measure the network as it is."""
    from safetensors.torch import save

    content = save(weights_of(subject))
    row = Row(
        ORIGINAL,
        ORIGINAL,
        params=_params(subject),
        size_bytes=len(content),
        file=WEIGHTS,
        weights=weights,
    )
    samples = calibration(subject) or subject.sample(8)
    beside = {
        NETWORK: subject.source.encode(),
        WEIGHTS: content,
        SAMPLES: save({n: s.contiguous() for n, s in zip(subject.inputs, samples, strict=True)}),
    }
    project = subject.opened.project if subject.opened else None
    if project:
        beside[f"network{ENDING}"] = write_text(project).encode()
    with files.new_try_folder(run, ORIGINAL) as folder:
        files.write_try(folder, row, "", beside)
        row = replace(measure_row(row, subject, subject.module, compared=False), changed=None)
        row = replace(row, peak_bytes=measure_peak_memory(run, folder / f"network{ENDING}"))
        files.write_try(folder, row, "", {})
    return row


def _params(subject: Subject) -> int:
    return sum(weight.numel() for weight in subject.module.parameters())


def _try(run: Path, subject: Subject, one: Try, weights: str, on_step: ReportStep) -> Row:
    """Make one try and keep its row; a refusal is a row, too."""
    row = Row(one.name, one.way.name, one.options.amount, one.options.epochs, weights=weights)
    began = time.perf_counter()
    try:
        check_packages(one.way)
        made = one.way.make(subject, one.options, on_step)
    except LayerloomError as error:
        row = replace(row, state=REFUSED, reason=error.message, hint=error.hint)
        with files.new_try_folder(run, one.name) as folder:
            files.write_try(folder, row, "", {})
        return row
    with files.new_try_folder(run, one.name) as folder:
        contents = _contents(one, made)
        row = _sized(row, one, made, contents)
        files.write_try(folder, row, made.lines, contents)
        on_step("measuring")
        row = measure_row(row, subject, made.run, made.compared)
        row = replace(
            row,
            peak_bytes=measure_peak_memory(run, folder / (row.drawing or row.file)),
            seconds=round(time.perf_counter() - began, 1),
        )
        files.write_try(folder, row, made.lines, {})
    return row


def check_packages(way: Way) -> None:
    """Check that a method's packages are installed. Raises ShrinkError."""
    if way.missing:
        message = f"{way.title} needs {way.missing.replace('_', '-')}, which is not installed."
        raise ShrinkError(message, f"`{EXTRA}` installs it.")


def _contents(one: Try, made: SmallerNetwork) -> dict[str, bytes]:
    """The files of a try, by name: a drawing with its weights beside it, or one file."""
    if made.project is None:
        return {f"{one.name}{one.way.ending}": made.content}
    from safetensors.torch import save

    weights = {k: v.detach().contiguous().clone() for k, v in made.weights.items()}
    file = f"{one.name}.safetensors"
    text = write_text(beginning_with(made.project, file))
    return {f"{one.name}{ENDING}": text.encode(), file: save(weights)}


def _sized(row: Row, one: Try, made: SmallerNetwork, contents: dict[str, bytes]) -> Row:
    """The row with its files and their size."""
    drawing, file = "", f"{one.name}{one.way.ending}"
    params = _params_of(made)
    if made.project is not None:
        drawing, file = f"{one.name}{ENDING}", f"{one.name}.safetensors"
    return replace(
        row,
        drawing=drawing,
        file=file,
        size_bytes=len(contents[file]),
        notes=made.notes,
        params=params,
    )


def _params_of(made: SmallerNetwork) -> int:
    """How many weights a drawing has; 0 for a file, which does not store it."""
    from torch import nn

    if made.project is None or not isinstance(made.run, nn.Module):
        return 0
    return sum(weight.numel() for weight in made.run.parameters())
