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
