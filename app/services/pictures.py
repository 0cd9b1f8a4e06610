"""Pictures that were dropped, in the folders of their classes."""

from collections.abc import Sequence

from app.services import uploads
from app.services.staging import Staged
from core.data.picture_layout import lay_out


def arrange(files: Sequence[Staged]) -> tuple[list[Staged], tuple[str, ...]]:
    """Pictures as FOLDER/CLASS/... and what was left out, in sentences.

    Raises DataError where there are no classes.
    """
    names = ["/".join(uploads.parts_of(file.name)) for file in files]
    found = lay_out(names, "pictures")
    top = found.inner.split("/")[-1] or "pictures"
    start = len(f"{found.inner}/") if found.inner else 0
    kept = [Staged(f"{top}/{names[row][start:]}", files[row].path) for row in found.rows]
    return kept, found.notes
