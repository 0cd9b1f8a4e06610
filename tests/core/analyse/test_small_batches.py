"""What is the same for every large batch may still be less for a small one."""

from typing import Any

import pytest

from core.analyse import analyse
from tests.core.drawing import END, chain


@pytest.mark.parametrize(
    ("block", "settings", "result"),
    [
        ("diagonal", {"dim1": 0, "dim2": 1}, "(?,)"),  # min(N, 16) numbers
        ("getitem", {"index": "[:5]"}, "(?, 16)"),
        ("getitem", {"index": "[0]"}, "(16,)"),
        ("flip", {"dims": [0]}, "(N, 16)"),
    ],
)
def test_a_size_that_small_batches_do_not_reach_is_open(
    block: str, settings: dict[str, Any], result: str
) -> None:
    report = analyse(chain(("data", ("Input", {"shape": (16,)})), ("part", (block, settings)), END))
    assert str(report.outputs[0][1]) == result
