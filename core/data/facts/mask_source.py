"""What is known of pictures with masks before any is decoded: their source, and how it is read."""

from typing import Any

from core.data.pictures.facts import bounds_of, note_on_depth, usual_shape
from core.data.pictures.folder import Listing
from core.data.pictures.mask_folder import MaskFiles, mask_facts
from core.data.sources.custom_source import CustomSource
from core.data.sources.source import Source
from core.samples.picture_files import DEEP


def mask_source(
    files: MaskFiles, listing: Listing, given: CustomSource
) -> tuple[Source, dict[str, Any]]:
    """The source, and its layout; all masks are looked through.

    Raises DataError for masks that cannot be used.
    """
    found = mask_facts(files, given.ignore, given.skip_corrupt)
    _, height, width = usual_shape(listing, given.path)
    bounds = bounds_of(listing)
    source = Source(
        "MaskFolder",
        "files",
        "image",
        "pictures",
        (3, height, width),
        len(listing.pictures),
        found.classes,
        targets=("pixels",),
        about=f"Pictures of {given.path} with masks of {len(found.classes)} classes."
        f"{note_on_depth(bounds)}",
    )
    layout = {
        **found.layout(),
        "all": found.all_names,
        "pictures": files.pairs.pictures,
        "masks": files.pairs.masks,
        "ending": files.pairs.ending,
        "part": files.part,
        "bounds": bounds or DEEP,
        "notes": files.notes,
    }
    return source, layout
