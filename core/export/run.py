"""Run an export: load, convert, compare, write."""

import os
import tempfile
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.common.errors import RunError
from core.common.network_ref import NetworkRef
from core.data import DataError
from core.export.agreement import FileFails, OutputsDiffer
from core.export.batch_failures import refuse_failing_batches
from core.export.failing_blocks import Make, failing_blocks, named
from core.export.figure_style import FigureStyle
from core.export.formats import ALIASES, FIGURES, FORMATS
from core.export.needs import missing
from core.export.operators import note_on_operators
from core.export.parity import DRAWS, draws
from core.export.quality import quality
from core.export.result import CannotHold, ExportError, ExportResult
from core.export.subject import Source, Subject, subject_at, subject_of
from core.files.safe_path import discard
from core.graph.python_sizes import KEPT_SIZES, LARGEST, untried
from core.graph.value_branches import KEPT
from core.insight.load_model import NotReady, allowed
from core.runs import full_disk


def export(
    source: Source,
    format: str,  # noqa: A002
    out: str | Path,
    look: FigureStyle | None = None,
    weights: Path | None = None,
    where: tuple[Path, Path | None] | None = None,
    which: str = "best",
) -> ExportResult:
    """Write a trained run (its best weights) or a project to `out`. look: of a figure.

    which: another checkpoint of a run.
    weights: what was imported with a project, a safetensors file. where: of a project, the folders
    of the runs and of its file, for the weights that its training script begins with.
    Every export is compared with the eager model over real samples where there are any. The file
    appears whole or not at all. Raises ExportError.
    """
    subject = replace(subject_of(source, weights, which), where=where)
    return export_subject(subject, format, Path(out), look)


def export_subject(
    subject: Subject, name: str, out: Path, look: FigureStyle | None = None
) -> ExportResult:
    """Write one format of what `subject_of` loaded, so that several need one loading."""
    name = ALIASES.get(name, name)
    if name not in FORMATS:
        raise ExportError(
            f"The format needs to be one of {', '.join(FORMATS)} but is {name}.",
            "Choose one of these.",
        )
    sentence, install = missing(FORMATS[name])
    if sentence:
        raise ExportError(sentence, install)
    if FORMATS[name].weights and FORMATS[name].converts:
        refuse_failing_batches(subject.module, subject.sample)
    needed = note_on_operators(subject.module, FORMATS[name])
    make = FORMATS[name].maker
    try:
        styled = FORMATS[name].figure or FORMATS[name].dark
        made = make(subject, *((look,) if look and styled else ()))
    except CannotHold as error:
        raise named(subject, make, error) from error
    except (OutputsDiffer, FileFails) as error:
        raise _wrong(subject, make, FORMATS[name].title, error) from error
    except (DataError, RunError) as error:  # of the training script and the notebook
        raise ExportError(error.message, error.hint) from error
    computes = FORMATS[name].weights or name == "python"
    drawn = DRAWS if computes and draws(subject.module, subject.sample) else ""
    as_files = FORMATS[name].takes_files
    measured = quality(subject, made.run, as_files) if made.run and not drawn else None
    notes = [subject.note if FORMATS[name].weights else "", drawn, needed, *made.notes]
    if made.max_difference is None and FORMATS[name].compared:
        notes.append("the outputs are not finite, so they could not be compared")
    if FORMATS[name].compared and (larger := untried(subject.size_branches, subject.received)):
        notes.append(f"compared on up to {LARGEST:,} samples, and {larger.path} {larger.what}")
    written = {out.parent / other: content for other, content in made.beside.items()}
    for path, content in written.items():
        _free(path, content)
    for path, content in {**written, out: made.content}.items():
        _write(path, content)
    note = "; ".join(n for n in notes if n)
    return ExportResult(out, name, made.max_difference, note, tuple(made.beside), measured)


def _wrong(subject: Subject, make: Make, title: str, error: ExportError) -> ExportError:
    """The refusal of a file that computes something else: where it shows, and which block may be
    the reason."""
    branches = (*subject.value_branches, *subject.size_branches)
    why = " ".join(f"{each.path} {each.what}." for each in branches[:3])
    if not why:
        alone = ", ".join(failing_blocks(subject, make, error.message))
        why = (
            f"So does {alone} alone." if alone else "No block of this drawing is known to cause it."
        )
    advice = KEPT_SIZES if subject.size_branches else "Export another format, and report this one."
    return ExportError(
        f"{title} is not written. {error.message} {why}",
        KEPT if subject.value_branches else advice,
    )


def _free(path: Path, content: bytes) -> None:
    """Refuse to put another file in the place of one that some other script needs."""
    try:
        if path.exists() and path.read_bytes() != content:
            raise ExportError(
                f"{path} already exists and has other weights.", "Choose another folder."
            )
    except OSError as error:
        raise ExportError(f"{path} cannot be read: {error.strerror}.") from error


def figures(ref: NetworkRef, look: dict[str, Any]) -> tuple[dict[str, bytes], str]:
    """A figure in all its formats, for a page, and why some are missing ("" if none is).

    Raises ExportError where nothing can be drawn.
    """
    subject, made, missing = _subject(ref), dict[str, bytes](), ""
    made["dot"] = FORMATS["dot"].maker(subject, FigureStyle(**look)).content
    try:
        made |= {
            n: FORMATS[n].maker(subject, FigureStyle(**look)).content for n in FIGURES if n != "dot"
        }
    except ExportError as error:  # Graphviz's program is not here; its text needs none
        missing = f"{error.message} {error.hint}".strip()
    return made, missing


def _write(path: Path, content: bytes) -> None:
    """Put the content in place in one step, or straight into a pipe or a device.

    Raises ExportError when the folder refuses it.
    """
    if path.is_dir():
        raise ExportError(f"{path} is a folder.", "Name a file.")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise ExportError(
            f"{path} cannot be written: {error.strerror}.", full_disk.advice(error, path)
        ) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(PermissionError):  # FAT has no such rights to give
            temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        discard(temporary)
        raise ExportError(
            f"{path} cannot be written: {error.strerror}.", full_disk.advice(error, path)
        ) from error


def export_place(
    ref: NetworkRef, name: str, out: str, runs_dir: str = "", beside: str = ""
) -> dict[str, Any]:
    """Export the network that a `NetworkRef` names, for a page; the result as JSON.

    runs_dir, beside: folders of the runs and of the project's file, "" for one never saved.
    """
    where = (Path(runs_dir), Path(beside) if beside else None) if runs_dir else None
    subject = _subject(ref)
    try:
        if subject.opened is not None:
            allowed(subject.opened)
    except NotReady as error:
        raise ExportError(error.message, error.hint) from error
    return export_subject(replace(subject, where=where), name, Path(out)).json()


@lru_cache(maxsize=1)
def _subject(ref: NetworkRef) -> Subject:
    """The next card exports the same network; the stamp changes with the weights."""
    return subject_at(ref)
