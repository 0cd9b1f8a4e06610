"""The head of an exported page: name, result, drawing and what a chat shows of it, all as text."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from core.export.web.page import drawing_of, page_of
from core.project.templates import load_template
from tests.hostile_names import HOSTILE

GRAPH = load_template("unet_digits").graph
RESULT = {"value": "90.0%", "words": "validation accuracy ± 6",
          "sentence": "90.0% ± 6 validation accuracy"}  # fmt: skip


class Head(HTMLParser):
    """The tags of a page before its scripts, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page.partition("<script")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def meta(self, name: str) -> str | None:
        """The content of a meta element."""
        found = (a for tag, a in self.tags if tag == "meta" and name in a.values())
        return next(found, {}).get("content")


def page(title: str, **more: Any) -> str:
    about, drawing = f"Classification on {title}", drawing_of(GRAPH)
    facts = {"title": title, "about": about, "made": "Made.", "samples": [], "drawing": drawing}
    facts |= {"interface": {"inputs": [], "outputs": []}, **more}
    return page_of(facts, "onnx.js", "default-src 'none'", {})


def test_a_chat_shows_name_and_result() -> None:
    head = Head(page("My net", result=RESULT))
    assert (head.meta("og:title"), head.meta("og:type")) == ("My net", "website")
    expected = "90.0% ± 6 validation accuracy. Classification on My net. Made with Layerloom."
    assert head.meta("description") == head.meta("og:description") == expected
    assert Head(page("My net")).meta("description") == (
        "Classification on My net. Made with Layerloom."
    )


def test_the_drawing_has_a_bar_for_each_block_and_no_text() -> None:
    drawing = drawing_of(GRAPH)
    assert drawing.count("<rect") == len(GRAPH.nodes)
    assert drawing.count("M") == len(GRAPH.edges)
    assert re.sub(r"<[^>]*>", "", drawing).strip() == ""
    assert page("My net").count("<rect") >= len(GRAPH.nodes)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_of_a_stranger_adds_no_tag_and_no_attribute(name: str) -> None:
    usual, head = Head(page("usual", result=RESULT)), Head(page(name, result=RESULT))
    assert [tag for tag, _ in head.tags] == [tag for tag, _ in usual.tags]
    assert [a.keys() for _, a in head.tags] == [a.keys() for _, a in usual.tags]
