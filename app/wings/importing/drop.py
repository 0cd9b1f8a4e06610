"""A dropped ONNX file: it is moved to the workspace, and the Import page imports it."""

from pathlib import PurePosixPath

from app.services import paths, uploads
from app.services.file_drop import DropResult, Kind
from app.services.staging import Staged

NOUN = "a model (NAME.onnx)"
LISTED = ("Model", "ONNX")


def _open_model(file: Staged) -> DropResult:
    title = uploads.parts_of(file.name)[-1]
    stem = paths.stem(title.removesuffix(PurePosixPath(title).suffix.lower()), "_") or "model"
    target = uploads.free(paths.workspace(), f"{stem}.onnx")
    with uploads.refusals():
        file.path.rename(target)
    return DropResult("import", model=target.name)


KINDS = (Kind(".onnx", _open_model),)
