"""Text from files reaches Markdown letter for letter."""

import pytest

from app.markdown import label


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
    assert label(text) == written


def test_an_icon_name_cannot_form():
    assert ":material" not in label(":material/delete: :red[x] :smile:").replace("\\", "")


def test_long_text_ends_in_an_ellipsis():
    assert label("a" * 300) == "a" * 199 + "…"
