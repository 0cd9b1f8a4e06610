"""The picture says what the verdict says, fits its frame, and takes names of strangers as text."""

import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from core.analyse import analyse
from core.common.fonts.lettering import FINER, Letters, fitted, font, width
from core.export import ExportError, export
from core.export.figure_style import FigureStyle
from core.project.templates import load_template
from core.project.write import write_text
from core.runs.verdict import verdict_of
from core.wings.picture import png, svg
from core.wings.picture.content import Content, line_of, of_project, of_run
from core.wings.picture.scene import DARK, LIGHT, RIGHT, TALL, WIDTH, Box, TextLine, compose
from tests.hostile_names import HOSTILE
from tests.wings.picture.small_run import written

SVG = "{http://www.w3.org/2000/svg}"


def lenet() -> dict[str, Any]:
    return json.loads(write_text(load_template("lenet_digits")))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return written(tmp_path / "lenet-001", lenet())


def texts(picture: str) -> list[str]:
    """The texts of an SVG, which is read as XML."""
    return [element.text or "" for element in ET.fromstring(picture).iter(f"{SVG}text")]


def test_its_numbers_are_those_of_the_verdict(run: Path) -> None:
    content = of_run(run)
    assert verdict_of(run).value == f"{content.result.value} ± {content.result.within}"
    found = texts(svg.write(compose(content)))
    assert {"LeNet on digits", "90.0%", "14 blocks, trained on digits", "Layerloom"} <= set(found)
    assert f"validation accuracy ± {content.result.within}" in found
    assert "always predicting “3” gets 10.0%" in found
    assert "2 epochs\u2002·\u20021 min 18 s\u2002·\u200261,706 parameters" in found
    assert content.words == (
        "LeNet on digits: 14 blocks, trained on digits, 90.0% ± 6 validation accuracy, 2 epochs, "
        "1 min 18 s, 61,706 parameters"
    )


def test_a_run_without_a_rule_has_its_best_value_and_one_without_a_value_none(run: Path) -> None:
    (run / "baseline.json").unlink()
    assert (of_run(run).result.sentence, of_run(run).result.rule) == (
        "90.0% validation accuracy", "")  # fmt: skip
    status = json.loads((run / "status.json").read_text())
    (run / "status.json").write_text(json.dumps({**status, "best": None}))
    found = texts(svg.write(compose(of_run(run))))
    assert not [text for text in found if "%" in text]
    assert "14 blocks, trained on digits" in found


@pytest.mark.parametrize("dark", [False, True])
def test_svg_and_png_are_one_picture(run: Path, dark: bool) -> None:
    scene = compose(of_run(run), dark)
    look = DARK if dark else LIGHT
    image = Image.open(io.BytesIO(png.write(scene)))
    assert (image.size, image.mode) == ((WIDTH, TALL), "RGB")
    corner = tuple(int(look.page[i : i + 2], 16) for i in (1, 3, 5))
    assert image.getpixel((2, 2)) == image.getpixel((WIDTH - 3, TALL - 3)) == corner
    bars = [shape for shape in scene.shapes if isinstance(shape, Box)][2:16]
    for bar in bars:
        middle = round(bar.x + bar.width / 2), round(bar.y + bar.height / 2)
        found = image.getpixel(middle)
        assert isinstance(found, tuple)
        assert "#{:02X}{:02X}{:02X}".format(*found) == bar.fill
    drawn = ET.fromstring(svg.write(scene))
    assert drawn.get("viewBox") == f"0 0 {WIDTH} {TALL}"
    assert len(list(drawn.iter(f"{SVG}rect"))) == sum(isinstance(s, Box) for s in scene.shapes)


def inside(content: Content) -> list[str]:
    """The texts that leave the frame, or lie on another."""
    words = [shape for shape in compose(content).shapes if isinstance(shape, TextLine)]
    boxes = []
    for shape in words:
        wide = width(shape.text, shape.letters)
        left = shape.x - {"start": 0, "middle": wide / 2, "end": wide}[shape.anchor]
        boxes.append((left, shape.y - 0.7 * shape.letters.size, left + wide, shape.y, shape.text))
    out = [box[4] for box in boxes if box[0] < 60 or box[2] > RIGHT + 4 or box[3] > TALL - 20]
    lies = [
        f"{a[4]} on {b[4]}"
        for i, a in enumerate(boxes)
        for b in boxes[:i]
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]
    return out + lies


@pytest.mark.parametrize("name", ["mlp_iris", "unet_digits", "resnet_digits", "transformer_dates"])
def test_nothing_leaves_the_frame_or_lies_on_something_else(name: str, tmp_path: Path) -> None:
    project = json.loads(write_text(load_template(name)))
    long = {**project, "name": "A network with a name that goes on and on, and on, and on again"}
    data = {"source": "CSV", "file": "data/all customers of the last ten years.csv"}
    assert inside(of_project(load_template(name), 10**9)) == []
    assert inside(of_run(written(tmp_path / "long", long, data=data, params=10**12))) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_strangers_are_text_and_nothing_else(name: str, tmp_path: Path) -> None:
    data = {"source": "CSV", "file": name}
    run = written(tmp_path / "run", lenet(), data=data)
    (run / "baseline.json").write_text(
        json.dumps({"metric": "val_accuracy", "value": 0.1, "rule": name, "samples": 100})
    )
    scene = compose(replace(of_run(run), title=line_of(name)))  # a project's file refuses some
    picture = svg.write(scene)
    root = ET.fromstring(picture)
    kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert kinds == {"svg", "title", "style", "rect", "path", "text"}
    assert not [c for c in picture if ord(c) < 32 and c != "\n"]
    assert Image.open(io.BytesIO(png.write(scene))).size == (WIDTH, TALL)


def test_letters_that_the_typeface_lacks_come_from_elsewhere_or_are_marked() -> None:
    letters = Letters(20)
    assert width("デジタル", letters) > width("abcd", letters) / 2
    assert fitted("デジタル" * 40, 300, (20, 18), 400)[0].endswith("…")
    alone = font(Letters(20 * FINER)).getlength("LeNet") / FINER
    assert width("LeNet", letters) == pytest.approx(alone)


@pytest.mark.parametrize("form", ["picture", "picture-svg"])
def test_the_command_writes_the_same_picture_for_a_drawing(form: str, tmp_path: Path) -> None:
    project = load_template("mlp_iris")
    pictures = [
        export(project, form, tmp_path / f"{dark}", FigureStyle(dark=dark)).path.read_bytes()
        for dark in (False, True)
    ]
    kind = "PNG" if form == "picture" else None
    for dark, found in zip((False, True), pictures, strict=True):
        params = sum(node.params for node in analyse(project.graph).nodes.values())
        scene = compose(of_project(project, params), dark)
        assert found == (png.write(scene) if kind else svg.write(scene).encode())


def test_a_network_without_a_project_has_no_picture() -> None:
    from core.export.subject import subject_of
    from core.wings.picture.make import make_png

    subject = replace(subject_of(load_template("mlp_iris")), opened=None)
    with pytest.raises(ExportError, match="A picture needs a project"):
        make_png(subject)
