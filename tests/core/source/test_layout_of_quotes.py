"""Where a statement is broken: brackets and commas inside a text are none of the statement's."""

import pytest

from core.source.layout import split, wrap

LONG = "x" * 80


@pytest.mark.parametrize("text", [r'"C:\\"', r'"say \"(, \\"', r'"\\\\"', r'"\\\",("', '"("'])
def test_a_text_ends_at_its_closing_quote_whatever_stands_before_it(text: str) -> None:
    assert split(f'{text}, more="y"') == [text, 'more="y"']
    assert wrap("    ", f'self.mine = Mine({text}, more="{LONG}")') == [
        "    self.mine = Mine(",
        f"        {text},",
        f'        more="{LONG}",',
        "    )",
    ]
