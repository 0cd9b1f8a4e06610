"""Source that would take time or memory without end is refused before it is executed."""

import pytest

from core import build
from core.source.audit import AuditError

NET = """import torch
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        y = {}
        return x
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[0] * 100000000000", "a list or text repeated 100,000,000,000 times"),
        ("100000 * 1000000 * (1, 2)", "a list or text repeated 100,000,000,000 times"),
        ("'ab' * 20000000", "a list or text repeated 20,000,000 times"),
        ("[i for i in range(1000000000000)]", "a range of more than 10,000,000"),
        ("[i for i in range(0, 10000 * 10000)]", "a range of more than 10,000,000"),
    ],
)
def test_numbers_that_grow_without_end_are_refused(text: str, message: str):
    with pytest.raises(AuditError) as refused:
        build(NET.format(text))
    assert str(refused.value) == f"line 10: generated source never contains {message}"


@pytest.mark.parametrize("text", ["9**9**9**9", "x**2"])
def test_powers_are_refused(text: str):
    with pytest.raises(AuditError, match="generated source never contains Pow"):
        build(NET.format(text))


def test_repeating_a_few_times_is_allowed():
    build(NET.format("[0] * 64"))
    build(NET.format("[i * 1000000000 for i in range(12)]"))
