"""Where a statement is broken: brackets and commas inside a text are none of the statement's."""

import ast
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


NAMES = st.sampled_from(
    ["size1", "self.channels", "features", "12", "a_rather_long_name_of_a_size"]
)
TREES = st.recursive(
    NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+*"), inner).map(lambda t: f"({t[0]}) {t[1]} {t[2]}"),
        st.tuples(inner, inner).map(lambda t: f"(({t[0]} + 1) // {t[1]})"),
        inner.map(lambda t: f"features[{t}]"),
        inner.map(lambda t: f"torch.relu({t})"),
        inner.map(lambda t: f"({t},)"),
        st.lists(inner, min_size=2, max_size=4).map(lambda t: f"torch.reshape({', '.join(t)})"),
        st.lists(inner, min_size=1, max_size=3).map(lambda t: f"[{', '.join(t)}]"),
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(text=TREES, target=st.sampled_from(["x", "x[:, size1]", "self.layer", "a, b"]))
def test_a_broken_statement_says_what_the_whole_one_says(text: str, target: str) -> None:
    whole = f"{target} = {text}"
    lines = wrap("        ", whole)
    broken = dedent("\n".join(lines))
    assert ast.dump(ast.parse(broken)) == ast.dump(ast.parse(whole))
