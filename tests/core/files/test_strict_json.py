"""Strict JSON: what it reads is what json.loads reads, minus everything ambiguous."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.strict import decode, parse
from core.project import ProjectError

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(values, st.booleans())
def test_strict_json_reads_all_that_json_writes(value: Any, ascii_only: bool):
    assert parse(json.dumps(value, ensure_ascii=ascii_only)) == value


@given(st.text(alphabet='{}[]",:\\ue+-.019aNIdD8cCnftl \n', max_size=40))
def test_what_strict_json_accepts_has_no_second_meaning(text: str):
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    def finite(number: str) -> float:
        assert math.isfinite(float(number))
        return float(number)

    try:
        value = parse(text)
    except ProjectError:
        return
    again = json.loads(text, object_pairs_hook=once, parse_float=finite, parse_constant=pytest.fail)
    assert again == value
    json.dumps(value, ensure_ascii=False).encode("utf-8")  # no half characters


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1,\n "a": 2}', "line 2, column 2"),
        ('{"a": {"b": 1, "\\u0062": 2}}', "line 1, column 16"),
        ('[{"a": 1}, {"a": 1, "b": 2, "a": 3}]', "line 1, column 29"),
        ("[1,\n\n NaN]", "line 3, column 2"),
        ("[-Infinity]", "line 1, column 2"),
        ("[1, 1e309]", "line 1, column 5"),
        ("[-1.5E999]", "line 1, column 2"),
        ('["\\ud83d"]', "line 1, column 3"),
        ('["\\\\\\ud83d"]', "line 1, column 5"),
        ("[" * 65 + "]" * 65, "line 1, column 65"),
        ("[" + "1" * 4301 + "]", "line 1, column 2"),
    ],
)
def test_oddities_are_refused_at_their_place(text: str, place: str):
    with pytest.raises(ProjectError) as caught:
        parse(text)
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "a", "b": "a"}', {"a": "a", "b": "a"}),
        ('[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('["NaN", "1e999", "{{{{", "]"]', ["NaN", "1e999", "{{{{", "]"]),
        ('["\\ud83d\\ude00", "\\\\ud800", "\\"[[["]', ["😀", "\\ud800", '"[[[']),
        ("[" * 64 + "]" * 64, None),
        ("[1e308, 1e-999]", [1e308, 0.0]),
        (f"[{'1' * 4299}]", None),
    ],
)
def test_what_only_looks_odd_is_read(text: str, value: Any):
    found = parse(text)
    assert value is None or found == value


def test_bytes_that_are_not_utf8_name_their_line():
    with pytest.raises(ProjectError) as caught:
        decode(b'{\n"a": "\xff"}')
    assert str(caught.value) == "line 2 is not UTF-8 text. Save the file with the encoding UTF-8."
