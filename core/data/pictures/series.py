"""Pictures that belong together: those of a series in their file names, or of a sub-folder.

Training scripts hold `series_of` and `subfolder_of` word for word.
"""

from core.common.errors import DataError
from core.data.pictures.folder import Listing
from core.data.sources.custom_source import CustomSource
from core.data.sources.split_by import BY_FOLDER


def series_of(name: str, until: str) -> str:
    """What the names of a series of pictures begin with: all before `until`, or before the last
    number and the sign in front of it."""
    stem = name.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    if until:
        return stem.split(until, 1)[0]
    numbered = stem.removesuffix(")")
    start = numbered.rstrip("0123456789")
    series = start.rstrip(" _.(-")
    return series if series and start != numbered and series != start else stem


def subfolder_of(name: str) -> str:
    """The folders between the class and the picture, "" for none. name: from the class on."""
    return "/".join(name.replace("\\", "/").split("/")[1:-1])


def series_of_all(listing: Listing, given: CustomSource) -> list[str]:
    """The series or sub-folder of each picture. Raises DataError for what is in no sub-folder."""
    _, by, until = given.split
    start = len(f"{listing.inner}/") if listing.inner else 0
    names = [picture.name[start:] for picture in listing.pictures]
    if by != BY_FOLDER:
        return [series_of(name, until) for name in names]
    found = [subfolder_of(name) for name in names]
    if "" in found:
        raise DataError(
            f"{names[found.index('')]} of {given.path} is in no sub-folder of its class: "
            f"{found.count(''):,} of {len(found):,} pictures are not.",
            'Move them into sub-folders, or set data.split_by to "name".',
        )
    return found
