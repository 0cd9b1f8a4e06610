"""Classes may weigh differently, and steps whose gradient is no number may be left out."""

import copy
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from core.analyse import analyse_project
from core.common.errors import TrainingError
from core.engine.nonfinite import IN_A_ROW
from core.engine.objective import criterion_of, term_weight
from core.engine.precision import Precision
from core.engine.trainer import DeviceSplit, Trainer
from core.prepare.create import prepare
from core.runs.listing import read_events, read_metrics
from core.settings.validate import resolve
from core.tasks.readings.numeric import OneNumber
from tests.core.single_output import single_loss
from tests.core.small_runs import project, table_net, train_here

Make = Callable[..., Path]


def test_balanced_weights_make_every_class_count_as_much() -> None:
    targets = torch.tensor([0] * 6 + [1] * 3 + [2])
    weight = term_weight("balanced", targets, 3)
    assert weight is not None
    assert weight.tolist() == pytest.approx([10 / 18, 10 / 9, 10 / 3])
    found = nn.CrossEntropyLoss(weight=weight)(torch.zeros(10, 3), targets)
    assert float(found) == pytest.approx(1.098612, abs=1e-5)
    assert term_weight(None, targets, 3) is None


def test_a_class_that_is_not_there_divides_by_nothing() -> None:
    weight = term_weight("balanced", torch.tensor([0, 0, 1]), 3)
    assert weight is not None
    assert weight.tolist() == pytest.approx([0.5, 1.0, 1.0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_weights": "rare"}, "needs balanced or a list"),
        ({"class_weights": [1.0, -1.0, 1.0]}, r"class_weights\[1\] needs a number of at least 0"),
        ({"class_weights": [0, 0, 0]}, "are all 0, so the network would learn nothing"),
        (
            {"class_weights": "balanced", "loss": "MSELoss"},
            "needs CrossEntropyLoss, NLLLoss, FocalLoss or MultiMarginLoss but the loss is MSELoss",
        ),
    ],
)
def test_class_weights_that_make_no_sense_are_refused(
    settings: dict[str, object], message: str
) -> None:
    with pytest.raises(TrainingError, match=message):
        resolve(settings, "classification")


def test_as_many_weights_as_classes_are_needed(tmp_path: Path) -> None:
    found = project(table_net(4, 3), {"source": "iris"}, class_weights=[1, 2])
    with pytest.raises(TrainingError, match="has 2 numbers but the data has 3 classes"):
        prepare(found, analyse_project(found), tmp_path)


