"""Steps of several engines made as one: each ends where it would by itself, to rounding."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.fx import GraphModule

from core.engine.group import Group
from core.engine.member import Member
from core.engine.rng import seed_all
from core.engine.trainer import Trainer
from tests.core.engine.groups import made, trained_together
from tests.core.engine.test_compiled_step import as_noted, moved
from tests.gpu.engines import apart

COMMON: dict[str, Any] = {"epochs": 2, "batch_size": 128}
Variants = list[dict[str, Any]]
NUMBERS: Variants = [
    {"lr": 0.01, "optimizer_settings": {"betas": [0.9, 0.99], "weight_decay": 0.01}},
    {"lr": 0.03, "optimizer_settings": {"betas": [0.8, 0.999], "weight_decay": 0.1}, "seed": 3},
]
LOSSES: Variants = [
    {"lr": 0.01, "loss_settings": {"label_smoothing": 0.1}, "seed": 1},
    {"lr": 0.03, "loss_settings": {"label_smoothing": 0.2}},
]


def members(variants: Variants, **common: Any) -> list[Member]:
    """Engines that draw from a seed of their own."""
    found = [made(Member, **COMMON | common | variant) for variant in variants]
    for at, member in enumerate(found):
        seed_all(at)
        member.capture_rng_states()
    return found


def alone(at: int, **settings: Any) -> dict[str, Tensor]:
    """What an engine comes to by itself."""
    engine = made(Trainer, **COMMON | settings)
    seed_all(at)
    for _ in engine.fit():
        engine.drain_metrics()
    return engine.module.state_dict()


def grouped(found: list[Member], many: int | None = None) -> Group:
    """A group whose step is all but compiled."""
    group = Group(found, range(len(found)), many or len(found))
    group.compile(as_noted)
    return group


@pytest.mark.gate
@pytest.mark.parametrize(
    ("variants", "common"),
    [
        (NUMBERS, {"optimizer": "AdamW"}),
        (LOSSES, {"optimizer": "SGD", "ema_decay": 0.875, "clip_norm": 1.0,
                  "best_by": "val_accuracy", "optimizer_settings": {"momentum": 0.9}}),
    ],
)  # fmt: skip
def test_engines_that_differ_in_numbers_and_seeds_train_in_one_step_as_each_alone(
    variants: Variants, common: dict[str, Any]
) -> None:
    """With dropout and BatchNorm; the last, smaller batch of an epoch is one step too."""
    found = members(variants, **common)
    group = grouped(found, many=3)  # a slot stays idle
    assert group.why == ""
    assert group.last is not None
    trained_together(group)
    for at, (member, variant) in enumerate(zip(found, variants, strict=True)):
        wanted = moved(alone(at, **common | variant))
        assert apart(wanted, moved(member.module.state_dict())) < 1e-4
        assert member.step == 24


@pytest.mark.gate
def test_they_draw_their_samples_and_leave_the_last_ones_out_as_each_alone() -> None:
    common: dict[str, Any] = {"optimizer": "AdamW", "sampler": "balanced", "drop_last": True}
    found = members(NUMBERS, **common)
    group = grouped(found)
    assert group.why == ""
    assert group.last is None  # there is no smaller batch
    trained_together(group)
    for at, (member, variant) in enumerate(zip(found, NUMBERS, strict=True)):
        wanted = moved(alone(at, **common | variant))
        assert apart(wanted, moved(member.module.state_dict())) < 1e-4
        assert member.step == 22


@pytest.mark.slow
def test_who_ends_early_keeps_what_it_had_and_leaves_the_others_as_they_were() -> None:
    found = members([{"lr": 0.01}, {"lr": 0.03, "epochs": 1}], optimizer="AdamW")
    group = grouped(found)
    trained_together(group)
    assert [member.step for member in found] == [24, 12]
    for at, (lr, epochs) in enumerate(((0.01, 2), (0.03, 1))):
        wanted = moved(alone(at, optimizer="AdamW", lr=lr, epochs=epochs))
        assert apart(wanted, moved(found[at].module.state_dict())) < 1e-4


@pytest.mark.slow
def test_a_group_that_goes_on_from_checkpoints_of_different_steps_ends_where_it_would_have() -> (
    None
):
    variants: Variants = [{"lr": 0.01}, {"lr": 0.03, "seed": 3}]
    whole = members(variants, optimizer="AdamW")
    trained_together(grouped(whole))
    before = members(variants, optimizer="AdamW")
    group = grouped(before)
    fits = [member.fit(0.0) for member in before]
    for count, fit in ((7, fits[0]), (15, fits[1])):  # one is an epoch ahead of the other
        for _ in range(count):
            next(fit)
            group.make()
    states = [member.state_dict() for member in before]
    after = members(variants, optimizer="AdamW")
    for member, state in zip(after, states, strict=True):
        member.load_state_dict(state)
        member.capture_rng_states()
    trained_together(grouped(after))
    for one, other in zip(whole, after, strict=True):
        assert apart(one.module.state_dict(), other.module.state_dict()) == 0.0


@pytest.mark.gate
def test_steps_of_other_operations_are_made_by_turns_to_the_bit_and_why_is_given() -> None:
    variants: Variants = [
        {"lr": 0.01, "optimizer_settings": {"weight_decay": 0.0}},
        {"lr": 0.03, "optimizer_settings": {"weight_decay": 0.1}},
    ]
    found = members(variants, optimizer="SGD")
    group = grouped(found)
    assert group.why == "their steps have different numbers of operations"
    trained_together(group)
    for at, (member, variant) in enumerate(zip(found, variants, strict=True)):
        assert apart(alone(at, optimizer="SGD", **variant), member.module.state_dict()) == 0.0


@pytest.mark.gate
def test_what_compiles_wrongly_is_found_out_before_it_trains() -> None:
    def wrong(graph: GraphModule, _: list[Tensor]) -> Any:
        def run(tensors: list[Tensor]) -> Any:
            found = graph(*tensors)
            for tensor in tensors:
                if tensor.is_floating_point() and tensor.ndim == 3:
                    tensor.mul_(1.01)
            return found

        return run

    found = members([{"lr": 0.01}, {"lr": 0.03}], optimizer="AdamW")
    begun = {name: value.clone() for name, value in found[0].module.state_dict().items()}
    group = Group(found, range(2), 2)
    group.compile(wrong)
    assert "differs by" in group.why
    assert group.whole is None
    assert all(torch.equal(v, begun[n]) for n, v in found[0].module.state_dict().items())
