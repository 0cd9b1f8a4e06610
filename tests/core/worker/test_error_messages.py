"""What goes wrong in a run is shown as what it is, and costs nothing that was good."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
import torch
from torch import nn

from core.analyse import analyse_project
from core.common.errors import CheckpointError, RunError, TrainingError
from core.engine.load_module import load_module, load_network
from core.engine.nonfinite import exploded
from core.engine.trainer import Trainer
from core.prepare import settings
from core.prepare.create import prepare
from core.runs import checkpoint
from core.runs.jsonl import Lines, read, truncate_after
from core.runs.listing import read_events, read_metrics
from core.worker import launch
from tests.core.small_runs import project, table_net, train_here

Make = Callable[..., Path]


def refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is not JSON")


def all_json(run_dir: Path) -> list[Any]:
    """Everything a run wrote as JSON; bare NaN and infinities fail."""
    whole = [p.read_text() for p in run_dir.rglob("*.json")]
    lines = [line for p in run_dir.rglob("*.jsonl") for line in p.read_text().splitlines()]
    return [json.loads(text, parse_constant=refuse) for text in whole + lines]


def test_a_loss_that_is_no_number_stops_the_run_at_the_first_bad_step(small_run: Make) -> None:
    run_dir = small_run(optimizer="SGD", lr=1e30, epochs=30)
    view = train_here(run_dir)
    assert view.state == "failed"
    found = re.match(r"The loss became (NaN|infinite) at step (\d+) with a", view.message)
    assert found
    assert "Lower the learning rate" in view.hint
    event = next(e for e in read_events(run_dir) if e["kind"] == "diverged")
    assert (event["kind"], event["bad_step"]) == ("diverged", int(found[2]))
    records = [r for r in read_metrics(run_dir)[0] if r["kind"] == "step"]
    losses = {s: x for r in records for s, x in zip(r["step"], r["loss"], strict=True)}
    first = min(step for step, loss in losses.items() if loss is None)
    assert first == int(found[2])
    assert len(all_json(run_dir)) > 5


def test_a_run_that_diverged_late_keeps_its_last_finite_checkpoint(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = small_run(checkpoint_every_s=0.0, epochs=4)
    step = Trainer.make_step

    def poisoned(self: Trainer, group: Any) -> None:
        step(self, group)
        if self.step == 60:
            with torch.no_grad():
                next(self.module.parameters()).fill_(float("inf"))

    monkeypatch.setattr(Trainer, "make_step", poisoned)
    assert train_here(run_dir).state == "failed"
    state = checkpoint.load(run_dir, "last")
    assert 0 < state["step"] < 60
    assert all(torch.isfinite(value).all() for value in state["model"].values())


def out_of_cpu_memory(*_: object) -> NoReturn:
    torch.empty(1 << 52, dtype=torch.uint8)
    raise AssertionError("the machine has more memory than expected")


def out_of_gpu_memory(*_: object) -> NoReturn:
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has ...")


@pytest.mark.parametrize(
    ("fault", "amount"), [(out_of_cpu_memory, "4.5e+03 TB"), (out_of_gpu_memory, "20.00 GiB")]
)
def test_memory_that_runs_out_names_the_block_the_amount_and_a_smaller_batch(
    small_run: Make,
    monkeypatch: pytest.MonkeyPatch,
    fault: Callable[..., NoReturn],
    amount: str,
) -> None:
    run_dir = small_run(batch_size=32)
    forward = nn.Conv2d.forward

    def hungry(self: nn.Conv2d, image: torch.Tensor) -> torch.Tensor:
        return fault() if self.training else forward(self, image)

    monkeypatch.setattr(nn.Conv2d, "forward", hungry)
    view = train_here(run_dir)
    assert view.state == "failed"
    assert (
        f"Memory ran out at conv1 with a batch of 32 samples, requesting {amount}" in view.message
    )
    assert re.search(r"a step was estimated to need \d", view.message)
    assert view.hint == "Set batch_size to 16 or less."


def test_a_data_set_that_is_not_here_is_refused_before_there_is_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_DATA", str(tmp_path / "none"))
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "none"))
    found = project(image_net(), {"source": "MNIST"})
    with pytest.raises(TrainingError, match=r"MNIST is not on this machine\. Download it first"):
        prepare(found, analyse_project(found), tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def image_net() -> dict[str, Any]:
    nodes = table_net(784, 10)["nodes"] | {
        "row": {"block": "Input", "settings": {"shape": [1, 28, 28]}},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
    }
    edges = ["row -> flat", "flat -> fc1", "fc1 -> relu1", "relu1 -> fc2", "fc2 -> result"]
    return {"nodes": nodes, "edges": edges}


def test_a_data_set_that_vanished_fails_the_run_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_DATA", str(tmp_path / "none"))
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "none"))
    describe = settings.describe_project

    def here(*args: Any) -> Any:
        info = describe(*args)
        object.__setattr__(info, "here", True)
        return info

    monkeypatch.setattr(settings, "describe_project", here)
    found = project(image_net(), {"source": "MNIST"})
    run_dir = prepare(found, analyse_project(found), tmp_path / "runs")
    view = train_here(run_dir)
    assert view.state == "failed"
    assert "MNIST" in view.message
    assert view.hint


def test_a_class_count_that_does_not_fit_is_refused_with_both_numbers(tmp_path: Path) -> None:
    found = project(table_net(4, 7), {"source": "iris"})
    with pytest.raises(TrainingError, match=r"3 classes, \(N, 3\), but the network outputs"):
        prepare(found, analyse_project(found), tmp_path)


def test_probabilities_that_are_none_are_refused_before_training(tmp_path: Path) -> None:
    data = {"source": "breast_cancer"}
    found = project(table_net(30, 1), data, loss="BCELoss", threads=1)
    view = train_here(prepare(found, analyse_project(found), tmp_path))
    assert view.state == "failed"
    assert re.match(r"BCELoss needs probabilities but receives values from -\d", view.message)
    assert view.step == 0


def test_logits_in_place_of_log_probabilities_are_a_warning(iris_run: Make) -> None:
    view = train_here(iris_run(loss="NLLLoss"))
    assert "NLLLoss needs log-probabilities" in view.warnings[0]


def test_a_network_without_weights_is_refused(tmp_path: Path) -> None:
    graph = {
        "nodes": {
            "row": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
            "relu1": {"block": "ReLU"},
            "result": {"block": "Output"},
        },
        "edges": ["row -> relu1", "relu1 -> result"],
    }
    found = project(graph, {"source": "digits", "target": "input"}, threads=1)
    view = train_here(prepare(found, analyse_project(found), tmp_path))
    assert view.message == "The network has no weights to train."


def test_source_that_is_not_what_the_graph_gives_is_not_executed(iris_run: Make) -> None:
    run_dir = iris_run()
    model = run_dir / "model.py"
    model.write_text(model.read_text() + f"\nopen({str(run_dir / 'ran')!r}, 'w')\n")
    view = train_here(run_dir)
    assert "does not match its graph, so it is not used" in view.message
    assert not (run_dir / "ran").exists()


def test_a_disk_that_fails_costs_metrics_but_not_the_run(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = iris_run()

    def broken(self: Lines, record: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Lines, "write", broken)
    view = train_here(run_dir)
    assert view.state == "finished"
    assert view.metrics["val_loss"] > 0
    assert "metrics.jsonl could not be written: Input/output error." in view.warnings[1]


def test_a_checkpoint_that_cannot_be_written_is_loud_and_the_old_one_survives(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_dir = small_run(checkpoint_every_s=0.0)
    write, count = checkpoint._write, []

    def broken(path: Path, state: dict[str, Any]) -> None:
        count.append(path)
        if len(count) > 3:
            path.write_bytes(b"half")
            raise OSError(5, "Input/output error")
        write(path, state)

    monkeypatch.setattr(checkpoint, "_write", broken)
    view = train_here(run_dir)
    assert view.state == "failed"
    assert view.message == "The last checkpoint could not be written: Input/output error."
    assert (view.epoch, view.hint) == (2, "Check the disk, then resume.")
    assert checkpoint.load(run_dir, "last")["step"] > 0
    assert not list((run_dir / "ckpt").glob(".*"))


def test_a_line_that_does_not_fit_on_the_disk_is_taken_back(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "a.jsonl")
    lines.write({"kind": "step", "step": [1]})

    class Full:
        def __init__(self, file: Any) -> None:
            self.file, self.truncate = file, file.truncate

        def write(self, data: bytes) -> int:
            return self.file.write(data[:5])

    lines.file = Full(lines.file)  # type: ignore[assignment]
    with pytest.raises(OSError, match="No space left"):
        lines.write({"kind": "step", "step": [2]})
    assert read(lines.path)[0] == [{"kind": "step", "step": [1]}]
    assert lines.path.read_bytes().endswith(b"\n")


def test_readers_skip_a_torn_tail_and_a_damaged_line(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"kind":"step","step":[1]}\n{"kind":#\n{"kind":"step","step":[2]}\n{"ki')
    records, offset = read(path)
    assert [r["kind"] for r in records] == ["step", "damaged", "step"]
    with path.open("ab") as file:
        file.write(b'nd":"step","step":[3]}\n')
    assert read(path, offset)[0] == [{"kind": "step", "step": [3]}]
    assert len(read(path, offset - 3)[0]) == 4


def test_going_on_cuts_what_lies_past_the_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(
        b'{"kind":"step","attempt":1,"step":[1,2],"loss":[5,4]}\n'
        b'{"kind":"epoch","attempt":1,"epoch":[1],"step":[2]}\n'
        b'{"kind":"step","attempt":1,"step":[3,4],"loss":[3,2]}\n'
        b'{"kind":"epoch","attempt":1,"epoch":[2],"step":[4]}\n{"torn'
    )
    truncate_after(path, step=3, epoch=1)
    assert read(path)[0] == [
        {"kind": "step", "attempt": 1, "step": [1, 2], "loss": [5, 4]},
        {"kind": "epoch", "attempt": 1, "epoch": [1], "step": [2]},
        {"kind": "step", "attempt": 1, "step": [3], "loss": [3]},
    ]


def test_an_override_that_is_no_setting_is_refused(tmp_path: Path) -> None:
    found = project(table_net(4, 3), {"source": "iris"})
    report = analyse_project(found)
    with pytest.raises(TrainingError, match="Did you mean lr"):
        prepare(found, report, tmp_path, {"lrr": 1})
    with pytest.raises(TrainingError, match=r"training\.epochs needs a whole number"):
        prepare(found, report, tmp_path, {"epochs": "many"})
    run_dir = prepare(found, report, tmp_path, {"optimizer_settings.weight_decay": 0.5})
    spec = json.loads((run_dir / "spec.json").read_text())
    assert spec["training"]["optimizer_settings"] == {"weight_decay": 0.5}


def test_a_graph_with_errors_makes_no_run(tmp_path: Path) -> None:
    graph = table_net(4, 3)
    graph["edges"].remove("relu1 -> fc2")
    found = project(graph, {"source": "iris"})
    with pytest.raises(RunError, match="Fix the drawing first"):
        prepare(found, analyse_project(found), tmp_path / "runs")


def test_a_supervisor_that_cannot_write_is_no_running_one(iris_run: Make) -> None:
    run_dir = iris_run()
    (run_dir / "proc.json").mkdir()  # what it writes first cannot be written, as on a full disk
    with pytest.raises(RunError, match="did not start") as told:
        launch.start(run_dir)
    assert told.value.hint == "Check the free disk space and the permissions of the folder."


def test_a_loss_that_explodes_yet_stays_finite_is_told_with_its_numbers(tmp_path: Path) -> None:
    found = project(table_net(4, 3), {"source": "iris"}, optimizer="Adam", lr=1e6, epochs=3)
    run_dir = prepare(found, analyse_project(found), tmp_path, {"threads": 1})
    view = train_here(run_dir)
    assert (view.state, view.exploded, view.resumable) == ("failed", True, False)
    assert re.fullmatch(
        r"The loss exploded: it started at 1\.\d+, and at epoch 3 it is \S+e\+\d+ in training and"
        r" \S+e\+\d+ in validation\.",
        view.message,
    )
    assert view.hint.startswith("Lower the learning rate")
    assert view.warnings == ()  # its warning said the same
    assert "exploded" in [event["kind"] for event in read_events(run_dir)]
    with pytest.raises(RunError, match="has finished its 3 epochs"):
        launch.resume(run_dir)


@pytest.mark.parametrize(
    ("first", "train", "val", "told"),
    [
        (2.3, 1e31, 1e31, True),
        (2.3, 231.0, 231.0, True),
        (2.3, 229.0, 1e5, False),  # less than a hundred times as much in training
        (2.3, 2.3, 1e31, True),  # an epoch of one step: its loss is from before the step
        (2.3, 0.01, 900.0, False),  # learnt by heart
        (1e-6, 9.0, 9.0, False),  # began with next to nothing
        (-3.0, 299.0, 400.0, False),
        (None, 1e9, 1e9, False),
    ],
)
def test_only_a_loss_far_above_the_first_one_in_training_too_has_exploded(
    first: float | None, train: float, val: float, told: bool
) -> None:
    assert bool(exploded(first, {"epoch": 1, "train_loss": train, "val_loss": val})) == told


@pytest.mark.parametrize("file", ["model.py", "project.loom.json"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00half"])
def test_damaged_files_of_a_run_are_told_in_a_sentence(
    iris_run: Make, file: str, content: bytes
) -> None:
    run_dir = iris_run()
    train_here(run_dir)
    (run_dir / file).write_bytes(content)
    with pytest.raises(RunError) as caught:
        load_network(run_dir)
    assert caught.value.hint
    assert train_here(run_dir).message == caught.value.message


@pytest.mark.parametrize("which", ["last", "best"])
def test_an_empty_checkpoint_is_told_with_another_that_is_good(iris_run: Make, which: str) -> None:
    run_dir = iris_run(checkpoint_every_s=0.0)
    train_here(run_dir)
    (run_dir / "ckpt" / f"{which}.pt").write_bytes(b"")
    with pytest.raises(CheckpointError, match=f"The {which} checkpoint is damaged: its bytes") as e:
        load_module(run_dir, which)
    assert e.value.hint.startswith("Use the ")
