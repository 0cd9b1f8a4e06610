"""The button beside a finished run opens its picture, light or dark, with two files to take."""

import json

import pytest

from app.services import paths
from core.project import write_text
from tests.wings.picture.small_run import written


@pytest.fixture
def trained(lenet):
    """A tab with LeNet open and a run of it."""
    document = lenet.document
    written(paths.runs_dir() / "lenet-001", json.loads(write_text(document.project)),
            document=document.doc_id)  # fmt: skip
    return lenet.go("train")


def test_the_picture_of_the_run_is_shown_and_can_be_taken(trained) -> None:
    trained.assert_calm()
    trained.press("picture").assert_calm()
    buttons = trained.at.get("download_button")
    assert {"Download PNG", "Download SVG"} <= {button.proto.label for button in buttons}
    assert trained.at.segmented_control(key="picture_ground").value == "Light"


def test_a_drawing_without_a_run_has_no_button(lenet) -> None:
    lenet.go("train").assert_calm()
    assert not [button for button in lenet.at.button if button.key == "picture"]
