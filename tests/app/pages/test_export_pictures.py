"""What the Export page shows first stands there with a picture of its own."""

from xml.etree import ElementTree

from app.pages.export.page import PICTURES
from core.export.formats import FORMATS


def test_each_format_that_is_shown_first_has_its_picture_and_no_other_file_lies_there() -> None:
    first = {kind.name for kind in FORMATS.values() if kind.first}
    assert {file.stem for file in PICTURES.iterdir()} == first
    for name in first:
        drawn = ElementTree.parse(PICTURES / f"{name}.svg").getroot()
        assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
        assert drawn.get("viewBox") == "0 0 240 84"
        assert {each.tag.rpartition("}")[2] for each in drawn} <= {"rect", "path", "circle"}
