"""Settings that do not go together are refused in words; those that change nothing are named."""

import warnings

import pytest
import torch
from torch import nn, optim
from torch.optim.lr_scheduler import OneCycleLR

from core.common.errors import TrainingError
from core.data.pictures.transform import TRANSFORMS
from core.engine.optim import configure_optimizers
from core.settings.checks import without_effect
from core.settings.distillation import DISTIL
from core.settings.lr_schedulers import SCHEDULES, one_cycle
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import TRAINING
from core.settings.validate import resolve
from core.tasks.registry import LOSSES


def warnings_for(training: dict, samples: int = 1000) -> list[str]:
    return without_effect(resolve({"batch_size": 100, **training}, "classification"), samples)


@pytest.mark.parametrize(
    ("training", "message"),
    [
        (
            {"optimizer": "SGD", "optimizer_settings": {"nesterov": True}},
            "Nesterov needs a momentum above 0 and a dampening of 0 but receives momentum 0 and"
            " dampening 0. Set momentum to 0.9 and dampening to 0, or turn nesterov off.",
        ),
        (
            {"optimizer": "Rprop", "optimizer_settings": {"etas": [0.5, 1.0]}},
            "training.optimizer_settings.etas needs one factor between 0 and 1 and"
            " one above 1 but receives 0.5 and 1. The usual values are 0.5 and 1.2.",
        ),
    ],
)
def test_what_torch_refuses_together_is_refused_before_the_run(training, message) -> None:
    with pytest.raises(TrainingError) as caught:
        resolve(training, "classification")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("optimizer", "name", "value"),
    [("Adam", "betas", [0.9, 1.0]), ("Adafactor", "d", 0.5), ("Adafactor", "beta2_decay", 0.1)],
)
def test_values_that_torch_refuses_are_out_of_range(optimizer, name, value) -> None:
    with pytest.raises(TrainingError, match=f"{name}.* needs a number"):
        resolve({"optimizer": optimizer, "optimizer_settings": {name: value}}, "classification")


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("end", ["low", "high"])
def test_both_ends_of_an_optimisers_ranges_are_taken_by_torch(name: str, end: str) -> None:
    for setting in OPTIMIZERS[name].settings:
        value = getattr(setting, end)
        if value is None or setting.length or setting.kind == "bool":
            continue
        training = {"optimizer": name, "optimizer_settings": {setting.name: value}}
        made = configure_optimizers(nn.Linear(2, 2), resolve(training, "classification"), 1)
        assert made.optimisers[0].param_groups[0][setting.name] == value


@pytest.mark.parametrize("three", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 10, 20])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0])
def test_one_cycle_is_refused_exactly_where_torch_divides_by_zero(share, steps, three) -> None:
    sgd = optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
    refused = works = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            schedule = OneCycleLR(sgd, 0.1, total_steps=steps, pct_start=share, three_phase=three,
                                  cycle_momentum=False)  # fmt: skip
            for _ in range(steps):
                schedule.step()
        except ZeroDivisionError:
            works = False
    try:
        one_cycle(share, steps, three)
        refused = False
    except TrainingError:
        pass
    assert refused is not works


def test_usual_settings_are_idle_in_nothing() -> None:
    assert warnings_for({}) == []
    assert (
        warnings_for({"patience": 3, "scheduler": "StepLR", "epochs": 20, "ema_decay": 0.9}) == []
    )


@pytest.mark.parametrize(
    ("training", "sentence"),
    [
        ({"lr": 0.0}, "The learning rate is 0, so the weights do not change."),
        (
            {"clip_norm": 0.0},
            "Gradients are clipped to 0, so the network learns nothing.",
        ),
        (
            {"clip_value": 0.0},
            "Gradients are clipped to 0, so the network learns nothing.",
        ),
        (
            {"min_delta": 0.1},
            "min_delta has no effect without patience and a best_by other than last.",
        ),
        (
            {"min_delta": 1.0, "patience": 3},
            "min_delta is 1, but no accuracy can rise by more than 1.",
        ),
        (
            {"batch_size": 2000},
            "The batch size of 2,000 exceeds the 1,000 samples: an epoch is one step.",
        ),
        (
            {"accumulate": 11},
            "A step accumulates 11 batches but an epoch has only 10: an epoch is one step.",
        ),
        (
            {"patience": 3, "best_by": "last"},
            "With best_by last, every epoch is the best one, so patience never ends the run.",
        ),
        ({"patience": 9}, "A patience of 9 epochs cannot stop a run of 10 epochs early."),
        ({"max_minutes": 0}, "A time limit of 0 minutes ends the run after its first step."),
        (
            {"scheduler": "StepLR", "warmup": 2},
            "StepLR first drops after 10 epochs, but its schedule has only 8.",
        ),
        (
            {"scheduler": {"name": "MultiStepLR", "milestones": [5, 10]}},
            "MultiStepLR drops at epoch 10, but its schedule has only 10.",
        ),
        (
            {"scheduler": {"name": "ReduceLROnPlateau", "patience": 8}},
            "ReduceLROnPlateau waits for 8 epochs without improvement, so it"
            " cannot lower the learning rate within 10 epochs.",
        ),
        (
            {"optimizer": "SGD", "decay_of": "matrices"},
            "decay_of is matrices, but weight_decay is 0, so nothing decays.",
        ),
        (
            {"optimizer": "SGD", "optimizer_settings": {"dampening": 0.1}},
            "dampening is set, but momentum is 0, so it has no effect.",
        ),
        (
            {"ema_decay": 0.999},
            "A moving average with decay 0.999 covers about 1,000 steps, but the"
            " run has 100: the validated weights lag far behind the trained ones.",
        ),
    ],
)
def test_a_setting_without_effect_is_named(training, sentence) -> None:
    assert warnings_for(training) == [sentence]


@pytest.mark.parametrize("patience", [7, 8])
def test_the_plateau_that_cannot_be_reached_is_the_one_warned_of(patience: int) -> None:
    """Of 10 epochs: with a patience of 7 the last one has a smaller rate, with 8 none has."""
    plan = {"scheduler": {"name": "ReduceLROnPlateau", "patience": patience}}
    recipe = configure_optimizers(nn.Linear(1, 1), resolve(plan, "classification"), 1)
    rates = []
    for _ in range(10):
        rates.append(recipe.lr)
        recipe.step_schedulers(1.0)
    assert (min(rates) == max(rates)) is bool(warnings_for(plan))


def test_every_setting_that_a_student_can_touch_is_explained_in_a_sentence() -> None:
    owners = [o for kind in (OPTIMIZERS, SCHEDULES, LOSSES, TRANSFORMS) for o in kind.values()]
    declared = [*TRAINING, *DISTIL, *(s for owner in owners for s in owner.settings)]
    assert len(declared) > 100
    for setting in declared:
        assert setting.help.endswith("."), setting.name
        assert len(setting.help.split()) >= 4, setting.name
    assert all(owner.summary.endswith(".") for owner in owners)
