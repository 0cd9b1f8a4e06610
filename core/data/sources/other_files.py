"""Files that are not read as data: what they are, and how they become data."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from core.common.errors import DataError

PICTURES = (
    ".heic",
    ".heif",
    ".avif",
    ".gif",
    ".svg",
    ".jfif",
    ".jpe",
    ".jp2",
    ".jxl",
    ".pbm",
    ".tga",
    ".ico",
    ".psd",
    ".eps",
    ".exr",
    ".hdr",
    ".dcm",
    ".nii",
    ".nii.gz",
    ".dng",
    ".cr2",
    ".nef",
    ".arw",
)
"""Endings of pictures that ImageFolder leaves out."""
SOUNDS = (".mp3", ".m4a", ".aac", ".aif", ".aiff", ".wma", ".opus", ".amr", ".webm", ".au", ".mid")
"""Endings of sounds that SoundFolder leaves out."""
READ_SOUNDS = (".wav", ".flac", ".ogg", ".oga")
SHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
PACKED = (
    ".gz",
    ".tgz",
    ".bz2",
    ".tbz",
    ".tbz2",
    ".xz",
    ".txz",
    ".zst",
    ".lz4",
    ".7z",
    ".rar",
    ".tar",
)
ARRAYS = (".npy", ".mat", ".pkl", ".pickle", ".parquet", ".h5", ".hdf5", ".feather", ".pt", ".pth")
AS_SOUNDS = "Save them as WAV, FLAC or OGG."
AS_PICTURES = "Save them as JPEG or PNG."


def is_other_picture(name: str) -> bool:
    """Whether a name ends as that of a picture in a format that is not read."""
    return name.lower().endswith(PICTURES)


def formats_of(names: Iterable[str]) -> str:
    """The endings of pictures that are not read, such as .gif and .heic."""
    found = {max((e for e in PICTURES if n.lower().endswith(e)), key=len) for n in names}
    *most, last = sorted(found)
    return f"{', '.join(most)} and {last}" if most else last


def is_packed(name: str) -> bool:
    """Whether a name ends as that of an archive or of a compressed file."""
    return name.lower().endswith((*PACKED, ".zip"))


def refusal(name: str) -> DataError | None:
    """Why a file cannot be data by its ending, and the way out; None for any other name."""
    ending = PurePosixPath(name).suffix.lower()
    if is_other_picture(name):
        return DataError(
            f"{name} is a picture in a format that cannot be read ({formats_of([name])}).",
            "Save pictures as JPEG or PNG, with a sub-folder for each class.",
        )
    if ending in SOUNDS:
        return DataError(
            f"{name} is a sound in a format that cannot be read ({ending}).",
            "Save sounds as WAV, FLAC or OGG, with a sub-folder for each class.",
        )
    if ending in READ_SOUNDS:
        return DataError(
            f"{name} is a sound without a class.",
            "Use a folder or zip of sounds with a sub-folder for each class.",
        )
    if ending in SHEETS:
        return DataError(f"{name} is a spreadsheet.", "Save it as CSV and use the CSV file.")
    if ending in PACKED:
        return DataError(f"{name} is compressed.", "Unpack it and use the file inside.")
    if ending in ARRAYS:
        return DataError(
            f"{name} cannot be read directly.",
            "Save it as NPZ: numpy.savez(file, x=x, y=y), and use that file.",
        )
    return None