def test_balanced_weights_make_every_label_count_as_much() -> None:
    targets = torch.tensor([[1.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    weight = term_weight("balanced", targets, 3)
    assert weight is not None
    assert weight.tolist() == pytest.approx([4 / 9, 4 / 3, 4 / 3])


def test_every_label_may_have_its_own_pos_weight() -> None:
    given = {"pos_weight": [1, 4.0]}
    settings = resolve({"loss": "BCEWithLogitsLoss", "loss_settings": given}, "labels")
    assert settings["loss_settings"] == {"pos_weight": (1.0, 4.0)}
    found = criterion_of("BCEWithLogitsLoss", settings["loss_settings"])
    yes, no = torch.ones(1, 2), torch.zeros(1, 2)
    assert float(found(torch.zeros(1, 2), yes)) == pytest.approx(0.693147 * 2.5, abs=1e-5)
    assert float(found(torch.zeros(1, 2), no)) == pytest.approx(0.693147, abs=1e-5)


@pytest.mark.parametrize(
    ("net", "data", "more", "message"),
    [
        (
            table_net(128, 10),
            {"source": "digit_pairs"},
            {"loss_settings": {"pos_weight": [1, 2]}},
            "training.loss_settings.pos_weight has 2 numbers but the data has 10 labels. Write one"
            " number for each label, in their order.",
        ),
        (
            table_net(30, 1),
            {"source": "breast_cancer"},
            {"loss_settings": {"pos_weight": [2]}},
            "training.loss_settings.pos_weight is a list, but the samples of breast_cancer have no"
            " labels to count. Write one number.",
        ),
        (
            table_net(128, 10),
            {"source": "digit_pairs"},
            {"class_weights": [1, 2, 3]},
            "training.class_weights has 3 numbers but the data has 10 labels. Write one number for"
            " each label, in their order.",
        ),
        (
            table_net(128, 10),
            {"source": "digit_pairs"},
            {"loss_settings": {"pos_weight": []}},
            "training.loss_settings.pos_weight needs a list of some numbers but receives [].",
        ),
        (
            table_net(128, 10),
            {"source": "digit_pairs"},
            {"loss_settings": {"pos_weight": [1] * 9 + [-1]}},
            "training.loss_settings.pos_weight[9] needs a number from 0 but receives -1. Weight"
            " of positive targets, for data with few of them; empty weighs them like negative"
            " ones. A list has one number for each label.",
        ),
    ],
)
def test_a_list_needs_a_number_for_each_label(
    net: dict[str, Any], data: dict[str, Any], more: dict[str, Any], message: str, tmp_path: Path
) -> None:
    found = project(net, data, loss="BCEWithLogitsLoss", **more)
    with pytest.raises(TrainingError) as caught:
        prepare(found, analyse_project(found), tmp_path)
    assert str(caught.value) == message


def test_one_of_several_losses_may_have_a_list_too(tmp_path: Path) -> None:
    entry = {"output": "result", "target": "labels", "loss": "BCEWithLogitsLoss"}
    losses = [{**entry, "settings": {"pos_weight": [1, 2]}}]
    found = project(table_net(128, 10), {"source": "digit_pairs"}, losses=losses)
    with pytest.raises(TrainingError, match=r"losses\[0\].settings.pos_weight has 2 numbers"):
        prepare(found, analyse_project(found), tmp_path)


@pytest.mark.gate
def test_a_heavy_class_is_predicted_more_often(iris_run: Make) -> None:
    heavy = train_here(iris_run(epochs=1, class_weights=[0, 0, 1], lr=0.05))
    assert heavy.state == "finished"
    assert heavy.metrics["val_loss"] < 0.7
    assert heavy.metrics["val_accuracy"] == pytest.approx(1 / 3)


class Rare(nn.Module):
    """A line whose forward gives NaN when told to; its buffer is spoilt on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(1, 1)
        self.register_buffer("seen", torch.zeros(1))
        self.bad: set[int] = set()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:
            return self.line(x)
        self.calls += 1
        factor = float("nan") if self.calls in self.bad else 1.0
        self.seen += factor
        return self.line(x) * factor


def engine_of(module: nn.Module, **settings: object) -> Trainer:
    plain = {"optimizer": "SGD", "lr": 0.1, "loss": "MSELoss", "epochs": 1, "batch_size": 2}
    training = resolve({**plain, "on_not_finite": "skip", **settings}, "regression")
    x = torch.arange(10.0)[:, None] / 10
    part = DeviceSplit((x,), (2 * x,))
    return Trainer(module, training, (part, part), single_loss(training, OneNumber()))


@pytest.mark.parametrize("clip", [{}, {"clip_norm": 1.0}, {"clip_value": 1.0}])
def test_a_step_whose_gradient_is_not_finite_leaves_no_trace(clip: dict[str, float]) -> None:
    torch.manual_seed(0)
    module = Rare()
    module.bad = {2}
    engine = engine_of(module, **clip)
    seen = []
    for group in engine.batches_of_epoch():
        engine.make_step(group)
        seen.append((module.line.weight.item(), module.seen.item()))
    assert seen[0] == seen[1] != seen[2]
    assert seen[4][1] == 4.0
    assert engine.skips is not None
    assert (engine.skips.total, engine.skips.last, engine.skips.row) == (1, 2, 0)
    points = engine.drain_metrics()
    assert [loss == loss for loss in points["loss"]] == [True, False, True, True, True]
    assert engine.diverged is None
    assert engine.accumulator.counted == 8


def test_when_every_step_is_left_out_the_run_ends(small_run: Make) -> None:
    run_dir = small_run(epochs=30, on_not_finite="skip", optimizer="SGD", lr=1e38)
    view = train_here(run_dir)
    assert view.state == "failed"
    assert view.message == f"The gradients of {IN_A_ROW} steps in a row were not finite."
    skipped = [e for e in read_events(run_dir) if e["kind"] == "skipped"]
    assert "left out, the last one step" in skipped[0]["message"]


def test_a_run_with_a_bad_step_finishes_and_its_curve_has_a_gap(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    calculate, calls = Precision.losses, itertools.count(1)

    def poisoned(self: Precision, *given: Any) -> Any:
        outputs, values, loss = calculate(self, *given)
        return outputs, values, loss * float("nan") if next(calls) == 6 else loss

    monkeypatch.setattr(Precision, "losses", poisoned)
    run_dir = iris_run(epochs=3, on_not_finite="skip", batch_size=16)
    assert train_here(run_dir).state == "finished"
    records = [r for r in read_metrics(run_dir)[0] if r["kind"] == "step"]
    losses = {s: x for r in records for s, x in zip(r["step"], r["loss"], strict=True)}
    assert [step for step, loss in losses.items() if loss is None] == [6]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("at", [1, 2])
def test_going_on_before_the_end_of_an_epoch_gives_torch_nothing_to_warn_of(at: int) -> None:
    torch.manual_seed(0)
    first, second = nn.Linear(1, 1), nn.Linear(1, 1)
    settings = {
        "on_not_finite": "stop",
        "epochs": 3,
        "batch_size": 5,
        "scheduler": {"name": "StepLR", "step_size": 1},
    }
    whole, other = engine_of(first, **settings), engine_of(second, **settings)
    for _ in whole.fit(tick_s=0.0):
        if whole.step == at:
            break
    other.load_state_dict(copy.deepcopy(whole.state_dict()))
    list(other.fit())
    assert (other.epoch, other.step) == (3, 6)
    assert other.recipe.lr == pytest.approx(0.1 * 0.1**3)
