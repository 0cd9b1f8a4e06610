"""The readers of files from outside, each behind a function that imports what it needs first."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.wing_parts import rows

Read = Callable[[Path], Any]


def _own(kind: str) -> Callable[[], Read]:
    def ready() -> Read:
        from app.services import data_guess

        return lambda path: data_guess.check(kind, str(path), path.name)

    return ready


def picture() -> Read:
    """A picture, decoded for an Input of (3, 32, 32)."""
    from PIL import Image

    from core.data.folder import decode

    Image.init()
    return lambda path: len(decode(path, (3, 32, 32)))


def sent_picture() -> Read:
    """A picture that somebody sends to a server of a network."""
    from PIL import Image

    from core.samples import sent_pictures

    Image.init()
    spec, shape = {"name": "image"}, (3, 32, 32)
    return lambda path: sent_pictures.decode_picture(spec, shape, path.read_bytes()).shape


def pictures() -> Read:
    """A folder of pictures, decoded into its cache."""
    from core.data.decoding import decode_pictures
    from core.data.folder import list_folder

    def read(path: Path) -> Any:
        os_environ_workspace(path.parent)
        return decode_pictures(list_folder(path, path.name), (3, 32, 32), skip_corrupt=True).rows

    return read


def os_environ_workspace(folder: Path) -> None:
    """The workspace of this process: where what was decoded is kept."""
    import os

    os.environ["LAYERLOOM_WORKSPACE"] = str(folder)


def network() -> Read:
    """An ONNX file, opened as a module."""
    from core.wings.importing.onnx import open_onnx

    return lambda path: open_onnx(path).name


def checkpoint() -> Read:
    """The last checkpoint of a run, loaded and made whole as an export does."""
    import torch  # as whoever reads one has it already

    from core.runs import checkpoint as checkpoints

    def read(path: Path) -> Any:
        state = checkpoints.load(path, "last")
        assert torch.is_tensor(state["model"]["w"])
        return {name: tensor.contiguous().shape for name, tensor in state["model"].items()}

    return read


def project() -> Read:
    """A project, opened and analysed."""
    from core import analyse, open_project

    return lambda path: analyse(open_project(path).graph).errors[:1]


def archive() -> Read:
    """A zip that was dropped."""
    from app.services import staging

    return lambda path: len(staging.unpack(staging.Staged(path.name, path)))


def source() -> Read:
    """Source text, built into a module and run."""
    import torch

    from core.analyse import build

    return lambda path: build(path.read_text())(torch.zeros(1, 4))


READERS: dict[str, Callable[[], Read]] = {
    "table": _own("CSV"), "arrays": _own("NPZ"), "text": _own("text"), "picture": picture,
    "pictures": pictures, "sent picture": sent_picture, "network": network,
    "checkpoint": checkpoint, "project": project, "zip": archive,
    "source": source, **rows("bombs", "READERS"),
}  # fmt: skip
