"""Each popular model on the page Import stands there with its drawing."""

from xml.etree import ElementTree

import pytest

from app.wings.importing.model_search import DRAWINGS, OFTEN
from tests.wings.importing.bench.card_drawings import drawn

MOST_BYTES = 8_000


def test_each_popular_model_has_its_drawing_and_no_other_file_lies_there() -> None:
    assert {file.stem for file in DRAWINGS.iterdir()} == set(OFTEN)
    for name in OFTEN:
        text = (DRAWINGS / f"{name}.svg").read_text("utf-8")
        assert ElementTree.fromstring(text).get("viewBox") == "0 0 280 92"
        assert len(text) < MOST_BYTES, name


@pytest.mark.slow
def test_the_drawing_of_a_card_is_what_an_import_draws() -> None:
    assert (DRAWINGS / "resnet18.svg").read_text("utf-8") == drawn("resnet18")
