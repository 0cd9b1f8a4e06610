"""Where torch refuses to calculate with NaN, a run ends as diverged, in a sentence of ours."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from core.analyse import analyse_project
from core.common.errors import Diverged
from core.engine.loader import DeviceSplit
from core.engine.trainer import Trainer
from core.prepare.create import prepare
from core.prepare.lr_finder import find_lr
from core.runs.listing import RunView, read_events, read_metrics
from core.settings.validate import resolve
from core.worker.error_messages import explain
from core.worker.sample_logger import SampleLogger
from tests.core.single_output import measure_for, single_loss
from tests.core.small_runs import project, train_here

LOWER = "Lower the learning rate, set clip_norm, or normalise the data."
DRAWN = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc1": {"block": "Linear", "settings": {"out_features": 64}},
        "fc2": {"block": "Linear", "settings": {"out_features": 64}},
        "fc3": {"block": "Linear", "settings": {"out_features": 64}},
        "chance": {"block": "Sigmoid"},
        "drawn": {"block": "Output"},
    },
    "edges": [
        "image -> flat",
        "flat -> fc1",
        "fc1 -> fc2",
        "fc2 -> fc3",
        "fc3 -> chance",
        "chance -> drawn",
    ],
}
TEXT = {
    "nodes": {
        "text": {"block": "Input", "settings": {"shape": [8], "dtype": "int64"}},
        "letters": {"block": "Embedding", "settings": {"num_embeddings": 96, "embedding_dim": 8}},
        "fc1": {"block": "Linear", "settings": {"out_features": 96}},
        "scores": {"block": "Output"},
    },
    "edges": ["text -> letters", "letters -> fc1", "fc1 -> scores"],
}


def made(folder: Path, graph: dict[str, Any], data: dict[str, Any], **training: Any) -> Path:
    settings = {"epochs": 3, "threads": 1, "optimizer": "SGD", "batch_size": 64, **training}
    found = project(graph, data, **settings)
    return prepare(found, analyse_project(found), folder)


def divergence(run_dir: Path, view: RunView) -> tuple[int, str]:
    """The first bad step, and where it began."""
    events = {event["kind"]: event for event in read_events(run_dir)}
    assert (view.state, view.hint) == ("failed", LOWER)
    assert events["diverged"]["message"] == view.message
    assert "probability" not in (run_dir / "status.json").read_text()
    return events["diverged"]["bad_step"], events["origin"]["message"]


@pytest.mark.parametrize(
    ("data", "lr", "message", "origin"),
    [
        (
            {"limit": 64},
            1e39,
            "The validation loss could not be calculated after step 1 with a learning rate of"
            " 1e+39: fc1.weight is no longer finite.",
            "In step 1 fc1.weight became infinite or NaN although its gradient was"
            " finite: with a learning rate of 1e+39 the step was too large.",
        ),
        (
            {},
            1e39,
            "The loss could not be calculated at step 2 with a learning rate of"
            " 1e+39: fc1.weight is no longer finite.",
            "In step 1 fc1.weight became infinite or NaN although its gradient was"
            " finite: with a learning rate of 1e+39 the step was too large.",
        ),
        (
            {},
            1e30,
            "The loss could not be calculated at step 2 with a learning rate of"
            " 1e+30: the output of fc2 is not finite.",
            "In step 2 the output of fc2 has",
        ),
    ],
)
def test_a_loss_that_wants_probabilities_and_gets_none_says_what_became_of_the_weights(
    run_folders: Path, data: dict[str, Any], lr: float, message: str, origin: str
) -> None:
    source = {"source": "digits", "target": "input", **data}
    run_dir = made(run_folders, DRAWN, source, loss="BCELoss", lr=lr)
    view = train_here(run_dir)
    assert view.message == message
    step, began = divergence(run_dir, view)
    assert step == int(message.partition("step ")[2].split(" ")[0])
    assert began.startswith(origin)
    steps = [s for r in read_metrics(run_dir)[0] if r["kind"] == "step" for s in r["step"]]
    assert steps == [1]  # what was learnt before is not lost


def test_a_text_whose_weights_become_nan_in_the_last_step_of_an_epoch_ends_as_diverged(
    run_folders: Path,
) -> None:
    data = {"source": "python_docs", "validation": 0.1, "limit": 64}
    run_dir = made(run_folders, TEXT, data, lr=1e39)
    view = train_here(run_dir)
    assert view.message == "The loss became NaN at step 2 with a learning rate of 1e+39."
    assert divergence(run_dir, view)[0] == 2
    assert "The validation loss of epoch 1 is not a finite number." in view.warnings


def test_a_view_that_cannot_be_calculated_costs_the_view_and_never_the_run(
    iris_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: SampleLogger) -> None:
        raise RuntimeError("svd: the input matrix contained non-finite values.\nMore of it")

    monkeypatch.setattr(SampleLogger, "make", broken)
    view = train_here(iris_run())
    assert (view.state, view.warnings) == (
        "finished",
        (
            "The live views could not be calculated: svd: the input matrix contained non-finite"
            " values.",
        ),
    )


def test_a_learning_rate_is_found_for_a_loss_that_wants_probabilities() -> None:
    from core.project import write_text

    found = project(
        DRAWN,
        {"source": "digits", "target": "input"},
        loss="BCELoss",
        optimizer="SGD",
        epochs=1,
    )
    tried = find_lr(write_text(found))
    assert 1e-6 < tried["tenth"] <= 10.0


class Chancy(nn.Module):
    """Draws by chance what its weight says; fails otherwise where it is told to."""

    def __init__(self, weight: float, fault: str = "") -> None:
        super().__init__()
        self.weight, self.fault = nn.Parameter(torch.tensor(weight)), fault

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.fault:
            raise RuntimeError(self.fault)
        return torch.bernoulli((self.weight * x).sigmoid()) + self.weight * x


def engine_of(module: nn.Module) -> Trainer:
    plain = {"optimizer": "SGD", "lr": 0.1, "epochs": 1, "batch_size": 2}
    training = resolve(plain, "regression")
    x, y = torch.tensor([[1.0], [2.0]]), torch.zeros(2, 1)
    part = DeviceSplit((x,), (y,))
    return Trainer(
        module, training, (part, part), single_loss(training, measure_for("regression", "", y))
    )


def test_a_network_that_samples_from_nan_has_diverged() -> None:
    engine = engine_of(Chancy(float("nan")))
    assert list(engine.fit()) == []
    assert isinstance(engine.diverged, Diverged)
    assert str(engine.diverged) == (
        "The loss could not be calculated at step 1 with a learning rate of 0.1: weight is no"
        f" longer finite. {LOWER}"
    )


@pytest.mark.parametrize("fault", ["mat1 and mat2 shapes cannot be multiplied", "out of memory"])
def test_any_other_fault_of_a_step_stays_what_it_is(fault: str) -> None:
    engine = engine_of(Chancy(1.0, fault))
    with pytest.raises(RuntimeError, match=fault):
        list(engine.fit())
    assert engine.diverged is None


def test_on_a_gpu_a_number_out_of_range_may_be_a_nan() -> None:
    explanation = explain(RuntimeError("CUDA error: device-side assert triggered"), {}, 1)
    assert explanation.message == (
        "A value was out of range on the GPU: a class beyond the outputs, a token beyond the"
        " embedding, or a NaN where a probability is needed."
    )
