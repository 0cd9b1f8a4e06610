"""The sentences on what differs where processes divide a batch."""

import pytest

from core.settings.launcher import Launcher
from core.wings.launch.smaller_batches import of_trials, sentence

NORM = "self.norm = nn.BatchNorm2d(3)"
SENTENCE = (
    "Batch norm sees 16 samples at a time, not 64, so results differ from those of one process; "
    "one process with batch_size 16 and accumulate 4 gives the same. With the setting "
    "sync_batchnorm it sees all 64."
)


@pytest.mark.parametrize(
    "source",
    [
        NORM,
        "self.norm = nn.LazyBatchNorm1d()",
        "self.norm = nn.SyncBatchNorm(3)",
        "x = F.batch_norm(x, None, None, training=True)",
        "self.norm = nn.BatchNorm1d(3, track_running_stats=False)",
    ],
)
def test_it_is_said_of_each_norm_that_sees_the_batch(source: str) -> None:
    assert sentence(Launcher("torchrun", 4), {"batch_size": 64}, source) == SENTENCE


def test_accumulated_batches_are_divided_between_processes_as_they_are() -> None:
    training = {"batch_size": 64, "accumulate": 4}
    assert sentence(Launcher("torchrun", 4), training, NORM) == ""
    assert "Batch norm sees 32 samples at a time, not 64" in sentence(
        Launcher("torchrun", 8), training, NORM
    )


def test_nothing_is_said_where_nothing_differs() -> None:
    training = {"batch_size": 64}
    assert sentence(Launcher("torchrun", 4), training, "nn.LayerNorm(3)") == ""
    assert sentence(Launcher("torchrun", 4), training, "nn.InstanceNorm2d(3)") == ""
    assert sentence(Launcher("ssh", address="box"), training, NORM) == ""
    synced = {**training, "sync_batchnorm": True}
    assert sentence(Launcher("torchrun", 4), synced, NORM) == ""
    by_function = f"{NORM}; x = F.batch_norm(x, None, None, training=True)"
    assert sentence(Launcher("torchrun", 4), synced, by_function) == SENTENCE
    assert sentence(None, training, NORM) == ""
    assert sentence(Launcher("torchrun", 3), training, NORM) == ""
    assert sentence(Launcher("torchrun", 4), {"batch_size": "64"}, NORM) == ""


DRAWS = (
    "Each process draws random numbers of its own (dropout, noise, augmentation), so results are "
    "close to those of one process, not the same."
)


@pytest.mark.parametrize(
    ("source", "data"),
    [
        ("self.drop = nn.Dropout(0.5)", {}),
        ("noise = torch.randn_like(deviation)", {}),
        ("nn.Linear(3, 2)", {"noise": 0.1}),
        ("nn.Linear(3, 2)", {"transform": [{"name": "RandomCrop"}]}),
        ("nn.Linear(3, 2)", {"inputs": {"z": "noise"}}),
    ],
)
def test_it_is_said_of_each_thing_that_draws_random_numbers(source: str, data: dict) -> None:
    assert sentence(Launcher("torchrun", 2), {"batch_size": 64}, source, data) == DRAWS
    assert sentence(Launcher("ssh", address="box"), {"batch_size": 64}, source, data) == ""


def test_both_are_said_where_both_differ() -> None:
    said = sentence(Launcher("torchrun", 4), {"batch_size": 64}, f"{NORM}; nn.Dropout()")
    assert said == f"{SENTENCE} {DRAWS}"


def test_a_sweep_says_it_of_each_size_that_it_tries() -> None:
    searched = {"lr": (1e-3, 1e-1), "batch_size": (64, 32), "accumulate": (1, 4)}
    assert of_trials(Launcher("torchrun", 4), {"batch_size": 128}, searched, NORM) == [
        SENTENCE,
        "Batch norm sees 8 samples at a time, not 32, so results differ from those of one "
        "process; one process with batch_size 8 and accumulate 4 gives the same. With the setting "
        "sync_batchnorm it sees all 32.",
    ]
    assert of_trials(Launcher("torchrun", 4), {"batch_size": 64}, {}, NORM) == [SENTENCE]
    assert of_trials(None, {}, searched, NORM) == []
