"""Settings as given: wrong, strange and hostile values are refused with a fix."""

import subprocess
import sys
from typing import Any

import pytest

from blocks import CATALOGUE, Problem
from blocks.validate import LIMIT, setting_problems


def problem(name: str, **given: Any) -> Problem:
    block = CATALOGUE[name]
    found = setting_problems(block, {**block.start, **given})
    assert len(found) == 1, found
    return found[0]


def titles(found: Problem) -> list[str]:
    return [fix.title for fix in found.fixes]


def test_an_unknown_setting_with_a_near_one():
    found = problem("Conv2d", kernal_size=5)
    assert found.code == "unknown_setting"
    assert found.message == "has a setting 'kernal_size' that Conv2d does not know."
    assert found.hint == "Did you mean kernel_size?"
    assert found.fixes[0].edits == ({"op": "set", "settings": {"kernal_size": None}},)


def test_an_unknown_setting_of_a_block_without_any():
    found = problem("Sigmoid", colour="red")
    assert found.hint == "Sigmoid has no settings; remove it."


def test_a_missing_setting():
    found = setting_problems(CATALOGUE["Linear"], {})
    assert [p.code for p in found] == ["bad_setting"]
    assert found[0].message == "needs out_features but has none."
    assert titles(found[0]) == ["Set out_features to 10"]


def test_a_number_below_its_range():
    found = problem("Conv2d", out_channels=0)
    assert found.message == "needs out_channels to be a whole number of at least 1 but receives 0."
    assert titles(found) == ["Set out_channels to 1"]


def test_a_share_above_one():
    found = problem("Dropout", p=1.5)
    assert found.message == "needs p to be a number from 0 to 1 but receives 1.5."
    assert titles(found) == ["Set p to 1", "Remove p (torch's default)"]


def test_a_word_that_is_no_choice():
    found = problem("Conv2d", padding_mode="mirror")
    assert found.message == (
        "needs padding_mode to be one of zeros, reflect, replicate, circular but receives 'mirror'."
    )


def test_a_size_with_too_many_numbers():
    found = problem("Conv2d", kernel_size=(3, 3, 3))
    assert found.message == (
        "needs kernel_size to be a whole number of at least 1 or a list of 2 "
        "but receives [3, 3, 3]."
    )
    assert titles(found) == ["Set kernel_size to 3"]


def test_an_inferred_setting_of_the_wrong_kind_may_follow_the_wire():
    found = problem("Linear", in_features="many")
    assert titles(found)[0] == "Remove in_features (let the wire decide)"


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("Conv2d", "kernel_size", 3),
        ("Conv2d", "kernel_size", (3, 5)),
        ("Conv2d", "kernel_size", [3, 5]),
        ("Conv2d", "padding", "same"),
        ("Conv2d", "in_channels", 3),
        ("MaxPool2d", "stride", None),
        ("BatchNorm2d", "momentum", None),
        ("AdaptiveAvgPool2d", "output_size", (None, 7)),
        ("LayerNorm", "normalized_shape", 64),
        ("LayerNorm", "normalized_shape", (16, 8, 8)),
        ("Dropout", "p", 1),
        ("reshape", "shape", (-1, 16)),
        ("pad", "pad", (-1, 2)),
        ("mean", "dim", 1),
        ("mean", "dim", (2, 3)),
    ],
)
def test_legal_values_pass(name: str, setting: str, value: Any):
    block = CATALOGUE[name]
    assert setting_problems(block, {**block.start, setting: value}) == []


HOSTILE = [
    True,
    "3",
    "__import__('os').system('true')",
    "3); import os; (",
    3.0,
    float("nan"),
    float("inf"),
    10**30,
    -(10**30),
    LIMIT + 1,
    None,
    (),
    (3, True),
    (3, "3"),
    (3, None),
    ((3, 3), 3),
    {"a": 1},
    b"3",
    object(),
    3 + 0j,
    [3] * 10_000,
]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda v: repr(v).split(" at 0x")[0][:30])
def test_what_is_no_kernel_size_is_refused(value: Any):
    found = problem("Conv2d", kernel_size=value)
    assert found.code == "bad_setting"
    assert len(found.message) < 200


@pytest.mark.parametrize("value", [*HOSTILE, 3], ids=lambda v: repr(v).split(" at 0x")[0][:30])
def test_what_is_no_choice_is_refused(value: Any):
    assert problem("RNN", nonlinearity=value).code == "bad_setting"
    assert problem("to", dtype=value).code == "bad_setting"


@pytest.mark.parametrize(
    "value",
    [True, "0.5", float("nan"), float("inf"), 10**400, (0.5,), None],
    ids=lambda v: repr(v)[:30],
)
def test_what_is_no_share_is_refused(value: Any):
    assert problem("Dropout", p=value).code == "bad_setting"


@pytest.mark.parametrize("value", [1, 0, "true", None, (True,)])
def test_what_is_no_switch_is_refused(value: Any):
    assert problem("Conv2d", bias=value).code == "bad_setting"


def test_a_hostile_name_is_cut_short():
    found = problem("ReLU", **{"x" * 5000: 1})
    assert found.code == "unknown_setting"
    assert len(found.message) < 200
    assert len(found.fixes[0].title) < 100


def test_the_catalogue_imports_no_torch_and_nothing_of_the_other_rooms():
    code = (
        "import sys, blocks, blocks.validate, blocks.checks, blocks.catalogue;"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in"
        " ('torch', 'numpy', 'core', 'app', 'streamlit')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
