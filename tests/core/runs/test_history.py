"""Curves of any length reach a screen as a few thousand points, and no spike is lost."""

import json
import math
from pathlib import Path

from core.runs.history import SHOWN, Histories, History, thin
from core.runs.jsonl import Lines, read, truncate_after

STEP = {"attempt": 1, "kind": "step"}


def write(path: Path, steps: range, spike: int = -1) -> None:
    lines = Lines(path)
    for first in range(steps.start, steps.stop, 1000):
        some = list(range(first, min(first + 1000, steps.stop)))
        loss = [99.0 if step == spike else round(1 / step, 6) for step in some]
        lines.write({**STEP, "step": some, "epoch": [1] * len(some), "loss": loss})
    lines.close()


def test_a_hundred_thousand_points_arrive_as_two_thousand_with_first_last_and_the_spike(
    tmp_path: Path,
) -> None:
    path = tmp_path / "metrics.jsonl"
    write(path, range(1, 100_001), spike=54_321)
    records, offset = Histories().window(path, 1)
    assert offset == path.stat().st_size
    (record,) = records
    assert 1000 < len(record["step"]) <= SHOWN
    assert (record["step"][0], record["step"][-1]) == (1, 100_000)
    assert record["loss"][record["step"].index(54_321)] == 99.0
    assert record["step"] == sorted(record["step"])
    assert len(json.dumps(records)) < 100_000


def test_a_part_that_is_looked_at_closely_has_every_step(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    write(path, range(1, 50_001))
    part = Histories().between(path, 1, 30_000, 30_004)
    assert part["step"] == [30_000, 30_001, 30_002, 30_003, 30_004]
    assert part["loss"] == [round(1 / step, 6) for step in part["step"]]


def test_only_what_was_added_is_read(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "metrics.jsonl"
    write(path, range(1, 2001))
    history = History(path)
    history.refresh(1)
    read_from: list[int] = []
    monkeypatch.setattr(
        "core.runs.jsonl.read", lambda p, at, *_: (read_from.append(at), read(p, at))[1]
    )
    before = history.offset
    write(path, range(2001, 2011))
    history.refresh(1)
    assert read_from == [before]
    assert history.kinds["step"]["step"] == list(range(1, 2011))


def test_another_attempt_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    write(path, range(1, 3001))
    history = History(path)
    history.refresh(1)
    truncate_after(path, 1500, 1)
    write(path, range(1501, 4001))
    history.refresh(2)
    assert history.kinds["step"]["step"] == list(range(1, 4001))


def test_a_column_that_came_later_and_losses_that_were_no_numbers_keep_their_places() -> None:
    history = History(Path("metrics.jsonl"))
    history._add({**STEP, "step": [1, 2], "loss": [0.5, None]})
    history._add({**STEP, "step": [3], "loss": [0.25], "lr": [0.1]})
    assert history.kinds["step"] == {
        "step": [1, 2, 3],
        "loss": [0.5, None, 0.25],
        "lr": [None, None, 0.1],
    }
    columns = {"step": list(range(10)), "loss": [None, *range(1, 10)]}
    assert thin(columns, "loss", 4) == {"step": [0, 1, 9], "loss": [None, 1, 9]}


def test_a_pulse_past_the_checkpoint_is_cut_like_its_steps(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    lines = Lines(path)
    for step in (10, 20, 30):
        lines.write({**STEP, "step": [step - 1, step], "loss": [1.0, 1.0]})
        lines.write({"attempt": 1, "kind": "pulse", "step": [step], "grad_norm": [math.pi]})
    truncate_after(path, 20, 1)
    assert [line["step"] for line in read(path)[0]] == [[9, 10], [10], [19, 20], [20]]


def test_a_thinned_curve_carries_the_mean_of_what_it_leaves_out(tmp_path: Path) -> None:
    """Every fiftieth loss is 51, the others 1: their mean is 2, however few points are sent."""
    path = tmp_path / "metrics.jsonl"
    lines, steps = Lines(path), list(range(1, 100_001))
    losses = [51.0 if step % 50 == 0 else 1 + (step * 7 % 13 - 6) / 100 for step in steps]
    lines.write({**STEP, "step": steps, "epoch": [1] * len(steps), "loss": losses})
    lines.close()
    (record,) = Histories().window(path, 1)[0]
    assert sum(record["loss"]) / len(record["loss"]) > 20
    assert len(record["loss_mean"]) == len(record["step"])
    assert {round(mean) for mean in record["loss_mean"]} == {2}
    part = Histories().between(path, 1, 1, 5000)
    assert abs(sum(part["loss_mean"]) / len(part["loss_mean"]) - 2) < 0.1


def test_only_steps_carry_means_and_only_where_some_are_left_out() -> None:
    few = thin({"step": [1, 2], "loss": [3.0, None]}, "loss", mean=True)
    assert few == {"step": [1, 2], "loss": [3.0, None]}
    losses = [None] * 4 + [1.0, 2.0, None, None]
    gap = thin({"step": list(range(8)), "loss": losses}, "loss", 6, mean=True)
    assert gap["step"][-1] == 7
    assert gap["loss_mean"][0] is None
    assert gap["loss_mean"][-1] == 1.5
