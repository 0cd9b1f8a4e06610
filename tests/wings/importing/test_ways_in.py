"""The ways to the page: a model that is dropped waits in the workspace; its place in the bar."""

from pathlib import Path

from app.pages import navigation
from app.services.file_drop import DropResult, can_be
from tests.app.services.test_file_drop import drop_all


def test_a_model_waits_to_be_asked_for(workspace: Path):
    opened = drop_all([("Net (1).onnx", b"onnx")])
    assert opened == DropResult("import", model="net_1.onnx")
    assert (workspace / "net_1.onnx").read_bytes() == b"onnx"


def test_it_is_said_that_a_model_can_be_dropped():
    said = can_be()
    assert said.startswith(
        "Drop a CSV, a folder or zip of pictures with a sub-folder for each class, or with masks, "
        "a folder or zip of sounds (WAV, FLAC, OGG) with a sub-folder for each class, "
        "an NPZ, a text, a folder or zip of .txt files with a sub-folder for each class, "
        "a project (NAME.loom.json), "
    )
    assert "a model (NAME.onnx)" in said


def test_the_page_stands_behind_ones_own_work_in_the_bar() -> None:
    names = [page.name for page in navigation.PAGES]
    assert names[:4] == ["start", "work", "import", "build"]
