"""Every schedule goes on after a checkpoint as if there had been none, in a warm-up, too."""

import pytest
import torch
from torch import nn

from core.engine.optim import Optimization, configure_optimizers
from core.engine.trainer_state import restore_recipe
from core.settings.lr_schedulers import SCHEDULES
from core.settings.validate import resolve
from core.worker.checkpoint_writer import snapshot

EPOCHS = 7
SOON = {"MultiStepLR": {"milestones": [1, 3, 3]}, "StepLR": {"step_size": 2}}


def recipe_of(name: str, warmup: int) -> Optimization:
    schedule = {"name": name, **SOON.get(name, {})}
    training = {"scheduler": schedule, "warmup": warmup, "epochs": EPOCHS, "lr": 1.0}
    return configure_optimizers(nn.Linear(1, 1), resolve(training, "classification"), 1)


def rates(recipe: Optimization, epochs: int) -> list[float]:
    found: list[float] = []
    for _ in range(epochs):
        found.append(recipe.lr)
        for optimiser in recipe.optimisers:
            optimiser.step()
        if recipe.per == "step":
            recipe.schedules[0].step()
        recipe.step_schedulers(1.0)
    return found


@pytest.mark.parametrize("warmup", [0, 2])
@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_goes_on_where_it_was(name: str, warmup: int) -> None:
    if warmup and "unchained" in SCHEDULES[name].traits:
        pytest.skip("torch cannot begin it later")
    whole = rates(recipe_of(name, warmup), EPOCHS)
    for done in range(1, EPOCHS):
        first, second = recipe_of(name, warmup), recipe_of(name, warmup)
        before = rates(first, done)
        state = {
            "optimizers": [o.state_dict() for o in first.optimisers],
            "schedulers": [s.state_dict() for s in first.schedules],
            "step": done,
        }
        restore_recipe(second, snapshot(state))
        assert before + rates(second, EPOCHS - done) == whole, done


def test_a_checkpoint_holds_no_other_kind_of_dictionary() -> None:
    kept = snapshot(recipe_of("MultiStepLR", 0).schedules[0].state_dict())["milestones"]
    assert (type(kept), kept) == (dict, {1: 1, 3: 2})
    torch.testing.assert_close(rates(recipe_of("MultiStepLR", 0), 5)[3:], [0.001, 0.001])
