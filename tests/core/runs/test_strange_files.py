"""Whatever a run folder from somebody else holds, it is told of, and nothing ends with it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.prepare.branch import branch_points
from core.runs import checkpoint, listing
from core.runs.checkpoint_records import entries
from core.runs.files import read_json
from core.runs.lineage import lineage_of
from core.runs.listing import list_runs, view_run

pytestmark = pytest.mark.slow
Make = Callable[..., Path]
STRANGE = (None, "x", [], {}, -1, 1e308, float("nan"), True, [1], {"a": 1}, "\0/..", "x" * 300)
OTHERS = {
    "branch": {"run": "a-001", "checkpoint": "last", "epoch": 3},
    "start": {"from": "a file", "loaded": 4, "unused": 2, "left_out": ["head"]},
    "teacher": {"from": "big", "accuracy": 0.9, "note": "", "params": 9},
}
ASKED = {
    "start_from": {"run": "first-001", "which": "best", "leave_out": ["head"]},
    "distil": {"run": "big-001", "which": "best", "temperature": 3.0, "alpha": 0.75},
}
METRICS = {"train_loss": 0.5, "val_loss": 0.4, "val_accuracy": 0.9}
STATUS = {
    "state": "failed", "attempt": 1, "epoch": 2, "step": 4, "steps": 4, "elapsed_s": 1.5,
    "metrics": METRICS, "steps_per_s": 3.5, "left_s": 0.0, "message": "m", "hint": "h",
    "best": {"metric": "val_accuracy", "epoch": 1, "step": 2, "value": 0.9, "metrics": METRICS},
    "origin": {"node": "fc1", "step": 3, "message": "m"}, "warnings": ["w"], "device": "cpu",
}  # fmt: skip
Path_ = tuple[Any, ...]


def places(value: Any, at: Path_ = ()) -> Iterator[Path_]:
    """The way to everything in a JSON value."""
    yield at
    inner = list(value) if isinstance(value, dict) else []
    inner = list(range(len(value))) if isinstance(value, list) else inner
    for key in inner:
        yield from places(value[key], (*at, key))


def changed(value: Any, at: Path_, new: Any) -> Any:
    """A copy with something else in one place."""
    if not at:
        return new
    copy = json.loads(json.dumps(value))
    inner = copy
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = new
    return copy


def without(value: Any, at: Path_) -> Any:
    copy = changed(value, at, None)
    inner = copy
    for key in at[:-1]:
        inner = inner[key]
    del inner[at[-1]]
    return copy


def look(run_dir: Path) -> None:
    """All that a page of runs asks, and what it does with the answers."""
    view = view_run(run_dir)
    progress = f"{view.left_s or 0:.1f} {view.steps_per_s or 0:.1f} {view.epoch:,} {view.steps:,}"
    numbers = [*view.metrics.values(), *((view.best or {}).get("metrics") or {}).values()]
    assert progress + "".join(f"{number or 0:.3f}" for number in numbers)
    for found in lineage_of(run_dir):
        assert found.sentence.endswith(".")
    for place in branch_points(run_dir):
        assert f"{place.epoch:,} {place.step:,}"
    assert set(checkpoint.intact(run_dir)) <= set(checkpoint.NAMES)
    assert len(list_runs(run_dir.parent)) == 1


@pytest.fixture
def strange_run(iris_run: Make) -> Path:
    """A run that has ended and has something of others, as a worker would leave it."""
    run_dir = iris_run()
    (run_dir / "status.json").write_text(json.dumps(STATUS))
    (run_dir / "ckpt").mkdir()
    checkpoint.save(run_dir, "last", {"epoch": 2, "step": 4})
    checkpoint.save(run_dir, "best", {"epoch": 1, "step": 2})
    (run_dir / "events.jsonl").write_text('{"kind": "ended", "message": "m"}\n')
    spec = read_json(run_dir / "spec.json")
    spec = {**spec, **OTHERS, "training": {**spec["training"], **ASKED}}
    (run_dir / "spec.json").write_text(json.dumps(spec))
    (run_dir / "control.json").write_text(json.dumps({"attempt": 1, "refused": {"message": "m"}}))
    (run_dir / "exit.json").write_text(json.dumps({"code": 1, "signal": None}))
    return run_dir


@pytest.mark.parametrize("file", ["spec", "status", "control", "exit", "ckpt/manifest"])
@pytest.mark.parametrize("ended", [True, False])
def test_no_value_in_any_place_ends_a_page(strange_run: Path, file: str, ended: bool) -> None:
    path, good = strange_run / f"{file}.json", read_json(strange_run / f"{file}.json")
    if not ended:
        (strange_run / "status.json").unlink()
    for at in places(good):
        for value in STRANGE:
            path.write_text(json.dumps(changed(good, at, value)))
            look(strange_run)
        if at:
            path.write_text(json.dumps(without(good, at)))
            look(strange_run)


def test_what_cannot_be_read_of_other_runs_is_reported(strange_run: Path) -> None:
    assert [found.kind for found in lineage_of(strange_run)] == ["branch", "start", "teacher"]
    spec = read_json(strange_run / "spec.json")
    spec["training"]["distil"]["alpha"] = "much"
    (strange_run / "spec.json").write_text(json.dumps(spec))
    (found,) = lineage_of(strange_run)
    assert found.sentence == "Its links to other runs cannot be read from its spec.json."


def test_entries_of_a_manifest_that_no_run_wrote_are_left_out(strange_run: Path) -> None:
    path = strange_run / "ckpt" / "manifest.json"
    files = read_json(path)["files"]
    path.write_text(json.dumps({"files": ["x", {"which": "last"}, *files]}))
    checked = [{name: file[name] for name in file if name != "crc32"} for file in files]
    assert entries(strange_run) == checked
    assert checkpoint.intact(strange_run) == ["last", "best"]


@pytest.mark.parametrize("place", ["metrics", "best"])
def test_a_metric_that_is_no_number_is_no_metric_of_a_run(strange_run: Path, place: str) -> None:
    status = read_json(strange_run / "status.json")
    inner = status if place == "metrics" else status["best"]
    inner["metrics"] = {**inner["metrics"], "val_loss": "<b>0.1</b>"}
    (strange_run / "status.json").write_text(json.dumps(status))
    view = view_run(strange_run)
    assert view.state == "lost"
    assert view.message == f"{strange_run.name} is not a valid run folder."
    assert listing.read_events(strange_run) != []
