"""Run tries: each one compresses the network, is measured, and becomes a row on disk."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.errors import LayerloomError
from core.export.onnx_low_precision import calibration
from core.export.subject import Subject, subject_of
from core.project import write_text
from core.project.model import ENDING
from core.runs import checkpoint
from core.runs.files import take_lock
from core.settings.init_weights import beginning_with
from core.shrink import files
from core.shrink.catalogue import Try
from core.shrink.drawings import NETWORK, SAMPLES, WEIGHTS, weights_of
from core.shrink.files import ORIGINAL, Progress
from core.shrink.measure import measured, peak_of
from core.shrink.rows import REFUSED, Row
from core.shrink.way import EXTRA, Refused, Shrunk, Tell, Way

BUSY_S = 0.5


def shrink(
    run: Path, tries: Sequence[Try], on_progress: Callable[[Progress], None] = lambda progress: None
) -> Iterator[Row]:
    """Make and measure each try of a run; yields the rows, that of the network as it is first.

    on_progress: hears how far it is, as the run's folder does. Raises Refused where another process
    is at it, ExportError and RunError for a run whose network cannot be loaded.
    """
    subject, weights = subject_of(run), stamp(run)
    with alone(run):
        known = {row.name for row in files.rows(run, weights)}

        def tell(name: str, at: int, doing: str) -> None:
            progress = Progress(name, at, len(tries), doing)
            files.tell(run, progress)
            on_progress(progress)

        if ORIGINAL not in known:
            tell(ORIGINAL, 0, "measuring the original network")
            yield _original(run, subject, weights)
        for at, one in enumerate(tries, 1):
            hear = _tell_for(tell, one.name, at)
            hear("compressing")
            yield _try(run, subject, one, weights, hear)


def _tell_for(tell: Callable[[str, int, str], None], name: str, at: int) -> Tell:
    """The progress of a method, with its try."""
    return lambda doing: tell(name, at, doing)


def stamp(run: Path) -> str:
    """What names the weights that a row was made from."""
    status = checkpoint.path_of(run, "best").stat()
    return f"{status.st_mtime_ns}-{status.st_size}"


@contextmanager
def alone(run: Path) -> Iterator[None]:
    """Hold the run's lock. Raises Refused where another process does, or nothing can be written."""
    try:
        files.forget_stop(run)
        lock = take_lock(files.folder_of(run) / files.LOCK, BUSY_S)
    except OSError as error:
        message = f"{files.folder_of(run)} cannot be written: {error.strerror}."
        raise Refused(message, "Choose a run in a folder that you can write to.") from error
    if lock is None:
        raise Refused(
            f"{run.name} is being compressed by another process.", "Wait for it, or stop it."
        )
    try:
        files.clear(run)
        yield
    finally:
        lock.close()


def _original(run: Path, subject: Subject, weights: str) -> Row:
    """Keep and measure the network as it is."""
    from safetensors.torch import save

    content = save(weights_of(subject))
    row = Row(ORIGINAL, ORIGINAL, params=_params(subject), size_bytes=len(content), file=WEIGHTS,
              weights=weights)  # fmt: skip
    samples = calibration(subject) or subject.sample(8)
    beside = {
        NETWORK: subject.source.encode(),
        WEIGHTS: content,
        SAMPLES: save({n: s.contiguous() for n, s in zip(subject.inputs, samples, strict=True)}),
    }
    project = subject.opened.project if subject.opened else None
    if project:
        beside[f"network{ENDING}"] = write_text(project).encode()
    with files.making(run, ORIGINAL) as folder:
        files.write_try(folder, row, "", beside)
        row = replace(measured(row, subject, subject.module, compared=False), changed=None)
        row = replace(row, peak_bytes=peak_of(run, folder / f"network{ENDING}"))
        files.write_try(folder, row, "", {})
    return row


def _params(subject: Subject) -> int:
    return sum(weight.numel() for weight in subject.module.parameters())


def _try(run: Path, subject: Subject, one: Try, weights: str, tell: Tell) -> Row:
    """Make one try and keep its row; a refusal is a row, too."""
    row = Row(one.name, one.way.name, one.asked.amount, one.asked.epochs, weights=weights)
    began = time.perf_counter()
    try:
        check_packages(one.way)
        made = one.way.make(subject, one.asked, tell)
    except LayerloomError as error:
        row = replace(row, state=REFUSED, reason=error.message, hint=error.hint)
        with files.making(run, one.name) as folder:
            files.write_try(folder, row, "", {})
        return row
    with files.making(run, one.name) as folder:
        contents = _contents(one, made)
        row = _sized(row, one, made, contents)
        files.write_try(folder, row, made.lines, contents)
        tell("measuring")
        row = measured(row, subject, made.run, made.compared)
        row = replace(row, peak_bytes=peak_of(run, folder / (row.drawing or row.file)),
                      seconds=round(time.perf_counter() - began, 1))  # fmt: skip
        files.write_try(folder, row, made.lines, {})
    return row


def check_packages(way: Way) -> None:
    """Check that a method's packages are installed. Raises Refused."""
    if way.missing:
        message = f"{way.title} needs {way.missing.replace('_', '-')}, which is not installed."
        raise Refused(message, f"`{EXTRA}` installs it.")


def _contents(one: Try, made: Shrunk) -> dict[str, bytes]:
    """The files of a try, by name: a drawing with its weights beside it, or one file."""
    if made.project is None:
        return {f"{one.name}{one.way.ending}": made.content}
    from safetensors.torch import save

    weights = {k: v.detach().contiguous().clone() for k, v in made.weights.items()}
    file = f"{one.name}.safetensors"
    text = write_text(beginning_with(made.project, file))
    return {f"{one.name}{ENDING}": text.encode(), file: save(weights)}


def _sized(row: Row, one: Try, made: Shrunk, contents: dict[str, bytes]) -> Row:
    """The row with its files and their size."""
    drawing, file = "", f"{one.name}{one.way.ending}"
    params = _params_of(made)
    if made.project is not None:
        drawing, file = f"{one.name}{ENDING}", f"{one.name}.safetensors"
    return replace(row, drawing=drawing, file=file, size_bytes=len(contents[file]),
                   notes=made.notes, params=params)  # fmt: skip


def _params_of(made: Shrunk) -> int:
    """How many weights a drawing has; 0 for a file, which does not tell."""
    from torch import nn

    if made.project is None or not isinstance(made.run, nn.Module):
        return 0
    return sum(weight.numel() for weight in made.run.parameters())
