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
        ("=", "is missing a name or an integer at its end"),
        ("=channels *", "is missing a name or an integer at its end"),
        ("=* 2", "is missing a name or an integer before '*'"),
        ("=channels ** 2", "is missing a name or an integer before '*'"),
        ("=2 channels", "has an unexpected 'channels'"),
        ("=(channels", 'is missing a ")"'),
        ("=channels)", "has an unexpected ')'"),
        ("=channels / 2", "contains '/'; only names, integers, + - * // and ( ) are allowed"),
        ("=channels.real", "contains '.'; only names, integers, + - * // and ( ) are allowed"),
        ("=channels % 2", "contains '%'; only names, integers, + - * // and ( ) are allowed"),
        ("=channels\n+ 1", "contains '\\n'; only names, integers, + - * // and ( ) are allowed"),
        ("=1.5", "contains '.'; only names, integers, + - * // and ( ) are allowed"),
        ("=ｋ", "contains 'ｋ'; only names, integers, + - * // and ( ) are allowed"),
        ("=٣", "contains '٣'; only names, integers, + - * // and ( ) are allowed"),
        ("=abs(k)", "has an unexpected '('"),
        (
            "=depth",
            "uses depth, which is not a setting of the composite"
            " (settings: bias, channels, k, mode, rate)",
        ),
        ("=mode + 1", "calculates with mode, which is not an integer"),
        ("=bias + 1", "calculates with bias, which is not an integer"),
        ("=k // (channels - 16)", "divides by zero"),
        ("=9223372036854775807 + 1", "exceeds the range of 64-bit integers"),
        ("=" + "1+" * 100 + "1", "is longer than 200 characters"),
        ("=" + "(" * 21 + "1" + ")" * 21, "is nested more than 20 levels deep"),
        ("=" + "-" * 30 + "1", "is nested more than 20 levels deep"),
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
