"""The declared settings are torch's own, and wrong ones are refused by name."""

import inspect
import math

import pytest
import torch
from torch import nn, optim
from torch.optim import lr_scheduler

from core.common.errors import TrainingError
from core.engine.optim import configure_optimizers
from core.settings.lr_schedulers import SCHEDULES, arguments
from core.settings.optimizers import EXCLUDED, OPTIMIZERS
from core.settings.schema import HEADINGS, TRAINING
from core.settings.validate import resolve
from core.tasks.registry import LOSSES, TASKS
from core.tasks.task import function_of

OURS = {"total_iters", "T_max", "total_steps", "step_size", "gamma", "milestones", "T_0"}
"""Schedule settings whose default is the run's length, or for which torch has none."""


def torch_classes(module: object, base: type) -> set[str]:
    found = {n: c for n, c in vars(module).items() if isinstance(c, type) and issubclass(c, base)}
    return {name for name, kind in found.items() if kind is not base}


def test_every_optimiser_of_torch_is_offered_or_excluded_with_a_reason() -> None:
    assert torch_classes(optim, optim.Optimizer) == OPTIMIZERS.keys() | EXCLUDED.keys()
    assert EXCLUDED.keys() == {"LBFGS", "SparseAdam"}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimisers_settings_and_defaults_are_torchs(name: str) -> None:
    parameters = inspect.signature(getattr(optim, name)).parameters
    assert OPTIMIZERS[name].lr == parameters["lr"].default
    # Adagrad's kernel is for processors only in torch 2.11: it would refuse a GPU
    assert OPTIMIZERS[name].fused == ("fused" in parameters and name != "Adagrad")
    for setting in OPTIMIZERS[name].settings:
        assert setting.default == parameters[setting.name].default, setting.name
        assert setting.help


@pytest.mark.parametrize("name", LOSSES)
def test_a_losss_settings_and_defaults_are_its_modules(name: str) -> None:
    written = LOSSES[name].module
    made = function_of(written) if written else getattr(nn, name)
    parameters = inspect.signature(made).parameters
    for setting in LOSSES[name].settings:
        assert setting.default == parameters[setting.name].default


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedules_settings_and_defaults_are_torchs(name: str) -> None:
    parameters = inspect.signature(getattr(lr_scheduler, name)).parameters
    for setting in SCHEDULES[name].settings:
        assert setting.name in parameters
        if setting.name not in OURS:
            assert setting.default == pytest.approx(parameters[setting.name].default)


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))


def one_step(training: dict[str, object], task: str = "classification") -> tuple[nn.Module, object]:
    settings = resolve(training, task)
    module = net()
    recipe = configure_optimizers(module, settings, 5)
    criterion = nn.CrossEntropyLoss()
    inputs = torch.randn(6, 4, generator=torch.Generator().manual_seed(1))
    for _ in range(settings["epochs"]):
        for _ in range(5):
            criterion(module(inputs), torch.tensor([0, 1, 2, 0, 1, 2])).backward()
            for part in recipe.optimisers:
                part.step()
            for schedule in recipe.schedules if recipe.per == "step" else []:
                schedule.step()
        recipe.step_schedulers(1.0)
    return module, recipe


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimiser_moves_every_weight(name: str) -> None:
    module, recipe = one_step({"optimizer": name, "epochs": 1, "lr": 0.01})
    before, after = net().state_dict(), module.state_dict()
    for key, _ in module.named_parameters():
        assert not torch.equal(before[key], after[key]), key
        assert torch.isfinite(after[key]).all()
    assert len(recipe.optimisers) == (2 if name == "Muon" else 1)


@pytest.mark.gate
@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_schedule_runs_to_the_end_with_every_optimiser(name: str, optimizer: str) -> None:
    training = {"optimizer": optimizer, "scheduler": {"name": name}, "epochs": 12, "lr": 0.01}
    recipe = configure_optimizers(net(), resolve(training, "classification"), 5)
    rates = [recipe.lr]
    for epoch in range(12):
        for _ in range(5):
            for part in recipe.optimisers:
                part.step()
            for schedule in recipe.schedules if recipe.per == "step" else []:
                schedule.step()
                rates.append(recipe.lr)
        recipe.step_schedulers(float(epoch))
        rates.append(recipe.lr)
    assert len(set(rates)) > 1
    assert all(math.isfinite(rate) and rate >= 0 for rate in rates)


def test_one_cycle_peaks_at_the_learning_rate_and_ends_far_below() -> None:
    training = resolve({"scheduler": {"name": "OneCycleLR"}, "lr": 0.5, "epochs": 3}, "regression")
    assert arguments(training, 10)["max_lr"] == 0.5
    assert arguments(training, 10)["total_steps"] == 30
    training = resolve({"scheduler": "CosineAnnealingLR", "epochs": 7}, "regression")
    assert arguments(training, 10) == {"T_max": 7, "eta_min": 0.0}


