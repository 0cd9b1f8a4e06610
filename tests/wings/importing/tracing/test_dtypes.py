"""A dtype that a call names, and the one that a call in place keeps, is the drawing's, too."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from tests.wings.importing.drawn import FIRST, Calls, compared, values_of

ROW = torch.tensor([[100.0, 50.5, 120.0]])
HIGH, WHOLE, MASK = torch.arange(3, dtype=torch.float64), torch.arange(3), torch.tensor([0, 1, 1])


@pytest.mark.parametrize(
    ("call", "values", "dtype"),
    [
        (lambda x: x.cumsum(1, dtype=torch.int32), [[100, 150, 270]], torch.int32),
        (lambda x: x.cumsum(1, dtype=torch.int8), [[100, -106, 14]], torch.int8),
        (lambda x: torch.cumprod(x, -1, dtype=torch.int16), [[100, 5000, 10176]], torch.int16),
        (lambda x: (x > 60).cumsum(1, dtype=torch.int32), [[1, 1, 2]], torch.int32),
        (lambda x: x.sum(1, dtype=torch.uint8), [14], torch.uint8),
        (lambda x: (x > 60).sum(-1, dtype=torch.float32), [2.0], torch.float32),
        (lambda x: torch.sum(x, dim=1, keepdim=True, dtype=torch.int32), [[270]], torch.int32),
        (lambda x: x.prod(1, dtype=torch.int8), [-64], torch.int8),
        (lambda x: (x > 60).mean(1, dtype=torch.float64), [2 / 3], torch.float64),
        (lambda x: x.nansum(1, dtype=torch.float64), [270.5], torch.float64),
    ],
)  # fmt: skip
def test_a_dtype_in_a_call_gives_its_values_and_its_dtype(
    call: Any, values: list[Any], dtype: torch.dtype
):
    result = values_of(call, ROW)
    assert result.dtype == dtype
    assert result.tolist() == values


@pytest.mark.gate
@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.softmax(1, torch.float64),
        lambda x: F.softmax(x, 1, 3, torch.float64),
        lambda x: torch.log_softmax(x, 1, dtype=torch.bfloat16),
        lambda x: F.softmin(x, 1, dtype=torch.float64),
        lambda x: x.mean((0, 1), dtype=torch.bfloat16) + x,
        lambda x: torch.norm(x, 2, 1, dtype=torch.float64),
        lambda x: torch.linalg.norm(x, 2, 1, dtype=torch.float64),
        lambda x: torch.linalg.vector_norm(x, 1, 1, dtype=torch.float64),
        lambda x: x.int() + torch.arange(3, dtype=torch.int32),
        lambda x: torch.zeros_like(x, dtype=torch.int16),
        lambda x: torch.full((x.shape[0], 3), 2, dtype=torch.int8),
        lambda x: x.clone().mul_(HIGH),
        lambda x: x.int().clone().mul_(WHOLE),
        lambda x: x.int().clone().cumsum_(1),
        lambda x: x.clone().copy_(HIGH),
        lambda x: x.clone().gt_(0.5),
        lambda x: x.half().clone().div_(x),
    ],
)
def test_a_call_that_fixes_a_dtype_is_drawn_equal(call: Any):
    judged = compared(Calls(call), 3)
    assert [judged[name].equal for name in FIRST] == [True, True]


def add_into(x: Tensor) -> Tensor:
    y = x.int()
    y += WHOLE
    return y


def test_an_operator_in_place_keeps_the_dtype_of_what_it_changes():
    result = values_of(add_into, ROW)
    assert result.dtype == torch.int32
    assert result.tolist() == [[100, 51, 122]]
