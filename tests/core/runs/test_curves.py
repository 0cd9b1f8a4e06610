"""A long run has a summary beside its metrics, from which its first curve is drawn."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from core.runs import curves, damage, jsonl, listing
from core.runs.curves import CurveKeeper, Thinned, read_window
from core.runs.history import Histories, thin
from core.runs.jsonl import Lines

ROWS = 200


@pytest.fixture(autouse=True)
def from_the_first_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "FROM_BYTES", 1)


def loss(step: int) -> float | None:
    return None if step == 77 else 99.0 if step == 12_345 else round(1 + (step * 37 % 100) / 100, 2)


def record(first: int) -> dict[str, Any]:
    steps = list(range(first, first + ROWS))
    return {"attempt": 3, "kind": "step", "step": steps, "loss": [loss(s) for s in steps],
            "lr": [0.1] * ROWS}  # fmt: skip


def written(folder: Path, records: int) -> Path:
    """A run whose worker wrote records, and kept the summary."""
    lines = Lines(folder / "metrics.jsonl")
    keeper = CurveKeeper(lines.path, 3)
    for number in range(records):
        line = record(1 + number * ROWS)
        lines.write(line)
        keeper.add(line, lines.size)
    lines.close()
    return lines.path


def test_a_thinned_curve_has_first_last_lowest_highest_and_means(tmp_path: Path):
    path = written(tmp_path, 100)
    found = read_window(path, 3)
    assert found is not None
    assert found[1] == path.stat().st_size
    (step,) = found[0]
    assert (step["step"][0], step["step"][-1], len(step["step"])) == (1, 20_000, 1251)
    losses = [value for value in step["loss"] if value is not None]
    assert (min(losses), max(losses)) == (1.0, 99.0)
    spike = step["step"].index(12_345)
    stretch = [loss(s) or 0 for s in range(12_321, 12_353)]
    assert step["loss_mean"][spike] == pytest.approx(sum(stretch) / 32, rel=1e-6)
    assert sorted(step["step"]) == step["step"]


def test_a_short_curve_is_whole():
    thinned = Thinned("loss")
    thinned.add({"step": [1, 2, 3], "loss": [3.0, None, 1.0]})
    thinned.add({"step": [4], "loss": [2.0], "new": [7]})
    assert thinned.columns(mean=True) == {
        "step": [1, 2, 3, 4], "loss": [3.0, None, 1.0, 2.0], "new": [None, None, None, 7]
    }  # fmt: skip


def test_what_was_written_after_the_summary_is_read_too(tmp_path: Path):
    path = written(tmp_path, 20)
    with path.open("ab") as file:
        file.write(json.dumps(record(4001)).encode() + b"\n" + b'{"torn')
    records, offset = Histories().window(path, 3)
    assert records[0]["step"][-1] == 4200
    assert offset == path.stat().st_size - len(b'{"torn')


def test_a_run_without_a_summary_is_read_whole(tmp_path: Path):
    path = written(tmp_path, 20)
    (tmp_path / "curves.json").unlink()
    whole = thin({"step": list(range(1, 4001)), "loss": [loss(s) for s in range(1, 4001)],
                  "lr": [0.1] * 4000}, "loss", 2000, mean=True)  # fmt: skip
    assert Histories().window(path, 3)[0][0] == {"attempt": 3, "kind": "step", **whole}


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"format": 1}', '{"format": 1, "size": "x"}', '{"format": 2, "size": 5}',
     '{"format": 1, "size": 5, "attempt": 3, "end": 1, "kinds": 3}'],
)  # fmt: skip
def test_a_strange_summary_is_left_aside(tmp_path: Path, content: str):
    path = written(tmp_path, 2)
    (tmp_path / "curves.json").write_text(content)
    assert read_window(path, 3) is None


@pytest.mark.parametrize("change", [{"kinds": 3}, {"kinds": {"step": {"count": "a"}}},
                                    {"kinds": {"other": {}}}, {"damaged": "x"}])  # fmt: skip
def test_a_forged_summary_is_left_aside(tmp_path: Path, change: dict[str, Any]):
    path = written(tmp_path, 2)
    state = json.loads((tmp_path / "curves.json").read_text())
    (tmp_path / "curves.json").write_text(json.dumps({**state, **change}))
    assert read_window(path, 3) is None


def test_a_summary_of_another_attempt_or_of_other_bytes_is_left_aside(tmp_path: Path):
    path = written(tmp_path, 2)
    assert read_window(path, 4) is None
    content = path.read_bytes()
    path.write_bytes(content[:-9] + b"9" + content[-8:])
    assert read_window(path, 3) is None


def test_damaged_lines_are_counted_and_said(tmp_path: Path):
    path = written(tmp_path, 3)
    assert damage.damage_of(tmp_path) == []
    lines = path.read_bytes().splitlines(keepends=True)
    bad = [b'{"attempt":3,"kind":"step","step":[[1]],"loss":[1]}\n', b"torn\n"]
    path.write_bytes(b"".join([lines[0], *bad, *lines[1:]]))
    assert damage.damage_of(tmp_path) == [
        "2 lines of metrics.jsonl are damaged and left out of the curves."
    ]
    with path.open("ab") as file:
        file.write(b"more\n")
    assert damage.damaged_lines(tmp_path) == 3
    os.truncate(path, len(lines[0]))
    assert damage.damaged_lines(tmp_path) == 0


def test_a_damaged_line_is_counted_in_the_summary_and_in_the_view(tmp_path: Path):
    (tmp_path / "metrics.jsonl").write_bytes(b"torn\n")
    path = written(tmp_path, 2)
    assert curves.counted(path) == (path.stat().st_size, 1)
    (tmp_path / "spec.json").write_text('{"format": 1, "project": "p", "training": {}}')
    assert listing.view_run(tmp_path).warnings == (
        "1 line of metrics.jsonl is damaged and left out of the curves.",
    )


@pytest.mark.parametrize(
    "line",
    ['{"kind":"step","attempt":1,"step":[[1]],"loss":[1]}',
     '{"kind":"step","attempt":1,"step":["a"],"loss":[1]}',
     '{"kind":"step","attempt":1,"step":[null],"loss":[1]}',
     '{"kind":"step","attempt":1,"step":[1,2],"loss":[1]}',
     '{"kind":"step","attempt":1,"step":[true],"loss":[1]}',
     '{"kind":"step","attempt":1,"step":[1],"loss":[1e999]}',
     '{"kind":"step","attempt":1,"step":[1],"loss":[{}]}',
     '{"kind":"epoch","attempt":1,"step":[1]}',
     '{"kind":"step","attempt":[],"step":[1],"loss":[1]}',
     '{"kind":[],"attempt":1}', "[1]", "3", "nul"],
)  # fmt: skip
def test_strange_records_are_damaged_lines_to_every_reader(tmp_path: Path, line: str):
    path = tmp_path / "metrics.jsonl"
    path.write_text(line + "\n" + json.dumps(record(1)) + "\n")
    assert listing.read_metrics(tmp_path)[0][0] == {"kind": "damaged"}
    assert Histories().window(path, 3)[0][0]["step"][-1] == 200
    jsonl.truncate_after(path, 100, 1)
    assert len(listing.read_metrics(tmp_path)[0][1]["step"]) == 100
