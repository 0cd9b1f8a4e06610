"""Two tensors are equal in shape, dtype, values and strides, or a sentence names what is not."""

import math

import pytest
import torch
from torch import Tensor

from core.wings.importing.verify.compare_tensors import dict_difference, difference, largest_gap
from tests.wings.importing.drawn import FIRST, Calls, compared, values_of

GRID = torch.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (GRID.clone(), ""),
        (GRID.long(), "result 1 is int64 instead of float32"),
        (GRID.double(), "result 1 is float64 instead of float32"),
        (GRID[:1], "result 1 is (1, 3) instead of (2, 3)"),
        (GRID + 0.5, "result 1 differs by up to 5.0e-01"),
        (GRID.t().contiguous().t(), "result 1 has the strides (1, 2) instead of (3, 1)"),
        (GRID.clone().fill_(math.nan), "result 1 differs by up to nan"),
    ],
)
def test_what_differs_is_named(other: Tensor, sentence: str):
    assert difference([GRID], [other]) == sentence


def test_strides_of_dimensions_of_size_one_do_not_show():
    wide = torch.zeros(1, 3)
    assert difference([wide], [wide.as_strided((1, 3), (7, 1))]) == ""


@pytest.mark.parametrize(
    ("a", "b", "gap"),
    [
        (torch.tensor([True]), torch.tensor([False]), 1.0),
        (torch.tensor([math.nan, 1.0]), torch.tensor([math.nan, 1.0]), 0.0),
        (torch.tensor([math.inf]), torch.tensor([math.inf]), 0.0),
        (torch.tensor([2**53 + 1]), torch.tensor([2**53]), math.ulp(0.0)),
        (torch.tensor([3j]), torch.tensor([0j]), 3.0),
    ],
)
def test_every_dtype_has_a_gap(a: Tensor, b: Tensor, gap: float):
    assert largest_gap(a, b) == gap


def test_a_gradient_of_another_shape_or_dtype_is_named():
    assert dict_difference("gradients", {"w": GRID}, {"w": GRID[0]}) == (
        "gradients: w is (3,) instead of (2, 3)"
    )
    assert dict_difference("buffers", {"n": GRID}, {"n": GRID.long()}) == (
        "buffers: n is int64 instead of float32"
    )


def test_a_result_that_is_made_contiguous_is_so_in_the_drawing():
    judged = compared(Calls(lambda x: x.permute(0, 2, 1).contiguous()), 2, 3)
    assert [judged[name].equal for name in FIRST] == [True, True]
    result = values_of(lambda x: x.permute(0, 2, 1).contiguous(), torch.zeros(2, 2, 3))
    assert result.stride() == (6, 2, 1)
