"""Files dropped or chosen in the workbench: recognise, store and read them in one step.

`open_dropped` looks up the kind of a file by its ending, in `KINDS` and in those of wings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from app import wing
from app.process import pool
from app.process.pool import PoolError
from app.services import data_guess, documents, staging, uploads
from app.services.document import Document
from app.services.file_choices import ENDINGS as DATA_ENDINGS
from app.services.file_choices import kind_of
from app.services.staging import Staged
from app.services.zip_files import run_on_zip
from core.data import DataError
from core.data.pictures.layout import PICTURES, Things, is_junk, lay_out
from core.data.pictures.mask_classes import CLASS_FILES
from core.data.pictures.masks import holds_masks
from core.data.sources.other_files import refusal
from core.files.strict import decode
from core.project import ProjectError, read_text

READ_S = 600.0
LARGEST_PROJECT = 5 << 20
LEAST_TEXTS = 4  # in folders: two of each of two classes; fewer are notes beside something else
DESCRIPTIONS = ("readme", "read_me", "license", "licence", "about", "description", "notes", "info")
"""How the name of a text begins that lies beside data and describes it."""
CAN_BE = (
    "a CSV",
    "a folder or zip of pictures with a sub-folder for each class, or with masks",
    "a folder or zip of sounds (WAV, FLAC, OGG) with a sub-folder for each class",
    "an NPZ",
    "a text",
    "a folder or zip of .txt files with a sub-folder for each class",
    "a project (NAME.loom.json)",
)

LISTED = (
    ("Table", "CSV or TSV"),
    ("Arrays", "NPZ"),
    ("Text", "TXT"),
    ("Project", ".loom.json"),
    ("Sounds", "a folder or zip with a sub-folder for each class"),
    ("Pictures", "a folder or zip with a sub-folder for each class, or with masks"),
)
"""The same as a list: a name and its files."""


@dataclass(frozen=True)
class DropResult:
    """The result of a drop. page: the page to show next.

    data: own data, as a project names it; notes: sentences on its content; error: why it
    cannot be read with these settings. begin: makes the project to open. model: a file to import.
    """

    page: str
    data: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    error: str = ""
    begin: Callable[[], Document] | None = None
    model: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind of file: how its name ends, and what opens it. Raises DataError or ProjectError."""

    ending: str
    open: Callable[[Staged], DropResult]


def open_dropped(files: Sequence[Staged]) -> DropResult:
    """Recognise, keep and read what was dropped: one file, or those of a folder.

    Raises DataError for an unknown or damaged file.
    """
    found = [file for file in files if not is_junk(file.name)]
    if not found:
        raise DataError("There is nothing to read in the drop.", can_be())
    if len(found) == 1:
        name = found[0].name.lower()
        kind = next((kind for kind in kinds() if name.endswith(kind.ending)), None)
        if found[0].path.stat().st_size == 0:
            raise DataError(f"{_title(found[0])} is empty.", "Choose a file that is not empty.")
        if kind is not None:
            return _in_words(kind, found[0])
    return _open_many(found)


def _in_words(kind: Kind, file: Staged) -> DropResult:
    try:
        return kind.open(file)
    except ProjectError as error:
        raise DataError(str(error), "Nothing was opened.") from error


def _open_many(files: Sequence[Staged]) -> DropResult:
    """Pictures, sounds or texts in folders; or one table, arrays or text among several files."""
    if masked := _pictures_with_masks(files):
        return masked
    things = uploads.things_of([file.name for file in files])
    if things and (len(files) > 1 or uploads.is_picture(files[0].name)):
        named, notes = arrange(files, things)
        choice = uploads.keep([(file.name, file.path) for file in named])
        return _read({"source": choice.kind, "root": choice.path}, notes)
    if named := text_folders(files):
        choice = uploads.keep([(file.name, file.path) for file in named])
        return _read({"source": choice.kind, "root": choice.path}, ())
    tables = [file for file in files if _ending(file.name) in DATA_ENDINGS]
    chosen = [f for f in tables if _title(f).lower().startswith("train")]
    chosen = chosen if len(chosen) == 1 else tables
    if len(chosen) == 1:
        _refuse_description(chosen[0], files)
        rest = [_title(file) for file in files if file is not chosen[0]]
        return _open_data(chosen[0], _left_out(rest))
    if tables:
        raise DataError(
            f"{len(tables)} files could be the data: {_few(map(_title, tables))}.",
            "Drop only the file with the training data.",
        )
    raise _unknown(files[0])


