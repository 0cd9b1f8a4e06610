"""The bundled typefaces are those that FONTS.md names, and hold every letter of the interface."""

import hashlib
import io
import re
from functools import cache
from pathlib import Path

import pytest
from PIL import ImageFont

import core
from core.common import fonts

ROOT = Path(core.__file__).parents[1]
ABOUT = (ROOT / "core/common/fonts/FONTS.md").read_text("utf-8")
READ = {".py", ".ts", ".tsx", ".css"}
NOWHERE = "\U0010fffd"
"""A character that no font has."""
LACKING = {fonts.SANS: set("✕"), fonts.MONO: set("Ⅱ⏎")}
"""Signs that neither face shows in the interface, or that a browser takes from elsewhere."""


@pytest.mark.parametrize("face", fonts.FACES, ids=lambda face: face.file)
def test_each_file_is_the_one_that_is_written_down(face: fonts.Face) -> None:
    digest = hashlib.sha256(fonts.content(face.file)).hexdigest()
    assert re.search(rf"\| {re.escape(face.file)} \|.*\| {digest} \|", ABOUT)


def test_the_licence_is_beside_them() -> None:
    text = (ROOT / "core/common/fonts/OFL.txt").read_text("utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in text
    assert all(name in text for name in (fonts.SANS, fonts.MONO))


@cache
def letters_of_the_interface() -> frozenset[str]:
    """All characters beyond ASCII in what pages and front ends show."""
    folders = ("app/pages", "app/services", "app/canvas", "app/charts", "app/shell", "core/runs")
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    read = (p for p in paths if p.suffix in READ and "node_modules" not in p.parts)
    return frozenset(c for p in read for c in p.read_text("utf-8") if ord(c) > 127)


@pytest.mark.parametrize("face", fonts.FACES, ids=lambda face: face.file)
def test_they_hold_what_the_interface_writes(face: fonts.Face) -> None:
    font = ImageFont.truetype(io.BytesIO(fonts.content(face.file)), 24)

    def drawn(letter: str) -> bytes:
        return bytes(font.getmask(letter))

    wanted = letters_of_the_interface()
    assert {"→", "×", "·", "…", "²"} <= wanted
    missing = {letter for letter in wanted if drawn(letter) == drawn(NOWHERE)}
    assert missing <= LACKING[face.family]


def test_the_rules_name_each_file_at_the_address() -> None:
    text = fonts.rules("./fonts/")
    assert [text.count(f'url("./fonts/{face.file}")') for face in fonts.FACES] == [1, 1, 1]
