"""Objectives of a sweep: their names, what each measures, and the front of several."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.analyse import analyse_project
from core.common.errors import SweepError
from core.data import describe_project, ends
from core.runs.listing import RunView
from core.wings.sweep import measure, objectives, results, start, trials
from core.wings.sweep.claims import draw
from core.wings.sweep.files import entered, read_request
from core.wings.sweep.measure import weight_bytes
from core.wings.sweep.objective_text import stored_objectives
from core.wings.sweep.objectives import costs_of, metrics_of, read_objectives, value_of
from tests.core.small_runs import project, table_net

IRIS = project(table_net(4, 3), {"source": "iris"}, optimizer="SGD", epochs=2, threads=1)
BOTH = ("val_accuracy", "params")


def test_costs_are_those_of_the_drawing() -> None:
    """Linear(4, 16), ReLU, Linear(16, 3): 80 + 51 parameters of 4 bytes, 64 + 48 multiply-adds."""
    report = analyse_project(IRIS)
    named = read_objectives(["accuracy", "params", "mult_adds", "bytes"], ["val_accuracy"])
    assert [each.name for each in named] == ["val_accuracy", "params", "mult_adds", "bytes"]
    assert costs_of(named, report) == {"params": 131.0, "mult_adds": 112.0, "bytes": 524.0}
    assert weight_bytes(report) == 524


def test_values_are_written_with_their_units() -> None:
    accuracy, params, latency = read_objectives(["accuracy", "params", "latency"], ["val_accuracy"])
    assert (accuracy.text(0.9721), params.text(1591.0)) == ("97.2%", "1,591")
    assert (latency.text(0.1234), latency.text(None)) == ("0.123 ms", "")


def test_a_metric_is_that_of_the_best_checkpoint(tmp_path: Path) -> None:
    (loss,) = read_objectives(["val_loss"], ["val_loss"])
    best = {"metric": "val_accuracy", "value": 0.9, "metrics": {"val_loss": 0.25}}
    assert value_of(loss, {}, best, tmp_path) == 0.25
    assert value_of(loss, {}, {"metrics": {"val_loss": float("nan")}}, tmp_path) is None
    assert value_of(loss, {}, {}, tmp_path) is None


def test_the_metrics_of_a_project_are_known_before_a_run() -> None:
    report = analyse_project(IRIS)
    info = describe_project(IRIS, *ends(report.inputs, report.outputs))
    assert metrics_of(info) == ["val_loss", "val_accuracy"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["params"], "params alone need no training"),
        (["accuracy", "val_accuracy"], "val_accuracy is an objective twice."),
        (["acuracy", "params"], "acuracy cannot be an objective of this project."),
        (
            ["val_f1"],
            "cannot be an objective of this project: its runs do not measure f1, which "
            "targets of the kind labels have.",
        ),
        (["accuracy", "loss", "params", "bytes", "latency"], "at most 4 objectives but receives 5"),
    ],
)
def test_what_cannot_be_an_objective_is_an_error(names: list[str], message: str) -> None:
    with pytest.raises(SweepError, match=message):
        read_objectives(names, ["val_loss", "val_accuracy"])


def test_a_wrong_name_gets_the_nearest_as_a_hint() -> None:
    with pytest.raises(SweepError) as caught:
        read_objectives(["parms"], ["val_loss"])
    assert caught.value.hint.startswith("Did you mean params? Choose from val_loss, ")


def test_a_metric_of_other_targets_is_refused_with_the_objectives_there_are() -> None:
    with pytest.raises(SweepError) as caught:
        read_objectives(["f1"], ["val_loss", "val_accuracy", "val_coverage"])
    assert caught.value.hint == (
        "Choose from val_loss, val_accuracy, params, mult_adds, bytes, latency."
    )


def request_of(*search: str, **more: Any) -> Any:
    return start.request_of(IRIS, None, search, 4, {}, **more)


def test_several_objectives_stop_no_trial_early() -> None:
    assert request_of("lr=0.1,0.2", objectives=BOTH).prune is False
    assert request_of("lr=0.1,0.2", objectives=BOTH[:1]).prune is True
    with pytest.raises(SweepError, match="asha stops trials by one objective but there are 2"):
        request_of("lr=0.1,0.2", objectives=BOTH, pruner="asha")
    with pytest.raises(SweepError, match="--folds compares means of one objective"):
        request_of("lr=0.1,0.2", "data.fold=1,2", objectives=BOTH)
    with pytest.raises(SweepError, match="loss changes what val_loss measures"):
        request_of("loss=CrossEntropyLoss,NLLLoss", objectives=("val_loss", "params"))


def told(sweep: Any, accuracy: float) -> None:
    """Draw a trial and end it with an accuracy, as its run would."""
    trial = draw(sweep)
    assert trial is not None
    assert trials.make(sweep, trial)
    best = {"metric": "val_accuracy", "value": accuracy, "metrics": {"val_loss": 1.0}}
    view = RunView(sweep.runs_dir, "run", "finished", epoch=2, elapsed_s=1.0, best=best)
    trials.tell(sweep, trial, view, *trials.measured(sweep, trial, view))


def test_the_front_has_what_no_other_trial_beats(tmp_path: Path) -> None:
    asked = start.request_of(IRIS, None, ["fc1.out_features=4,8,16"], 3, {}, objectives=BOTH)
    folder = entered(tmp_path / "runs", asked, IRIS)
    assert read_request(folder).objectives == BOTH
    with start.open_study(folder, tmp_path / "runs") as sweep:
        widths = [each.params["fc1.out_features"] for each in queued(sweep)]
        reached = {"4": 0.8, "8": 0.7, "16": 0.9}
        for width in widths:
            told(sweep, reached[width])
        found = results.write(sweep, folder)
    assert [row["values"] for row in found["trials"]] == [
        {"val_accuracy": 0.9, "params": 131.0},
        {"val_accuracy": 0.8, "params": 35.0},
        {"val_accuracy": 0.7, "params": 67.0},
    ]
    assert found["front"] == [row["trial"] for row in found["trials"][:2]]
    assert found["best"] == found["trials"][0]
    assert [each["name"] for each in found["objectives"]] == ["val_accuracy", "params"]
    assert found["goal"] == {"metric": "val_accuracy", "direction": "maximize"}


def queued(sweep: Any) -> list[Any]:
    """The combinations that are lined up, in the order in which they are drawn."""
    every = sweep.study.get_trials()
    for each in every:
        each.params = each.system_attrs["fixed_params"]
    return every


def test_a_metric_that_the_run_lacks_ends_the_trial_with_a_reason(tmp_path: Path) -> None:
    asked = start.request_of(IRIS, None, ["fc1.out_features=4,8"], 2, {}, objectives=BOTH)
    folder = entered(tmp_path / "runs", asked, IRIS)
    with start.open_study(folder, tmp_path / "runs") as sweep:
        told(sweep, float("nan"))
        (row,) = results.document(sweep)["trials"]
    assert (row["state"], row["values"]["val_accuracy"]) == ("failed", None)
    assert row["reason"] == "It finished before its val_accuracy was a number."
    assert objectives.COSTS["latency"].unit == "ms"


def test_latency_is_the_median_after_a_warm_up_in_time_of_the_thread(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spent = {"passes": 0, "seconds": 0.0}

    def forward(_: int) -> None:
        spent["passes"] += 1
        spent["seconds"] += 1.0 if spent["passes"] <= measure.WARM_UP else 1.2345e-4

    subject = SimpleNamespace(sample=lambda _: (0,), module=forward)
    monkeypatch.setattr(measure, "subject_of", lambda _: subject)
    monkeypatch.setattr(measure, "thread_clock", lambda: lambda: spent["seconds"])
    assert measure.latency_ms(tmp_path) == 0.12
    assert spent["passes"] == measure.WARM_UP + measure.MOST_TIMES


def test_how_latency_is_measured_is_said_with_the_results() -> None:
    (latency,) = (objectives.COSTS[name].json() for name in ("latency",))
    assert "median of up to 50 forward passes" in latency["note"]
    assert "note" not in objectives.COSTS["params"].json()
    stored = stored_objectives({"objectives": [latency]})
    assert stored[0]["note"] == latency["note"]
