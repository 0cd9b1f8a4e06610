"""In which order an epoch takes its samples, and whether a last, smaller batch is left out."""

from typing import Any

import pytest
import torch

from core.analyse import build
from core.common.errors import TrainingError
from core.data import load
from core.data.batches.epochs import EpochBatches, balanced, batches_of
from core.data.sources.counts import steps_per_epoch
from core.engine.rng import seed_all
from core.engine.trainer import Trainer
from core.engine.trainer_factory import split_on_device, trainer_from_settings
from core.script.script import write_script
from core.settings.checks import without_effect
from core.settings.data_checks import check_with_data
from core.settings.sampler import SAMPLERS
from core.settings.validate import resolve
from core.tasks.registry import TASKS
from tests.core.script.hand_made import MLP, Case, case

RARE = torch.tensor([0] * 90 + [1] * 10)
WINE = {"source": "wine"}


def made(sampler: str, drop_last: bool, count: int, size: int) -> EpochBatches:
    labels = RARE[-count:] if count <= len(RARE) else torch.zeros(count)
    settings = {"batch_size": size, "seed": 3, "sampler": sampler, "drop_last": drop_last}
    return batches_of(settings, count, balanced(labels))


@pytest.mark.parametrize("count", [1, 2, 7, 64, 65, 66, 100])
@pytest.mark.parametrize("size", [1, 2, 7, 64, 100])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_an_epoch_has_as_many_batches_as_steps_per_epoch_counts(
    sampler: str, drop_last: bool, size: int, count: int
) -> None:
    batches = made(sampler, drop_last, count, size).batches()
    assert len(batches) == steps_per_epoch(count, size, drop_last)
    assert sum(map(len, batches)) == (max(count - count % size, min(count, size)) if drop_last
                                      else count)  # fmt: skip
    if sampler != "balanced" and not drop_last:
        assert torch.cat(batches).sort().values.tolist() == list(range(count))


def test_leaving_the_last_batch_out_changes_no_other() -> None:
    usual, fewer = (made("shuffle", drop, 100, 30) for drop in (False, True))
    for epoch in (0, 5):
        usual.set_epoch(epoch)
        fewer.set_epoch(epoch)
        assert [len(batch) for batch in usual] == [30, 30, 30, 10]
        pairs = zip(usual.batches()[:3], fewer.batches(), strict=True)
        assert all(torch.equal(one, other) for one, other in pairs)


def test_in_order_means_as_they_are_kept_in_every_epoch() -> None:
    batches = made("sequential", False, 7, 3)
    batches.set_epoch(4)
    assert [batch.tolist() for batch in batches] == [[0, 1, 2], [3, 4, 5, 6]]


def test_a_rare_class_comes_as_often_as_a_common_one() -> None:
    assert balanced(RARE)[[0, 99]].tolist() == pytest.approx([1 / 90, 1 / 10])
    batches = made("balanced", False, 100, 50)
    drawn = list[torch.Tensor]()
    for epoch in range(100):
        batches.set_epoch(epoch)
        drawn += batches.batches()
    rows = RARE[torch.cat(drawn)]
    assert rows.double().mean().item() == pytest.approx(0.5, abs=0.02)  # 0.1 of the samples


def test_an_epoch_is_drawn_by_seed_and_epoch_alone() -> None:
    one, other = made("balanced", False, 100, 50), made("balanced", False, 100, 50)
    one.set_epoch(2)
    other.set_epoch(1)
    first = other.batches()[0]
    other.set_epoch(2)
    assert torch.equal(one.batches()[0], other.batches()[0])
    assert not torch.equal(one.batches()[0], first)


@pytest.mark.parametrize("task", [name for name in TASKS if name != "classification"])
def test_only_samples_with_one_class_are_drawn_by_it(task: str) -> None:
    with pytest.raises(TrainingError, match="needs one class for each sample but the task is"):
        resolve({"sampler": "balanced"}, task)
    assert resolve({"sampler": "sequential", "drop_last": True}, task)["drop_last"] is True


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sampler": "random"}, "training.sampler has no choice"),
        ({"drop_last": 1}, "training.drop_last needs true or false"),
    ],
)
def test_what_is_no_such_setting_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        resolve(settings, "classification")


def test_a_batch_that_no_epoch_fills_is_refused_where_it_would_be_left_out() -> None:
    found = case(MLP, WINE, (13,), (3,), drop_last=True, batch_size=200)
    training = resolve(found.project.training, "classification")
    with pytest.raises(
        TrainingError, match="leaves no batch to train on: 142 samples, batch_size 200"
    ):
        check_with_data(training, found.info)


def test_what_changes_nothing_or_counts_twice_is_warned_of() -> None:
    training = resolve({"drop_last": True, "batch_size": 50, "lr": 0.1}, "classification")
    assert without_effect(training, 150) == [
        "drop_last drops nothing: 150 samples divide evenly into batches of 50."
    ]
    asked = {"sampler": "balanced", "class_weights": "balanced", "lr": 0.1}
    (message,) = without_effect(resolve(asked, "classification"), 150)
    assert message.startswith(
        "The balanced sampler already draws rare classes as often as common ones"
    )


def trainer(found: Case) -> Trainer:
    training = resolve(found.project.training, found.info.task, found.info.losses)
    data = load(found.project.data, *found.ends, training["seed"])
    seed_all(training["seed"])
    module = build(found.report.source or "", found.report.class_name)
    parts = split_on_device(data, torch.device("cpu"))
    return trainer_from_settings(module, training, data, parts)


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_going_on_within_an_epoch_ends_with_the_same_weights(sampler: str, drop_last: bool) -> None:
    found = case(MLP, WINE, (13,), (3,), sampler=sampler, drop_last=drop_last, batch_size=40)
    whole, first, rest = trainer(found), trainer(found), trainer(found)
    assert whole.steps_per_epoch == 3 if drop_last else 4
    for _ in whole.fit():
        pass
    for _ in first.fit(tick_s=0.0):
        if first.step == whole.steps_per_epoch + 2:
            rest.load_state_dict(first.state_dict())
            break
    assert rest.batch == 2
    for _ in rest.fit():
        pass
    ended, again = whole.module.state_dict(), rest.module.state_dict()
    assert [key for key in ended if not torch.equal(ended[key], again[key])] == []
    assert rest.record["train_loss"] == whole.record["train_loss"]


def test_a_script_that_is_not_asked_for_it_says_nothing_of_it() -> None:
    found = case(MLP, WINE, (13,), (3,))
    script = write_script(found.project, found.report, found.info)
    assert "SampledBatches" not in script
    assert "RandomSampler" not in script


def test_a_tutorials_script_says_it_as_data_loader_does() -> None:
    found = case(MLP, WINE, (13,), (3,), sampler="balanced", drop_last=True)
    script = write_script(found.project, found.report, found.info, shuffled=True)
    assert "sampler=WeightedRandomSampler(balanced(train_y).tolist(), len(train_y))," in script
    assert "drop_last=True" in script
    assert "from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler" in script
    found = case(MLP, WINE, (13,), (3,), sampler="sequential")
    script = write_script(found.project, found.report, found.info, shuffled=True)
    assert "shuffle=True" not in script