def _pictures_with_masks(files: Sequence[Staged]) -> DropResult | None:
    """The result for a folder of pictures and masks; None for other files."""
    named = {"/".join(uploads.parts_of(file.name)): file.path for file in files}
    if not holds_masks([name for name in named if uploads.is_picture(name)]):
        return None
    firsts = {name.split("/", 1)[0] for name in named}
    around = len(firsts) == 1 and all("/" in name for name in named)
    top, start = (next(iter(firsts)), len(next(iter(firsts))) + 1) if around else ("pictures", 0)
    kept = {
        name[start:]: path
        for name, path in named.items()
        if uploads.is_picture(name) or name.rsplit("/", 1)[-1].lower() in CLASS_FILES
    }
    choice = uploads.keep_masks(top, kept)
    rest = [name for name in named if name[start:] not in kept]
    return _read({"source": choice.kind, "root": choice.path}, _left_out(rest))


def text_folders(files: Sequence[Staged]) -> list[Staged]:
    """Texts as FOLDER/CLASS/NAME.txt where two or more folders hold them, and no table lies beside;
    [] for all else."""
    texts = [file for file in files if uploads.is_text_file(file.name)]
    parts = [uploads.parts_of(file.name) for file in texts]
    classes = {tuple(each[:-1]) for each in parts if len(each) > 1}
    above = {each[:-1] for each in classes}
    beside = any(_is_data(file.name) for file in files)
    if len(classes) < 2 or len(above) != 1 or len(texts) < LEAST_TEXTS or beside:
        return []
    top = next(iter(above))[-1:] or ("texts",)
    kept = [(file, each) for file, each in zip(texts, parts, strict=True) if len(each) > 1]
    return [Staged("/".join([top[0], *each[-2:]]), file.path) for file, each in kept]


def _refuse_description(text: Staged, files: Sequence[Staged]) -> None:
    """Raises DataError for a text that describes data in a file which cannot be read."""
    if DATA_ENDINGS[_ending(text.name)] != "text" or kind_of(text.name, text.path) != "text":
        return
    described = _title(text).lower().startswith(DESCRIPTIONS)
    size = text.path.stat().st_size
    for file in files:
        larger = described or file.path.stat().st_size > size
        if (why := refusal(_title(file))) and larger:
            raise why


def arrange(
    files: Sequence[Staged], things: Things = PICTURES
) -> tuple[list[Staged], tuple[str, ...]]:
    """Pictures or sounds as FOLDER/CLASS/... and what was left out, in sentences.

    Raises DataError where there are no classes.
    """
    names = ["/".join(uploads.parts_of(file.name)) for file in files]
    found = lay_out(names, things.many, things)
    top = found.inner.split("/")[-1] or things.many
    start = len(f"{found.inner}/") if found.inner else 0
    kept = [Staged(f"{top}/{names[row][start:]}", files[row].path) for row in found.rows]
    return kept, found.notes


def _left_out(names: Sequence[str]) -> tuple[str, ...]:
    return (f"Left out: {_few(names)}.",) if names else ()


def _few(names: Any) -> str:
    listed = list(names)
    more = f" and {len(listed) - 4:,} more" if len(listed) > 4 else ""
    return ", ".join(listed[:4]) + more


def _unknown(file: Staged) -> DataError:
    """The error for an unknown kind of file, with a hint how to convert it."""
    title = _title(file)
    return refusal(title) or DataError(f"{title} cannot be opened here.", can_be())


def _open_project(file: Staged) -> DropResult:
    if file.path.stat().st_size > LARGEST_PROJECT:
        raise ProjectError(_title(file), "is larger than 5 MB, the limit for projects.")
    content, title = file.path.read_bytes(), _title(file)
    read_text(decode(content), title)  # a faulty project is reported on the current page
    return DropResult("build", begin=lambda: documents.from_upload(content, title))


def _open_zip(file: Staged) -> DropResult:
    stem = PurePosixPath(_title(file)).stem
    files = _unpacked_too(_title(file), _unpack(file))
    if len(files) > 1 or _is_data(files[0].name):
        files = [Staged(f"{stem}/{inner.name}", inner.path) for inner in files]
    return _open_many(files)


