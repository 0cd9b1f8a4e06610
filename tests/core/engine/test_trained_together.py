"""Each schedule and optimiser, losses, samplers and averages: together as alone, to the bit.

Where the steps are one, they end where those of each alone do, to the rounding of `APART`.
"""

from typing import Any

import pytest
import torch

from core.engine.group import Group
from core.engine.member import Member
from core.engine.rng import seed_all
from core.engine.snapshot import restore_snapshot, snapshot
from core.engine.trainer import Trainer
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from tests.core.engine.groups import made, trained_together
from tests.core.engine.test_compiled_step import as_noted, moved
from tests.core.small_runs import project, table_net
from tests.gpu.engines import apart

SMALL: dict[str, Any] = {"epochs": 3, "batch_size": 50}
RATES = (0.004, 0.02)
APART = 1e-4
MORE: list[dict[str, Any]] = [
    {"warmup": 1},
    {"ema_decay": 0.875},
    {"precision": "bfloat16"},
    {"precision": "float16"},
    {"on_not_finite": "skip"},
    {"sampler": "balanced"},
    {"accumulate": 2},
    {"grad_noise": 0.01},
    {"clip_norm": 0.5},
    {"clip_value": 0.1},
    {"optimizer": "SGD", "optimizer_settings": {"momentum": 0.9, "dampening": 0.5}},
    {"loss": "MultiMarginLoss"},
    {"loss_settings": {"label_smoothing": 0.1}},
]


def of_schedule(name: str, **more: Any) -> dict[str, Any]:
    """Settings with a schedule of this name."""
    return {"scheduler": {"name": name}, **more}


CASES = [
    *(of_schedule(name, optimizer="Adam") for name in SCHEDULES),
    *({"optimizer": name} for name in OPTIMIZERS),
    *(of_schedule("OneCycleLR", **more) for more in MORE if "warmup" not in more),
    *MORE,
]
PRODUCT = [of_schedule(s, optimizer=o) for s in SCHEDULES for o in OPTIMIZERS]
KEPT = (of_schedule("OneCycleLR", optimizer="AdamW"), {"optimizer": "ASGD"})


def engine(kind: type[Trainer], settings: dict[str, Any], lr: float) -> Any:
    """A small network on iris, at the start of its run."""
    found = made(kind, iris(), **SMALL | settings | {"lr": lr})
    seed_all(7)
    return found


def iris() -> Any:
    """A network of four layers, one of which drops."""
    return project(table_net(4, 3), {"source": "iris"})


def alone(settings: dict[str, Any], lr: float) -> tuple[dict[str, torch.Tensor], list[float]]:
    """The weights and learning rates of an engine by itself."""
    found = engine(Trainer, settings, lr)
    rates: list[float] = []
    for _ in found.fit(0.0):
        rates += found.drain_metrics()["lr"]
    return found.module.state_dict(), rates


def members(settings: dict[str, Any]) -> list[Member]:
    """Engines that differ in their rates."""
    found = [engine(Member, settings, lr) for lr in RATES]
    for member in found:
        seed_all(7)
        member.capture_rng_states()
    return found


def check_by_turns(settings: dict[str, Any]) -> None:
    """Timed as a worker times them, then trained by turns: to the bit what each is alone."""
    found = members(settings)
    group = Group(found, range(len(found)), len(found))
    group.calculated_s()
    trained_together(group)
    for member, lr in zip(found, RATES, strict=True):
        weights, rates = alone(settings, lr)
        assert apart(weights, member.module.state_dict()) == 0.0
        assert member.drain_metrics()["lr"] == rates


@pytest.mark.parametrize("settings", KEPT, ids=str)
def test_a_first_trial_that_was_timed_trains_as_alone(settings: dict[str, Any]) -> None:
    check_by_turns(settings)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [*CASES, *PRODUCT], ids=str)
def test_every_schedule_with_every_optimiser_is_by_turns_to_the_bit_what_it_is_alone(
    settings: dict[str, Any],
) -> None:
    check_by_turns(settings)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [*CASES, *PRODUCT], ids=str)
def test_every_schedule_with_every_optimiser_is_in_one_step_what_it_is_alone(
    settings: dict[str, Any],
) -> None:
    """To rounding; to the bit where it says why they do not share a step."""
    found = members(settings)
    group = Group(found, range(len(found)), len(found))
    group.calculated_s()
    group.compile(as_noted)
    trained_together(group)
    for member, lr in zip(found, RATES, strict=True):
        weights, rates = alone(settings, lr)
        far = apart(moved(weights), moved(member.module.state_dict()))
        assert far < APART if group.whole else far == 0.0
        assert member.drain_metrics()["lr"] == rates


def test_whatever_is_tried_is_undone_in_every_part_of_a_training() -> None:
    settings = of_schedule("OneCycleLR", precision="float16", ema_decay=0.875)
    found = engine(Trainer, settings, 0.01)
    found.module.seen, found.module.kept = 0, torch.zeros(2)
    before, described = snapshot(found), str(snapshot(found))
    found.module.seen, found.module.made = 3, [1]
    found.module.kept.add_(1)
    for group in found.batches_of_epoch():
        found.make_step(group)
    assert str(snapshot(found)) != described
    restore_snapshot(found, before, recorded=False)
    assert str(snapshot(found)) == described
    assert (found.module.seen, hasattr(found.module, "made")) == (0, False)
