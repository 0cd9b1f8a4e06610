"""Texts that a person reads are plain English, as assets/words.md describes it."""

import re

import pytest

from tests import words

FORBIDDEN = {
    r"(?<!there )\b(is|are|was) no (?!longer\b|more\b|less\b|better\b|worse\b)": "is not a",
    r"\bno finite\b": "not finite",
    r"\b(told|said)\b": "shown, stated, given",
    r"\b(says|tells)\b": "shows, states",
    r"\bchances?\b": "probability",
    r"\bspread\b": "standard deviation, or divided among",
    r"\bnewest\b": "latest",
    r"\bput(s|ting)? out\b": "output",
    r"\banew\b": "again, from scratch",
    r"\bamid\b": "in, between",
    r"\bby heart\b": "memorised",
    r"\b(whoever|whichever)\b": "a name for who or which",
    r"\bshall\b": "should, will, is to",
    r"\b(lacks|lacking)\b": "has no, is missing",
    r"\b(likeness|how like)\b": "similarity",
    r"\bof itself\b": "by itself, automatically",
    r"\bwhat came of\b": "results",
    r"\b(is|are|was|were) (asked|wanted)\b": "requested, needed",
    r"\bat hand\b": "here, available",
    r"\bcheck sum\b": "checksum",
}
TEXTS = list(words.all_texts())


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_no_text_has_a_word_that_nobody_uses(pattern):
    bad = [text for text in TEXTS if re.search(pattern, text.text, re.IGNORECASE)]

    lines = [f"{text.file}:{text.line}: {' '.join(text.text.split())}" for text in bad]
    assert not lines, f"better: {FORBIDDEN[pattern]}\n" + "\n".join(lines)


def test_texts_of_all_kinds_are_read(tmp_path):
    python = tmp_path / "page.py"
    python.write_text('"""A docstring."""\nTEXT = f"{1} is no number"\nKEY = "key"\n')
    script = tmp_path / "Bar.tsx"
    script.write_text(
        '// no comment\nconst a = "Two words"; <b className="two names">Best epoch</b>\n'
    )

    assert list(words.python_texts(python)) == [(2, "{} is no number")]
    assert list(words.typescript_texts(script)) == [(2, "Two words"), (2, "Best epoch")]
