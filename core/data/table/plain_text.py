"""A text file as a whole, in whatever encoding it has."""

from pathlib import Path

from core.common.errors import DataError
from core.data.table.encoding import encoding_of, title_of

LARGEST_TEXT = 50 << 20


def read_text(path: Path, name: str) -> str:
    """A text file in whatever encoding it has. Raises DataError."""
    size = path.stat().st_size
    if size > LARGEST_TEXT:
        raise DataError(
            f"{name} has {size / 1e6:,.0f} MB, more than {LARGEST_TEXT >> 20}.", "Use a part of it."
        )
    encoding = encoding_of(path, name)
    try:
        return path.read_text(encoding=encoding)
    except UnicodeError as error:
        message = f"{name} is not valid {title_of(encoding)} text."
        raise DataError(message, "Save it in UTF-8.") from error
