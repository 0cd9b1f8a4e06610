"""TensorBoard: histograms and pictures in the event files, how much of them, and at what cost."""

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from core.runs import checkpoint
from core.runs.verdict_facts import read_curves
from core.worker import board_pictures, board_views
from core.worker.board_views import BoardViews
from core.worker.run_logger import THINNED, on_board
from core.worker.tensorboard import histogram
from tests.core.small_runs import train_here

Make = Callable[..., Path]


def events_of(run_dir: Path) -> EventAccumulator:
    events = EventAccumulator(
        str(run_dir / "tensorboard"), size_guidance={"images": 0, "histograms": 0}
    )
    events.Reload()
    return events


def weights(run_dir: Path) -> dict[str, torch.Tensor]:
    return checkpoint.load(run_dir, "last")["model"]


def test_a_short_run_ends_with_histograms_and_pictures(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_views, "SHARE", 0.0)
    run_dir = small_run(epochs=1)
    assert train_here(run_dir).state == "finished"
    events = events_of(run_dir)
    tags = events.Tags()
    assert {"conv1.weight", "gradients/conv1.weight", "fc1.bias", "gradients/fc1.bias"} <= {
        *tags["histograms"]
    }
    pictures = ["samples", "samples/predictions", "confusion_matrix", "filters/conv1",
                "feature_maps/conv1"]  # fmt: skip
    assert tags["images"] == pictures
    assert [[e.step for e in events.Images(tag)] for tag in pictures[1:]] == [[23]] * 4
    [weight] = events.Histograms("conv1.weight")
    assert weight.histogram_value.num == 4 * 9
    last = weights(run_dir)["conv1.weight"]
    assert weight.histogram_value.sum == pytest.approx(last.double().sum().item())


def test_tensorboard_has_every_epoch(small_run: Make) -> None:
    run_dir = small_run(epochs=15)
    assert train_here(run_dir).state == "finished"
    events = EventAccumulator(str(run_dir / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    columns, _ = read_curves(run_dir / "metrics.jsonl")
    losses = [scalar.value for scalar in events.Scalars("epoch/val_loss")]
    assert losses == pytest.approx(columns["val_loss"])
    assert [scalar.step for scalar in events.Scalars("epoch/val_loss")] == columns["step"]
    assert len(losses) == 15


def test_only_very_long_runs_are_thinned_and_say_so() -> None:
    assert all(on_board(epoch) for epoch in range(1, 10_001))
    assert [epoch for epoch in range(19_995, 20_009) if on_board(epoch)] == [
        19_996, 19_998, 20_000, 20_004, 20_008,
    ]  # fmt: skip
    assert THINNED == (
        "TensorBoard gets each epoch up to 10,000, every 2nd up to 20,000, every 4th up to 40,000, "
        "and so on; metrics.jsonl has them all."
    )


def test_what_tensorboard_gets_changes_no_weight(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_views, "SHARE", 1e9)
    much = small_run()
    train_here(much)
    assert [e.step for e in events_of(much).Histograms("conv1.weight")] == [23, 46]
    monkeypatch.setattr(BoardViews, "_write", lambda self: None)
    nothing = small_run()
    train_here(nothing)
    assert events_of(nothing).Tags()["histograms"] == []
    first, second = weights(much), weights(nothing)
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_table_of_rows_has_their_targets_and_predictions_in_words(iris_run: Make) -> None:
    run_dir = iris_run(epochs=1)
    train_here(run_dir)
    assert "samples/predictions/text_summary" in events_of(run_dir).Tags()["tensors"]


class FakeBoard:
    """A board whose files grow by as many bytes as a test says."""

    missing = False

    def __init__(self) -> None:
        self.files, self.written = self, 0

    def before(self) -> int:
        return 0


def offered(monkeypatch: pytest.MonkeyPatch, cost_s: float, bytes_each: int) -> list[int]:
    """Epochs of 100, a second each, after which something is written."""
    now, written = [0.0], list[int]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    engine: Any = SimpleNamespace(
        eval_model=torch.nn.Linear(1, 1), module=None, epoch=0, step=0, training={"epochs": 100}
    )
    board: Any = FakeBoard()

    def write(self: BoardViews) -> None:
        now[0] += cost_s
        board.written += bytes_each
        written.append(engine.epoch)

    monkeypatch.setattr(BoardViews, "write", write)
    views = BoardViews(board, engine, cast(Any, SimpleNamespace(names={})))
    for engine.epoch in range(1, 101):
        engine.step += 1
        now[0] += 1.0
        views.epoch()
    views.end()
    return written


def test_what_is_written_between_epochs_takes_at_most_a_hundredth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert offered(monkeypatch, 0.2, 1) == [5, 40, 60, 80, 100]


def test_what_is_written_is_spread_over_the_run_and_ends_at_20_mb(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert offered(monkeypatch, 0.0, 4_000_000) == [5, 40, 60, 80, 100]


def test_a_histogram_counts_every_value_in_64_buckets_of_one_width() -> None:
    found = histogram(torch.arange(128.0))
    assert found is not None
    assert found["bucket_counts"] == [2.0] * 64
    assert found["bucket_limits"][0] == pytest.approx(127 / 64)
    assert found["bucket_limits"][-1] == 127.0
    assert (found["min"], found["max"], found["num"], found["sum"]) == (0.0, 127.0, 128, 8128.0)


def test_histograms_of_equal_none_and_not_finite_values() -> None:
    equal = histogram(torch.full((3,), 2.0))
    assert equal is not None
    assert (equal["bucket_limits"], equal["bucket_counts"]) == ([2.0], [3])
    assert histogram(torch.empty(0)) is None
    assert histogram(torch.tensor([1.0, torch.inf])) is None


def test_a_histogram_of_a_large_tensor_takes_evenly_chosen_values() -> None:
    found = histogram(torch.arange(200_000.0))
    assert found is not None
    assert found["num"] == 50_000


def test_a_confusion_matrix_is_darkest_where_its_row_is_largest() -> None:
    sheet = board_pictures.confusion(np.array([[8, 0], [1, 7]]), ["cat", "dog"])
    assert sheet is not None
    assert sheet.shape == (14 + 2 * 22, 100 + 2 * 22, 3)
    corner = [tuple(sheet[14 + 22 * row + 1, 100 + 22 * col + 1].tolist()) for row, col in
              ((0, 0), (0, 1))]  # fmt: skip
    assert corner == [(38, 70, 160), (255, 255, 255)]
    assert board_pictures.confusion(np.zeros((201, 201)), ["a"] * 201) is None


def test_tiles_reach_from_black_to_white_and_are_large_enough_to_see() -> None:
    shown = board_pictures.tiles(np.array([[[[-1.0, 3.0]]]]))
    assert shown.shape == (1, 1, 25, 49)
    assert (shown[0, 0, 0, 0], shown[0, 0, 0, 30], shown[0, 0, 0, 48]) == (0, 255, 0)
