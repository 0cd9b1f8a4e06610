"""Which of two 8-bit files is kept: the static one while it costs next to nothing."""

from typing import cast

import pytest

from core.export import onnx_low_precision
from core.export.onnx_low_precision import make_int8
from core.export.result import ExportedFile, Quality
from core.export.subject import Subject


def chosen(monkeypatch: pytest.MonkeyPatch, static: float, dynamic: float) -> str:
    """The file kept for a network of 0.9 accuracy, given the accuracies of both files."""
    reached = {"static": static, "dynamic": dynamic}

    def made(name: str) -> ExportedFile:
        return ExportedFile(name.encode(), 0.0, run=lambda: name)

    def quality(_subject: object, run: object) -> Quality:
        return Quality("val_accuracy", 0.9, reached[run()], 0.0, 100, {})  # pyright: ignore

    monkeypatch.setattr(onnx_low_precision, "calibration", lambda _: (1,))
    monkeypatch.setattr(onnx_low_precision, "make_static", lambda _: made("static"))
    monkeypatch.setattr(onnx_low_precision, "make_dynamic", lambda _: made("dynamic"))
    monkeypatch.setattr(onnx_low_precision, "quality", quality)
    return make_int8(cast(Subject, None)).content.decode()


@pytest.mark.parametrize(
    ("static", "dynamic", "kept"),
    [
        (0.895, 0.9, "static"),  # costs less than a hundredth
        (0.85, 0.9, "dynamic"),
        (0.85, 0.84, "static"),  # the other costs still more
    ],
)
def test_static_is_kept_while_it_costs_a_hundredth_or_less_than_dynamic(
    monkeypatch: pytest.MonkeyPatch, static: float, dynamic: float, kept: str
) -> None:
    assert chosen(monkeypatch, static, dynamic) == kept
