"""Own data of a project in a bundle: its files, and the fingerprint that identifies it."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.common.errors import DataError
from core.data.pictures.folder import list_folder
from core.data.pictures.layout import EXTENSIONS, SOUNDS
from core.data.pictures.mask_classes import CLASS_FILES
from core.data.pictures.mask_folder import find_masks
from core.data.sounds.folder import list_sounds
from core.data.sources.custom_source import ENDINGS, CustomSource, read_custom_source
from core.data.sources.paths import check_text, differing_in_case, locate
from core.data.table.text_folder import ENDING, class_folders, text_files
from core.files.messages import fail
from core.runs.checkpoint import hash_of
from core.wings.bundle.archive import ANEW
from core.wings.bundle.manifest import OwnData

PLACE = "files/"
"""Where own data lies in a bundle: below it by the path that the project has."""
MASKED = "MaskFolder"
ENDINGS_OF_DATA = (*EXTENSIONS, *SOUNDS.endings, *ENDINGS["CSV"], *ENDINGS["NPZ"], *ENDINGS["text"])


def files_of(data: Mapping[str, Any]) -> dict[str, Path]:
    """The files of a project's own data by their path in a bundle; {} for other data.

    Raises DataError where the data is not there, or has names that no project may hold.
    """
    given = read_custom_source(data)
    if given is None:
        return {}
    path = locate(given.path, given.key)
    if given.key != "root":
        if not path.is_file():
            raise DataError(f"{given.path} is not a file.", "Choose other data on the Data page.")
        return {f"{PLACE}{given.path}": path}
    names = _names(given, path)
    _check_names(given, names)
    return {f"{PLACE}{given.path}/{name}": path / name for name in names}


def _names(given: CustomSource, path: Path) -> list[str]:
    """Paths of the files of a folder that are its data. Raises DataError."""
    if given.kind == MASKED:
        return list(find_masks(path, given.path).used)
    if given.sound is not None:
        return [sound.name for sound in list_sounds(path, given.path).pictures]
    if given.texts is None:
        return [picture.name for picture in list_folder(path, given.path).pictures]
    classes = [folder.name for folder in class_folders(path, given.path)]
    return [file.relative_to(path).as_posix() for file, _ in text_files(str(path), classes)]


def _check_names(given: CustomSource, names: Sequence[str]) -> None:
    """Raises DataError for a name that no project may hold."""
    for name in names:
        try:
            check_text(f"{given.path}/{name}", given.key)
        except DataError as error:
            raise DataError(error.message, "Rename the file or its folder.") from error


def files_to_take(data: Mapping[str, Any]) -> dict[str, Path]:
    """`files_of`, for a bundle that takes them along.

    Raises DataError for what is Python, and for names that are one on some systems.
    """
    files = files_of(data)
    if pair := differing_in_case(name.removeprefix(PLACE) for name in files):
        message = f"{pair[0]} and {pair[1]} differ only in upper and lower case."
        raise DataError(message, "Rename one of them.")
    for name in files:
        if not is_data(name):
            message = f"{name.removeprefix(PLACE)} is Python; a bundle may only contain data."
            raise DataError(message, "Share the bundle without data, and send the file separately.")
    return files


def is_data(name: str) -> bool:
    """Whether a name in a bundle is one of data by its ending: no program takes it for code."""
    return name.lower().endswith(ENDINGS_OF_DATA)


def describe(data: Mapping[str, Any], included: bool) -> OwnData:
    """A bundle's record of a project's data, with the fingerprint of own data that is here."""
    source = str(data.get("source", ""))
    given = read_custom_source(data)
    if given is None:
        return OwnData(source)
    files = files_of(data)
    hashes = {name: hash_of(path) for name, path in files.items()}
    size = sum(path.stat().st_size for path in files.values())
    return OwnData(source, given.path, len(files), size, fingerprint(given, hashes), included)


def fingerprint(given: CustomSource, hashes: Mapping[str, str]) -> str:
    """The SHA-256 by which data is known: of a file its own, of a folder that of all pictures.

    hashes: of the files, by their path in the bundle.
    """
    if given.key != "root":
        return next(iter(hashes.values()), "")
    top = len(f"{PLACE}{given.path}/")
    lines = sorted(f"{name[top:]}\0{sha256}\n" for name, sha256 in hashes.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def is_same(data: Mapping[str, Any], known: OwnData) -> bool:
    """Whether own data that is here is that of the bundle. Raises DataError where it is not here.

    Sizes are compared first, so that another file is seldom read.
    """
    given = read_custom_source(data)
    if given is None or not known.sha256:
        return True
    files = files_of(data)
    sizes = sum(path.stat().st_size for path in files.values())
    if (len(files), sizes) != (known.files, known.size):
        return False
    return fingerprint(given, {name: hash_of(path) for name, path in files.items()}) == known.sha256


def check_members(data: Mapping[str, Any], known: OwnData, members: Mapping[str, str]) -> None:
    """Refuse files that are not what project and manifest say. members: hashes by path.

    Raises ProjectError.
    """
    try:
        given = read_custom_source(data)
    except DataError as error:
        fail("project.loom.json", error.message, error.hint)
    path = given.path if given else ""
    if path != known.path:
        fail("data", "is not the data named in the project.", ANEW)
    if bool(members) != known.included:
        fail("data", "does not match the manifest, which states whether the bundle includes data.")
    if not members:
        return
    assert given is not None
    for name in members:
        _check_name(given, name)
    if len(members) != known.files or fingerprint(given, members) != known.sha256:
        fail("data", "does not match the fingerprint in the bundle.", ANEW)


def _check_name(given: CustomSource, name: str) -> None:
    inner = name.removeprefix(f"{PLACE}{given.path}")
    if given.kind == MASKED:
        last = inner.rsplit("/", 1)[-1].lower()
        if not (inner.startswith("/") and (last.endswith(EXTENSIONS) or last in CLASS_FILES)):
            fail(name, "is not part of the data named in the project.", ANEW)
        return
    endings = EXTENSIONS if given.texts is None else ENDING
    endings = SOUNDS.endings if given.sound is not None else endings
    member = inner.startswith("/") and inner.count("/") > 1 and inner.lower().endswith(endings)
    if member if given.key == "root" else not inner:
        return
    fail(name, "is not part of the data named in the project.", ANEW)


def known_files(folder: Path) -> Iterator[Path]:
    """All plain files below a folder, in order."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
