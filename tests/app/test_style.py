"""Promises of the style sheets that no picture of a page shows."""

import re
from pathlib import Path

import app

THEME = Path(app.__file__).parent / "theme"


def rules(name: str) -> dict[str, str]:
    """The rules of a style sheet by selector, those inside of @media left out."""
    text = re.sub(r"/\*.*?\*/", "", (THEME / name).read_text("utf-8"), flags=re.S)
    flat = re.sub(r"@[^{]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", text)
    found: dict[str, str] = {}
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", flat):
        for selector in selectors.split(","):
            found[selector.strip()] = found.get(selector.strip(), "") + body
    return found


def test_nothing_fades_while_a_page_is_drawn_again() -> None:
    found = rules("style.css")
    for part in (".stApp", ".stDialog"):
        body = found[f'{part} [data-stale="true"]']
        assert "opacity: 1 !important" in body
        assert "transition: none !important" in body


def test_a_result_stands_in_one_line_however_long_it_is() -> None:
    assert "white-space: nowrap" in rules("work.css")[".ll-work-best b"]


SIZE = re.compile(r"font(?:-size)?:[^;}]*?\b(\d+(?:\.\d+)?)px")
LEAST_PX = 9.0


def test_no_text_of_the_canvas_is_smaller_than_can_be_read() -> None:
    sheets = sorted((THEME.parent / "canvas" / "frontend" / "src" / "css").glob("*.css"))
    sizes = {s: map(float, SIZE.findall(s.read_text("utf-8"))) for s in sheets}
    least = {sheet.name: min(found, default=LEAST_PX) for sheet, found in sizes.items()}
    assert len(least) > 5
    assert {name: size for name, size in least.items() if size < LEAST_PX} == {}
