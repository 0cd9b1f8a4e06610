"""Expressions of composites: integer arithmetic on names, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graph.expression import ExpressionError, evaluate, is_expression, names, parse

ENV = {"channels": 16, "k": 3, "bias": False, "mode": "same", "rate": 0.5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=channels", 16),
        ("=channels * 2", 32),
        ("=channels*2+k", 35),
        ("=2 + channels * 2", 34),
        ("=(2 + channels) * 2", 36),
        ("=channels // k // 2", 2),
        ("=channels - k - 1", 12),
        ("=channels - (k - 1)", 14),
        ("=-k", -3),
        ("=-k // 2", -2),
        ("= ( ( 7 ) ) ", 7),
        ("channels + 1", 17),
        ("=bias", False),
        ("=mode", "same"),
    ],
)
def test_an_expression_has_its_value(text: str, value: object):
    assert evaluate(text, ENV) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("=", "lacks a name or an integer at its end"),
        ("=channels *", "lacks a name or an integer at its end"),
        ("=* 2", "lacks a name or an integer before '*'"),
        ("=channels ** 2", "lacks a name or an integer before '*'"),
        ("=2 channels", "is not understood at 'channels'"),
        ("=(channels", 'lacks a ")"'),
        ("=channels)", "is not understood at ')'"),
        ("=channels / 2", "may hold names, integers, + - * // and ( ), but not '/'"),
        ("=channels.real", "may hold names, integers, + - * // and ( ), but not '.'"),
        ("=channels % 2", "may hold names, integers, + - * // and ( ), but not '%'"),
        ("=channels\n+ 1", "may hold names, integers, + - * // and ( ), but not '\\n'"),
        ("=1.5", "may hold names, integers, + - * // and ( ), but not '.'"),
        ("=ｋ", "may hold names, integers, + - * // and ( ), but not 'ｋ'"),
        ("=٣", "may hold names, integers, + - * // and ( ), but not '٣'"),
        ("=abs(k)", "is not understood at '('"),
        (
            "=depth",
            "uses depth, which is no setting of the composite"
            " (it has: bias, channels, k, mode, rate)",
        ),
        ("=mode + 1", "calculates with mode, which is not an integer"),
        ("=bias + 1", "calculates with bias, which is not an integer"),
        ("=k // (channels - 16)", "divides by zero"),
        ("=9223372036854775807 + 1", "leaves the range of 64-bit integers"),
        ("=" + "1+" * 100 + "1", "is longer than 200 characters"),
        ("=" + "(" * 21 + "1" + ")" * 21, "is nested deeper than 20"),
        ("=" + "-" * 30 + "1", "is nested deeper than 20"),
    ],
)
def test_anything_else_is_refused_with_the_reason(text: str, reason: str):
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, ENV)
    assert str(caught.value) == reason


def test_the_names_of_an_expression_are_found():
    assert names(parse("=a * (b - a) // 2")) == {"a", "b"}


@given(st.text(alphabet="ab12+-*/() ", max_size=30))
def test_what_is_read_has_the_value_python_gives(text: str):
    env = {"a": 7, "b": -3}
    try:
        found = evaluate(text, env)
    except ExpressionError:
        return
    assert found == eval(text.strip(), {"__builtins__": {}}, env)


@pytest.mark.parametrize(
    ("value", "is_one"), [("=a", True), ("a", False), (3, False), (None, False)]
)
def test_only_text_that_starts_with_an_equals_sign_is_an_expression(value: object, is_one: bool):
    assert is_expression(value) is is_one
