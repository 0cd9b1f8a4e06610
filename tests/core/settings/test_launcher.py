"""The launcher of a run: what spec.json keeps, and how a batch is cut."""

import argparse
from dataclasses import replace
from typing import Any

import pytest

from core.common.errors import RunError, TrainingError
from core.engine.torchrun_functions import divide_batch
from core.settings.launcher import Launcher, check_sharding
from core.settings.step_settings import StepSettings


def test_a_run_without_a_launcher_trains_in_one_process_of_this_machine() -> None:
    launcher = Launcher.read({})
    assert launcher == Launcher("local", 1, 1, "", "ddp")
    assert launcher.plain
    assert launcher.world == 1


def test_a_launcher_is_read_back_from_a_spec() -> None:
    launcher = Launcher("slurm", 4, 2, "login.example", "fsdp")
    assert launcher.as_spec() == {
        "kind": "slurm",
        "processes": 4,
        "machines": 2,
        "address": "login.example",
        "sharding": "fsdp",
    }
    assert Launcher.read({"launcher": launcher.as_spec()}) == launcher
    assert launcher.world == 8


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({"kind": "mpi"}, "must be one of local, torchrun, ray, slurm, ssh"),
        ({"kind": ["local"]}, "must be one of local"),
        ({"processes": 0}, "must be a whole number from 1 to 256"),
        ({"processes": True}, "must be a whole number from 1 to 256"),
        ({"machines": "2"}, "must be a whole number from 1 to 1024"),
        ({"address": None}, "must be a text"),
        ({"sharding": "zero"}, "must be one of ddp, fsdp"),
        ({"ranks": 2}, "'ranks' is not a key of a launcher"),
        ([], "must be an object"),
    ],
)
def test_a_damaged_launcher_is_refused_by_its_key(stored: object, message: str) -> None:
    with pytest.raises(RunError, match=message):
        Launcher.read({"launcher": stored})


@pytest.mark.parametrize(
    ("world", "before", "after"),
    [
        (1, (64, 1), (64, 1)),
        (2, (64, 1), (32, 2)),
        (4, (64, 1), (16, 4)),
        (2, (32, 4), (32, 4)),
        (4, (32, 2), (16, 4)),
        (3, (32, 2), None),
        (2, (7, 1), None),
    ],
)
def test_the_samples_of_a_step_stay_the_same(
    world: int, before: tuple[int, int], after: tuple[int, int] | None
) -> None:
    launcher = Launcher(processes=world)
    if after is None:
        with pytest.raises(TrainingError, match=f"cannot be divided among {world} processes"):
            launcher.cut(StepSettings(*before))
    else:
        assert launcher.cut(StepSettings(*before)) == StepSettings(*after)


def test_a_refused_batch_offers_the_nearest_sizes() -> None:
    with pytest.raises(TrainingError) as refused:
        Launcher(processes=4).cut(StepSettings(30, 1))
    assert refused.value.hint == "Set batch_size to 28 or 32."


@pytest.mark.parametrize("batch_size", [30, 64])
@pytest.mark.parametrize("accumulate", [1, 2, 6])
@pytest.mark.parametrize("world", [1, 2, 3, 4, 8])
def test_a_script_divides_a_batch_as_a_launcher_does(
    batch_size: int, accumulate: int, world: int
) -> None:
    args = argparse.Namespace(batch_size=batch_size, accumulate=accumulate)
    try:
        expected = Launcher(processes=world).cut(StepSettings(batch_size, accumulate))
    except TrainingError:
        with pytest.raises(SystemExit, match=f"A batch of {batch_size} samples cannot be divided"):
            divide_batch(args, world)
    else:
        assert divide_batch(args, world) == (expected.batch_size, expected.batches)


@pytest.mark.parametrize(
    ("settings", "needed"),
    [
        ({"precision": "float16"}, "float32 or bfloat16, not float16"),
        ({"grad_noise": 0.1}, "grad_noise 0"),
        ({"on_not_finite": "skip"}, "on_not_finite stop, not skip"),
        ({"optimizer": "Muon"}, "an optimiser that treats each number alone, not Muon"),
        ({"losses": [{"output": "a", "trains": "generator"}]}, "losses that train all weights"),
    ],
)
def test_what_sharded_weights_cannot_do_is_one_sentence(
    settings: dict[str, Any], needed: str
) -> None:
    launcher = Launcher("torchrun", 2, sharding="fsdp")
    with pytest.raises(TrainingError) as refused:
        check_sharding(launcher, settings)
    assert refused.value.message == f"Sharded weights (fsdp) need {needed}."
    check_sharding(replace(launcher, sharding="ddp"), settings)


def test_sharded_weights_need_several_processes_and_dense_gradients() -> None:
    with pytest.raises(TrainingError, match="need at least 2 processes, not 1"):
        check_sharding(Launcher(sharding="fsdp"), {})
    with pytest.raises(TrainingError, match="need an Embedding with sparse false"):
        check_sharding(Launcher(processes=2, sharding="fsdp"), {}, "Embedding(9, 4, sparse=True)")
    check_sharding(Launcher(processes=2, sharding="fsdp"), {}, "Embedding(9, 4)")
