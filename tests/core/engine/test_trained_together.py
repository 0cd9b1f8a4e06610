"""Each schedule and optimiser, losses, samplers and averages: together as alone, to the bit.

Where the steps are one, they end where those of each alone do, to the stated `ROUNDING`; where
they cannot be, the sentence says why, and they are to the bit what each is alone.
"""

import math
from itertools import cycle
from typing import Any

import pytest
import torch

from core.engine.group import Group
from core.engine.member import Member
from core.engine.rng import seed_all
from core.engine.snapshot import restore_snapshot, snapshot
from core.engine.stacked_step import ROUNDING
from core.engine.traced_step import TracedStep
from core.engine.trainer import Trainer
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from tests.core.engine.groups import made, trained_together
from tests.core.engine.test_compiled_step import as_noted
from tests.core.small_runs import project, table_net
from tests.gpu.engines import apart

SMALL: dict[str, Any] = {"epochs": 3, "batch_size": 40}
RATES = (0.004, 0.02)
MORE: list[dict[str, Any]] = [
    {"warmup": 1},
    {"ema_decay": 0.875},
    {"precision": "bfloat16"},
    {"precision": "float16"},
    {"precision": "float16", "clip_norm": 0.5},
    {"ema_decay": 0.875, "accumulate": 2, "clip_norm": 0.5},
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
    *({"optimizer": name} for name in OPTIMIZERS),
    *(of_schedule("OneCycleLR", **more) for more in MORE if "warmup" not in more),
    *MORE,
]
PAIRS = [of_schedule(s, optimizer=o) for o in OPTIMIZERS for s in SCHEDULES]
ANYWHERE = [{}, *(more for more in MORE if not {"optimizer", "warmup"} & more.keys())]
TURNED = [pair | more for pair, more in zip(PAIRS, cycle(ANYWHERE), strict=False)]
"""Every pair, each with another of the settings that change a step."""
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


def length(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    """The Euclidean distance between all weights of two networks."""
    return math.hypot(*(float((value - other[name]).norm()) for name, value in one.items()))


def check_in_one_step(settings: dict[str, Any]) -> str:
    """Compiled, all but the compiler, then trained: why not in one step, "" where it was one."""
    found = members(settings)
    begun = {name: value.clone() for name, value in found[0].module.state_dict().items()}
    group = Group(found, range(len(found)), len(found))
    group.calculated_s()
    group.compile(as_noted)
    trained_together(group)
    for member, lr in zip(found, RATES, strict=True):
        weights, rates = alone(settings, lr)
        far = length(weights, member.module.state_dict())
        assert far <= ROUNDING * length(weights, begun) if group.whole else far == 0.0
        assert member.drain_metrics()["lr"] == rates
    return group.why


@pytest.mark.slow
@pytest.mark.parametrize("settings", [*CASES, *TURNED], ids=str)
def test_every_schedule_with_every_optimiser_together_is_what_it_is_alone(
    settings: dict[str, Any],
) -> None:
    if not check_in_one_step(settings):  # else it was by turns
        check_by_turns(settings)


@pytest.mark.gate
@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (of_schedule("OneCycleLR", optimizer="AdamW", ema_decay=0.875, clip_norm=0.5), ""),
        ({"optimizer": "ASGD", "scheduler": {"name": "OneCycleLR"}}, ""),
        ({"optimizer": "Adamax"}, ""),
        (of_schedule("OneCycleLR", optimizer="RMSprop"), "OneCycleLR also changes the momentum"),
        ({"optimizer": "SGD", "optimizer_settings": {"momentum": 0.9, "dampening": 0.5}},
         "dampening is set"),
        ({"precision": "float16", "clip_norm": 0.5}, "float16 checks each gradient"),
        ({"precision": "bfloat16"},
         "bfloat16 rounds coarsely, so that a joint step would lead elsewhere"),
    ],
    ids=str,
)  # fmt: skip
def test_trials_share_a_step_or_say_why_not_and_end_where_each_does_alone(
    settings: dict[str, Any], why: str
) -> None:
    assert check_in_one_step(settings) == why


@pytest.mark.gate
@pytest.mark.parametrize("more", [{}, {"clip_norm": 0.5}])
def test_a_step_that_broke_off_while_it_was_traced_is_undone_whole(
    more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A grad scaler keeps how far a step is, and leaves its scale on the optimiser."""
    monkeypatch.setattr("core.engine.noted_step.NotedStep.refuse", TracedStep.refuse)
    settings = {"precision": "float16", "optimizer": "Adam", **more}
    assert check_in_one_step(settings) == "Expected grad_scale and found_inf to be None"


def test_a_first_trial_whose_step_fails_while_it_is_timed_fails_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = members({})
    monkeypatch.setattr(found[0], "train_step", lambda *_: 1 / 0)
    group = Group(found, range(len(found)), len(found))
    assert group.calculated_s() == 0.0
    for member in found:
        next(member.fit(0.0))
    failed = group.make()
    assert {at: type(error) for at, error in failed.items()} == {0: ZeroDivisionError}


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
