"""Gradient clipping in a suggestion: one way of clipping, never two."""

from core.settings.adopt import adopt, use
from core.settings.suggest import Suggestion

CLIPPED = Suggestion({}, {"clip_norm": 1.0}, ("CrossEntropyLoss",), "")


def test_using_a_suggested_clipping_drops_the_other_way_of_clipping() -> None:
    assert use({"clip_value": 0.5, "warmup": 2, "epochs": 3}, CLIPPED) == {
        "epochs": 3, "clip_norm": 1.0,
    }  # fmt: skip


def test_a_clipping_of_ones_own_keeps_the_suggested_one_out() -> None:
    assert adopt({"clip_value": 0.5}, CLIPPED) == {"clip_value": 0.5}
    assert adopt({}, CLIPPED) == {"clip_norm": 1.0}
