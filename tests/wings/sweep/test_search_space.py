"""What `--search` may say, and what it is told where it says something else."""

import pytest

from core.common.errors import SweepError
from core.wings.sweep import check
from core.wings.sweep.search_space import Choices, Range, combinations, read, settings_text
from tests.core.small_runs import project, table_net

IRIS = project(table_net(4, 3), {"source": "iris"}, optimizer="SGD", epochs=5, lr=0.1)


def test_a_range_has_two_ends_and_may_go_by_powers_or_by_steps() -> None:
    assert read("training.lr=1e-4..1e-1:log") == Range("lr", 1e-4, 0.1, log=True)
    assert read("fc1.out_features=32..256") == Range("fc1.out_features", 32, 256, whole=True)
    assert read("fc1.out_features=32..256:32").count == 8
    assert read("data.noise=0..0.5:0.25").values() == [0.0, 0.25, 0.5]
    assert read("lr=-1..1").ends == (-1, 1)


def test_choices_are_read_as_json_and_what_is_none_is_a_name() -> None:
    assert read("batch_size=16,32,64") == Choices("batch_size", (16, 32, 64))
    assert read("optimizer=SGD,AdamW") == Choices("optimizer", ("SGD", "AdamW"))
    assert read("deterministic=true,false") == Choices("deterministic", (True, False))
    assert read("conv1.kernel_size=3,[3,5]") == Choices("conv1.kernel_size", (3, [3, 5]))
    assert read("clip_norm=null,1.5") == Choices("clip_norm", (None, 1.5))


def test_numbers_are_drawn_as_people_write_them_and_stay_inside() -> None:
    assert read("lr=1e-4..1e-1:log").tidy(0.0123456789) == 0.012346
    assert read("lr=0.123464..0.2").tidy(0.123464) == 0.123464
    assert settings_text({"lr": 0.01, "relu1.block": "GELU", "a.b": [3, 5]}) == (
        "lr=0.01 relu1.block=GELU a.b=[3, 5]"
    )


def test_all_combinations_are_counted_where_they_are_few() -> None:
    space = [read("batch_size=16,32"), read("epochs=1..2")]
    assert combinations(space, 4) == [
        {"batch_size": 16, "epochs": 1}, {"batch_size": 16, "epochs": 2},
        {"batch_size": 32, "epochs": 1}, {"batch_size": 32, "epochs": 2},
    ]  # fmt: skip
    assert combinations(space, 3) == []
    assert combinations([read("lr=0.1..0.2")], 1000) == []


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("lr", "--search needs KEY and values but receives lr.", "KEY=LOW..HIGH"),
        ("lr=0.1..0.001", "lr=0.1..0.001 is empty: it needs a lower end below 0.001.", "lr=LOW"),
        ("lr=0.1..0.1", "lr=0.1..0.1 is empty: it needs a lower end below 0.1.", "lr=LOW..HIGH"),
        ("lr=0..1:log", "needs a lower end above 0 but receives 0.", "Remove :log."),
        ("lr=a..1", "lr=a..1 needs numbers but receives a.", "KEY=A,B,C"),
        ("lr=1..", "lr=1.. needs numbers but receives nothing.", "KEY=LOW..HIGH"),
        ("lr=1..1e999", "lr=1..1e999 needs numbers but receives 1e999.", "KEY=LOW..HIGH"),
        ("epochs=1..9:20", "epochs=1..9:20 needs a step from 0 to 8 but receives 20.", "STEP"),
        ("lr=0.01", "lr=0.01 is one value, so there is nothing to search.", "--set lr=0.01"),
        ("lr=1,1", "lr=1,1 has 1 twice.", "List each value once."),
    ],
)
def test_what_is_no_range_and_no_choice_is_refused_with_what_is(text, message, hint) -> None:
    with pytest.raises(SweepError) as refused:
        read(text)
    assert message in refused.value.message
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("lrr=1..2", "There is no training setting called lrr.", "Did you mean lr?"),
        ("fc9.out_features=3,4", "fc9.out_features is not a setting of a block",
         "Did you mean fc"),
        ("fc1.out_feature=3,4", "fc1.out_feature is not a setting",
         "Did you mean fc1.out_features?"),
        ("fc1=3,4", "fc1 is a group of settings.", "Write fc1.NAME=VALUE."),
        ("lr=fast,1", 'lr cannot be fast: training.lr needs a number from 0 but receives "fast".',
         "Learning rate"),
        ("lr=-1..1", "lr cannot be -1.0: training.lr needs a number from 0", "Learning rate"),
        ("optimizer=1..3", "optimizer=1..3 is a range of numbers but optimizer is a name.",
         "Write optimizer=A,B"),
        ("epochs=1.5..3", "epochs=1.5..3 needs whole numbers because epochs is one.", "fractions"),
        ("fc1.out_features=0..9", "fc1.out_features cannot be 0: fc1 needs out_features to be a",
         "whole number"),
        ("fc1.out_features=a,9", "fc1.out_features cannot be a: fc1 needs out_features to be a",
         "whole number"),
        ("fc1.repeat=0..2", "fc1.repeat cannot be 0: needs a whole number from 1", "Write it"),
        ("relu1.block=GELU,Gelu", "relu1.block cannot be Gelu: there is no such block.",
         "Did you mean"),
        ("optimizer_settings.alpha=0..1", 'training.optimizer_settings (SGD) has no setting',
         "momentum"),
        ("data.nois=0..1", "data.nois cannot be 0: data has no setting 'nois'.", "'noise'"),
        ("best_by=val_loss,val_accuracy", "best_by changes what val_accuracy measures", "--set"),
    ],
)  # fmt: skip
def test_a_key_or_value_that_can_never_be_is_refused_before_anything_trains(
    text, message, hint
) -> None:
    info = check.info_of(IRIS)
    with pytest.raises(SweepError) as refused:
        check.check(IRIS, info, check.objectives_of(IRIS, info, ()), [read(text)])
    assert message in refused.value.message
    assert hint in refused.value.hint


def test_ranges_are_of_whole_numbers_where_their_setting_is_and_of_others_where_not() -> None:
    info = check.info_of(IRIS)
    texts = ("lr=1..2", "data.noise=0..1", "fc1.out_features=4..8", "fc1.lr_factor=1..2")
    goal = check.objectives_of(IRIS, info, ())
    found = check.check(IRIS, info, goal, [read(text) for text in texts])
    assert [each.whole for each in found if isinstance(each, Range)] == [False, False, True, False]


def test_losses_are_not_compared_by_themselves() -> None:
    diabetes = project(table_net(10, 1), {"source": "diabetes"})
    info = check.info_of(diabetes)
    (goal,) = check.objectives_of(diabetes, info, ())
    assert (goal.name, goal.direction) == ("val_loss", "minimize")
    with pytest.raises(SweepError, match="loss changes what val_loss measures"):
        check.check(diabetes, info, (goal,), [read("loss=MSELoss,L1Loss")])
