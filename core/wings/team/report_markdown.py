"""One's own words, written in Markdown, as HTML without tags of their own and pictures."""

import re
from functools import cache

from markdown_it import MarkdownIt

from core.common.escaping import visible

_CODE = re.compile(r"(`+[^`]*`+)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("js-default", {"html": False, "linkify": False}).disable("image")


def as_html(words: str) -> str:
    """The words as HTML; tags in them are text, and links lead nowhere that runs."""
    return _parser().render(visible(words))


def as_cell(words: str) -> str:
    """The words as a cell of a notebook: Markdown in which tags and pictures are text."""
    pieces = _CODE.split(visible(words))
    pieces[::2] = [_TAG.sub("&lt;", piece).replace("![", "!\\[") for piece in pieces[::2]]
    return "".join(pieces).strip()


def split(text: str, titles: dict[str, str]) -> dict[str, str]:
    """A Markdown text in the parts of a report, by its headings. titles: key to heading.

    What stands above the first of these headings goes with the first part.
    """
    found: dict[str, list[str]] = {}
    key = next(iter(titles))
    keys = {title.casefold(): each for each, title in titles.items()}
    for line in text.splitlines():
        heading = re.fullmatch(r"#{1,6}\s+(.+?)\s*#*", line)
        if heading and heading[1].casefold() in keys:
            key = keys[heading[1].casefold()]
        else:
            found.setdefault(key, []).append(line)
    joined = {each: "\n".join(lines).strip() for each, lines in found.items()}
    return {each: words for each, words in joined.items() if words}
