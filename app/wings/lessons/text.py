"""Texts of lessons as HTML: escaped, `code` for names of blocks, *bold* for buttons."""

import re
from collections.abc import Iterable

from app.pages.shared.markup import escape, with_terms
from core.claims import ClaimResult

_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*([^*]+)\*")


def paragraph(words: str) -> str:
    """A paragraph of a lesson."""
    return f'<p class="ll-lesson ll-prose">{with_terms(marked(words))}</p>'


def marked(words: str) -> str:
    """Escape a text and render `code` and *bold*."""
    return _BOLD.sub(r"<b>\1</b>", _CODE.sub(r"<code>\1</code>", escape(words)))


def worked(lines: Iterable[str]) -> str:
    """A calculation, line by line."""
    return (
        '<ol class="ll-worked">' + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ol>"
    )


def verdicts(judged: Iterable[ClaimResult]) -> str:
    """Claims with their state: a mark, a word and a colour."""
    rows = "".join(_verdict(each) for each in judged)
    return f'<ul class="ll-claims">{rows}</ul>'


def _verdict(verdict: ClaimResult) -> str:
    kind, mark, word = ("holds", "✓", "done") if verdict.holds else ("open", "○", "open")
    now = f"<small>{escape(verdict.now)}</small>" if verdict.now else ""
    seen = f'<i role="img" aria-label="{word}">{mark}</i>'
    return f'<li class="{kind}">{seen}<span>{escape(verdict.text)}{now}</span></li>'
