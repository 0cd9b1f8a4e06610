"""Text from files reaches Markdown letter for letter."""

import pytest

from app.markdown import escape_markdown


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("conv1", "conv1"),
        ("**bold**", r"\*\*bold\*\*"),
        ("[a](javascript:x)", "\\[a\\]\\(javascript\\:\u2060x\\)"),
        ("<script>", r"\<script\>"),
        ("$x$", r"\$x\$"),
        ("a\nb\tc", "a b c"),
    ],
)
def test_punctuation_is_escaped_and_lines_are_joined(text, written):
    assert escape_markdown(text) == written


def test_an_icon_name_cannot_form():
    assert ":material" not in escape_markdown(":material/delete: :red[x] :smile:").replace("\\", "")


def test_long_text_ends_in_an_ellipsis():
    assert escape_markdown("a" * 300) == "a" * 199 + "…"
