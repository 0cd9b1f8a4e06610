"""A setting that exists only beside another is searched with it, and drawn only there."""

from dataclasses import replace
from typing import Any

import pytest

from core.common.errors import SweepError
from core.prepare import create
from core.project import Project
from core.settings.override import put
from core.wings.sweep import check, conditional, start
from core.wings.sweep.search_space import Searched, Tie, combinations, holds, read
from tests.core.small_runs import project, table_net

MOMENTUM, NAMES = "optimizer_settings.momentum=0..0.9", "optimizer=SGD,AdamW"
IRIS = project(table_net(4, 3), {"source": "iris"}, optimizer="SGD", epochs=2, threads=1)
OWN = {"momentum": 0.9, "weight_decay": 0.1}
HEAVY = replace(IRIS, training={**IRIS.training, "optimizer_settings": OWN})


def checked(*search: str, of: Project = IRIS) -> list[Searched]:
    info = check.info_of(of)
    found = [read(text) for text in search]
    return check.check(of, info, check.objectives_of(of, info, ()), found)


@pytest.mark.parametrize(
    ("search", "tie"),
    [
        ((MOMENTUM, NAMES), Tie("optimizer", ("SGD",))),
        (("optimizer_settings.weight_decay=0..0.1", NAMES), Tie("optimizer", ("SGD", "AdamW"))),
        (("scheduler.gamma=0.1..0.9", "scheduler.name=StepLR,CosineAnnealingLR"),
         Tie("scheduler.name", ("StepLR",))),
        (("scheduler.gamma=0.1..0.9", "scheduler=null,ExponentialLR"),
         Tie("scheduler", ("ExponentialLR",))),
        (("relu1.negative_slope=0..0.3", "relu1.block=ReLU,LeakyReLU,Tanh"),
         Tie("relu1.block", ("LeakyReLU",))),
        (("fc1.lr_factor=0.1..1", "fc1.block=Linear,LazyLinear"), None),
    ],
)  # fmt: skip
def test_a_key_is_tied_to_the_values_that_have_it(search: tuple[str, ...], tie: Any) -> None:
    space = [read(text) for text in search]
    assert conditional.tie_of(IRIS, space[0].key, space) == tie


def test_a_tied_key_stands_behind_the_other_and_holds_only_beside_its_values() -> None:
    optimizer, momentum = checked(MOMENTUM, NAMES)
    assert (optimizer.key, momentum.key) == ("optimizer", "optimizer_settings.momentum")
    assert holds(momentum, {"optimizer": "SGD"})
    assert not holds(momentum, {"optimizer": "AdamW"})
    assert conditional.only([optimizer, momentum]) == {
        "optimizer_settings.momentum": {"optimizer": ["SGD"]}
    }
    both = checked("optimizer_settings.weight_decay=0..0.1", NAMES)
    assert conditional.only(both) == {}


def test_a_block_that_is_left_out_has_no_settings_and_no_other_in_its_place() -> None:
    space = checked(
        "relu1.negative_slope=0.1,0.2", "relu1.block=Tanh,LeakyReLU", "relu1.kept=true,false"
    )
    assert [each.key for each in space] == ["relu1.kept", "relu1.block", "relu1.negative_slope"]
    assert combinations(space, 4) == [
        {"relu1.kept": True, "relu1.block": "Tanh"},
        {"relu1.kept": True, "relu1.block": "LeakyReLU", "relu1.negative_slope": 0.1},
        {"relu1.kept": True, "relu1.block": "LeakyReLU", "relu1.negative_slope": 0.2},
        {"relu1.kept": False},
    ]
    blocks = [tuple(put(IRIS, row).graph.nodes) for row in combinations(space, 4)]
    assert [("relu1" in names) for names in blocks] == [True, True, True, False]


def test_a_fixed_setting_of_a_block_that_may_be_left_out_holds_where_it_is_kept() -> None:
    space = [read("fc1.kept=true,false")]
    conditional.fixed_beside(IRIS, {"fc1.out_features": 8}, space)


def test_combinations_leave_out_what_does_not_exist() -> None:
    space = checked("optimizer_settings.momentum=0.5,0.9", "optimizer=SGD,AdamW,Adam")
    assert combinations(space, 4) == [
        {"optimizer": "SGD", "optimizer_settings.momentum": 0.5},
        {"optimizer": "SGD", "optimizer_settings.momentum": 0.9},
        {"optimizer": "AdamW"},
        {"optimizer": "Adam"},
    ]
    assert combinations(space, 3) == []


@pytest.mark.parametrize(
    ("search", "message", "hint"),
    [
        ((MOMENTUM, "optimizer=Adam,AdamW"),
         "optimizer_settings.momentum exists for none of optimizer=Adam,AdamW.",
             "There is"),
        (("optimizer_settings.momentun=0..1", "optimizer=SGD,RMSprop"),
         "optimizer_settings.momentun exists for none of optimizer=SGD,RMSprop.",
         "Did you mean optimizer_settings.momentum?"),
        (("optimizer_settings.momentum=0..2", NAMES),
         "optimizer_settings.momentum cannot be 2.0 beside optimizer=SGD: ", "previous update"),
        ((MOMENTUM, "optimizer=SGD,AdamV"), "optimizer cannot be AdamV: ", "AdamW"),
        (("relu1.p=0..0.5", "relu1.block=ReLU,Tanh"),
         "relu1.p exists for none of relu1.block=ReLU,Tanh.", "There is inplace."),
        (("relu1.negative_slope=a,1", "relu1.block=ReLU,LeakyReLU"),
         "relu1.negative_slope cannot be a beside relu1.block=LeakyReLU: ", "number"),
    ],
)  # fmt: skip
def test_what_exists_nowhere_or_can_never_be_is_refused(search, message: str, hint: str) -> None:
    with pytest.raises(SweepError) as refused:
        checked(*search)
    assert refused.value.message.startswith(message)
    assert hint in refused.value.hint


def test_what_is_fixed_must_exist_in_every_trial(tmp_path) -> None:
    fixed = {"optimizer_settings.momentum": 0.9}
    with pytest.raises(SweepError) as refused:
        start.request_of(IRIS, tmp_path / "iris.loom.json", [NAMES], 4, fixed)
    assert refused.value.message == (
        "optimizer_settings.momentum is fixed but exists only for optimizer=SGD."
    )
    assert refused.value.hint == "Search it instead; it is then used only with that value."


def test_another_optimiser_leaves_behind_what_it_does_not_have() -> None:
    checked(NAMES, of=HEAVY)
    values = {"optimizer": "AdamW", "lr": 0.1}
    assert put(HEAVY, values).training["optimizer_settings"] == {"weight_decay": 0.1}
    assert put(HEAVY, {"optimizer": "SGD"}).training == HEAVY.training
    run = create._with_overrides(HEAVY, values)
    assert run.training["optimizer_settings"] == {"weight_decay": 0.1}
    given = {**values, "optimizer_settings.momentum": 0.5}
    assert put(HEAVY, given).training["optimizer_settings"] == {
        "weight_decay": 0.1, "momentum": 0.5,
    }  # fmt: skip
