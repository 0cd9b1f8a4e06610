"""A value's picture holds few numbers, on one scale, and says what is no number."""

import base64

import torch

from core.insight.one_sample.pictures import NO_NUMBER, picture
from core.insight.one_sample.values import began


def data_of(made: dict) -> list[int]:
    return list(base64.b64decode(made["data"]))


def test_maps_share_one_scale_about_zero() -> None:
    made = picture(torch.tensor([[[[-2.0, 0.0]], [[1.0, 2.0]]]]))
    assert (made["kind"], made["shape"], made["of"]) == ("maps", [2, 1, 2], 2)
    assert (made["low"], made["high"]) == (-2.0, 2.0)
    assert data_of(made) == [0, 127, 190, 254]


def test_what_is_no_number_is_marked() -> None:
    made = picture(torch.tensor([[[0.0, float("nan")], [1.0, float("inf")]]]))
    assert made["bad"]
    assert data_of(made) == [0, NO_NUMBER, 254, NO_NUMBER]
    assert picture(torch.tensor([[float("nan"), 1.0]]))["values"] == ["nan", 1.0]


def test_a_span_beyond_float32_keeps_its_scale() -> None:
    found = picture(torch.tensor([[[3e38, -3e38], [0.0, 1.5e38]]]))
    assert data_of(found) == [254, 0, 127, 190]


def test_large_values_become_small_pictures() -> None:
    assert picture(torch.rand(1, 64, 112, 112))["shape"] == [8, 32, 32]
    assert picture(torch.rand(1, 500, 700))["shape"] == [1, 32, 96]
    assert picture(torch.rand(1, 3, 64, 64), is_image=True)["shape"] == [3, 32, 32]
    assert picture(torch.rand(1, 400))["shape"] == [1, 10, 40]
    assert len(picture(torch.rand(1, 10))["values"]) == 10
    assert picture(7) == {"kind": "number", "values": [7]}


def test_the_first_block_whose_value_is_no_number_is_found() -> None:
    good, bad = torch.ones(2), torch.tensor([1.0, float("nan")])
    masked = torch.tensor([float("-inf"), 0.0])
    wires = {"a": {"output": good}, "mask": {"output": masked}, "b": {"output": bad}}
    assert began(wires) == "b"
    assert began({"mask": {"output": masked}}) == ""