def _unpack(archive: Staged) -> list[Staged]:
    """The files of a zip; a large one is unpacked in another process."""
    try:
        return run_on_zip(archive.path, staging.unpack, archive)
    except PoolError as error:
        raise DataError(error.message, error.hint) from error


def _unpacked_too(title: str, files: list[Staged]) -> list[Staged]:
    """The files of a zip; where its data is in another zip inside, those of that.

    Raises DataError for several zips, or for a zip deeper inside.
    """
    packed = [file for file in files if _ending(file.name) == ".zip"]
    rest = [file for file in files if _ending(file.name) != ".zip"]
    if not packed or any(_is_data(file.name) for file in rest):
        return rest or files
    if len(packed) > 1:
        raise DataError(
            f"{title} holds {len(packed)} zips: {_few(map(_title, packed))}.",
            "Unpack it and drop only the zip with the training data.",
        )
    inner = _unpack(packed[0])
    if all(_ending(file.name) == ".zip" for file in inner):
        raise DataError(
            f"{_title(packed[0])} in {title} contains another zip.",
            "Unpack it and drop its contents.",
        )
    folder = PurePosixPath(packed[0].name).with_suffix("").as_posix()
    unpacked = [Staged(f"{folder}/{file.name}", file.path) for file in inner]
    return [
        *unpacked,
        *(
            file
            for file in rest
            if not _is_data(file.name) and DATA_ENDINGS.get(_ending(file.name)) != "text"
        ),
    ]


def _is_data(name: str) -> bool:
    """Whether a file is more likely the data than a zip beside it; a text may be a description."""
    known = DATA_ENDINGS.get(_ending(name)) in ("CSV", "NPZ")
    return known or uploads.things_of([name]) is not None


def _open_data(file: Staged, notes: tuple[str, ...] = ()) -> DropResult:
    """Store a table, arrays or a text, and read it with guessed settings."""
    title, kind = _title(file), kind_of(file.name, file.path)
    if kind != "NPZ":
        was = _as_utf8(file.path, title)
        notes += (f"It was {was} and was saved as UTF-8.",) if was else ()
    try:
        size = file.path.stat().st_size
        pool.read(size, data_guess.check, kind, str(file.path), title, timeout_s=READ_S)
    except PoolError as error:
        raise DataError(error.message, error.hint) from error
    choice = uploads.keep([(title, file.path)])
    return _read({"source": kind, "file": choice.path}, notes)


def _as_utf8(path: Path, title: str) -> str:
    size = path.stat().st_size
    if size < pool.LARGE_FILE:
        return staging.as_utf8(path, title)
    try:
        return pool.read(size, staging.as_utf8, path, title, timeout_s=READ_S)
    except PoolError as error:
        raise DataError(error.message, error.hint) from error


def _read(data: dict[str, Any], notes: tuple[str, ...]) -> DropResult:
    try:
        size = data_guess.bytes_of(data)
        found, more, error = pool.read(size, data_guess.guess_and_read, data, timeout_s=READ_S)
    except PoolError as failure:
        found, more, error = data, (), str(failure)
    return DropResult("data", found, (*more, *notes), error)


def _title(file: Staged) -> str:
    return uploads.parts_of(file.name)[-1]


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


KINDS = (
    Kind(".loom.json", _open_project),
    Kind(".zip", _open_zip),
    *(Kind(ending, _open_data) for ending in DATA_ENDINGS),
)
"""Every kind by the ending of its name; of two that fit the first, so longer endings come first."""


def kinds() -> tuple[Kind, ...]:
    """Those, and the kinds of wings."""
    return (*(kind for _, part in wing.parts("drop") for kind in part.KINDS), *KINDS)


def listed() -> tuple[tuple[str, str], ...]:
    """What can be dropped: a name and its files, each, the shortest first."""
    found = (*(part.LISTED for _, part in wing.parts("drop")), *LISTED)
    return tuple(sorted(found, key=lambda pair: sum(map(len, pair))))


def can_be() -> str:
    """What can be dropped, as a sentence."""
    *most, last = (*CAN_BE, *(part.NOUN for _, part in wing.parts("drop")))
    return f"Drop {', '.join(most)} or {last}."