def test_defaults_follow_the_task_and_the_optimiser() -> None:
    found = resolve({}, "classification")
    assert (found["loss"], found["optimizer"], found["lr"]) == ("CrossEntropyLoss", "AdamW", 1e-3)
    assert found["best_by"] == "val_accuracy"
    assert resolve({}, "regression")["loss"] == "MSELoss"
    assert resolve({}, "segmentation")["best_by"] == "val_loss"
    assert resolve({"optimizer": "Adadelta"}, "regression")["lr"] == 1.0
    assert resolve({"optimizer": "Adadelta", "lr": 0.1}, "regression")["lr"] == 0.1


WRONG = [
    ({"optimizer": "Adamm"}, "training.optimizer", "Did you mean Adam?"),
    ({"optimizer": "LBFGS"}, "training.optimizer", "evaluates the loss several times"),
    ({"optimizer": {"a": 1}}, "training.optimizer", 'has no choice {"a": 1}'),
    ({"decay_of": {"a": 1}}, "training.decay_of", "Choose from all, matrices."),
    ({"lr": 10**400}, "training.lr", "needs a number from 0"),
    ({"epochs": 10**400}, "training.epochs", "needs a whole number from 1 to 1,000,000"),
    ({"loss": "KLDivLoss"}, "training.loss", "Choose from CrossEntropyLoss"),
    ({"loss": "MSELoss"}, "training.loss", "the task is classification"),
    ({"scheduler": {"name": "StepLr"}}, "training.scheduler", "Did you mean StepLR?"),
    ({"scheduler": {"name": "StepLR", "gama": 1}}, "training.scheduler", "Did you mean gamma?"),
    ({"scheduler": 3}, "training.scheduler", "needs a name but receives 3"),
    ({"learning_rate": 1}, "training", "Choose from loss, optimizer, lr"),
    ({"lr": "0.1"}, "training.lr", 'needs a number from 0 but receives "0.1"'),
    ({"lr": math.nan}, "training.lr", "receives NaN"),
    ({"lr": -1.0}, "training.lr", "receives -1.0"),
    ({"epochs": 0}, "training.epochs", "a whole number from 1"),
    ({"epochs": True}, "training.epochs", "receives true"),
    ({"epochs": 2.5}, "training.epochs", "receives 2.5"),
    ({"histograms": 1}, "training.histograms", "needs true or false but receives 1"),
    ({"batch_size": 10**7}, "training.batch_size", "to 1,000,000"),
    ({"optimizer_settings": {"beta": 1}}, "training.optimizer_settings", "Did you mean betas?"),
    ({"optimizer_settings": {"betas": [0.9]}}, "training.optimizer_settings.betas", "list of 2"),
    ({"optimizer_settings": []}, "training.optimizer_settings", "needs an object"),
    ({"loss_settings": {"label_smoothing": 2}}, "training.loss_settings", "from 0 to 1"),
    ({"device": "tpu"}, "training.device", "Choose from auto, cpu, cuda"),
]


@pytest.mark.parametrize(("training", "place", "words"), WRONG)
def test_a_wrong_setting_is_refused_by_name(
    training: dict[str, object], place: str, words: str
) -> None:
    with pytest.raises(TrainingError) as caught:
        resolve(training, "classification")
    assert caught.value.subject.startswith(place)
    assert words in str(caught.value)


def test_every_task_has_a_loss_and_every_setting_has_help() -> None:
    for task in TASKS:
        assert resolve({}, task)["loss"] in LOSSES
    assert [setting.name for setting in TRAINING if not setting.help] == []


def test_a_setting_stands_under_a_heading_of_the_form_or_has_a_place_of_its_own_there() -> None:
    listed = {h: [s.name for s in TRAINING if s.group == h] for h in ("", *HEADINGS)}
    assert listed == {
        "": [
            "loss",
            "optimizer",
            "lr",
            "epochs",
            "batch_size",
            "seed",
            "scheduler",
            "warmup",
            "class_weights",
            "decay_of",
        ],
        "Steps": [
            *("accumulate", "clip_norm", "clip_value", "grad_noise"),
            *("sampler", "drop_last", "on_not_finite"),
        ],
        "Computation": [
            "device",
            "precision",
            "channels_last",
            "compile",
            "compile_step",
            "cuda_graph",
            "sync_batchnorm",
            "deterministic",
            "threads",
        ],
        "Checkpoints": ["ema_decay", "best_by", "keep_best", "checkpoint_every_s", "histograms"],
        "Stopping": ["patience", "min_delta", "max_minutes"],
    }
