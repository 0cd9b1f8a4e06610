"""A dropped bundle: it is opened into the workspace, and its project on the Build page."""

from app.services import documents, uploads
from app.services.file_drop import DropResult, Kind
from app.services.staging import Staged
from app.wings.bundle.upload import ENDING, bring

NOUN = f"a bundle (NAME{ENDING})"
LISTED = ("Bundle", ENDING)


def _open_bundle(file: Staged) -> DropResult:
    path = bring(file.path, uploads.parts_of(file.name)[-1])
    return DropResult("build", begin=lambda: documents.from_file(path))


KINDS = (Kind(ENDING, _open_bundle),)
