"""Weights over time: what is kept equals what a plain loop has, and following changes no bit."""

import errno
import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from core.analyse import analyse_project
from core.common.errors import CheckpointError
from core.engine.load_module import epoch_state, load_module, load_network
from core.insight.load_model import OpenedNetwork, open_run
from core.prepare.create import prepare
from core.runs import checkpoint, epoch_weights
from core.runs.files import read_json
from core.worker import weights_logger
from core.worker.weights_logger import WeightsLogger
from tests.core.small_runs import CHANCY_NET, project, train_here
from tests.gpu.engines import engine

DIGITS = {"source": "digits"}


def run_of(folder: Path, *touched: str, net: Any = CHANCY_NET, **training: Any) -> Path:
    """A run that has ended; files of these names say from its beginning that it is looked at."""
    plain = {"optimizer": "SGD", "lr": 0.1, "scheduler": None, "seed": 3, "threads": 1}
    made = project(net, DIGITS, **{**plain, **training})
    run = prepare(made, analyse_project(made), folder)
    for name in touched:
        (run / name).touch()
    assert train_here(run).state == "finished", (run / "log.txt").read_text()
    return run


@pytest.fixture(scope="module")
def unwatched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_of(tmp_path_factory.mktemp("runs"), epochs=3)


@pytest.mark.gate
def test_a_followed_run_ends_with_the_bits_of_one_that_is_not(
    tmp_path: Path, unwatched: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(WeightsLogger, "end", lambda _: None)  # what it wrote last stays
    watched = run_of(tmp_path, "viewer", "follower", epochs=3)
    live = epoch_weights.read_notes(watched / epoch_weights.LIVE)
    assert live["step"] >= 1
    assert len(live["norms"]) == 6
    assert (watched / "live/health.json").exists()
    assert epoch_weights.epochs(watched) == epoch_weights.epochs(unwatched) == [0, 1, 2, 3]
    for epoch in range(4):
        mine, other = (epoch_weights.path_of(run, epoch) for run in (watched, unwatched))
        assert mine.read_bytes() == other.read_bytes()
    last = [checkpoint.load(run, "last") for run in (watched, unwatched)]
    assert last[0]["step"] == last[1]["step"] == 69
    chances = [json.dumps(s["chance"], default=torch.Tensor.tolist) for s in last]
    assert chances[0] == chances[1]
    results = [read_json(run / "final.json")["metrics"] for run in (watched, unwatched)]
    told = [{name: v for name, v in each.items() if name != "elapsed_s"} for each in results]
    assert told[0] == told[1]


def test_the_weights_of_the_last_epoch_are_those_of_the_checkpoint(unwatched: Path):
    kept = load_file(epoch_weights.path_of(unwatched, 3))
    last = checkpoint.load(unwatched, "last")["model"]
    assert kept.keys() == last.keys()
    assert all(torch.equal(kept[name], last[name]) for name in last)
    opened = open_run(unwatched, "epoch-000003").module
    assert torch.equal(opened.state_dict()["conv1.weight"], last["conv1.weight"])


def test_norms_are_those_of_a_plain_step_on_the_same_weights(tmp_path: Path):
    net = json.loads(json.dumps(CHANCY_NET))
    del net["nodes"]["drop1"]
    net["edges"] = [e for e in net["edges"] if "drop1" not in e] + ["relu1 -> flat"]
    run = run_of(tmp_path, net=net, epochs=3, batch_size=2000)  # one step is an epoch
    module, before = load_module(run, "epoch-000002"), load_module(run, "epoch-000002")
    loaded = load_network(run)
    data = OpenedNetwork(loaded.project, loaded.report, module, run, "").dataset
    inputs, targets = data.all_training()
    nn.functional.cross_entropy(module.train()(*inputs), targets[0]).backward()
    norms = epoch_weights.read_notes(epoch_weights.path_of(run, 3))["norms"]
    after = dict(load_module(run, "epoch-000003").named_parameters())
    assert list(norms) == list(after)
    for (name, weight), old in zip(module.named_parameters(), before.parameters(), strict=True):
        assert weight.grad is not None
        told = [old.norm(), weight.grad.norm(), (after[name] - old).norm()]
        # the biases before a normalisation have no gradient but rounding
        assert norms[name] == pytest.approx([t.item() for t in told], rel=1e-4, abs=1e-7)
        assert norms[name][2] == pytest.approx(0.1 * norms[name][1], rel=1e-3, abs=1e-8)


@pytest.mark.parametrize("newest_s", [0.0, math.inf])
def test_epochs_are_thinned_out_evenly_and_the_newest_is_always_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, newest_s: float
):
    monkeypatch.setattr(epoch_weights, "MOST", 4)
    monkeypatch.setattr(weights_logger, "NEWEST_S", newest_s)
    run = run_of(tmp_path, epochs=11, batch_size=2000)
    assert epoch_weights.epochs(run) == [0, 4, 8, 11]
    spec = read_json(run / "spec.json")
    assert epoch_weights.why_fewer(run, spec, 11) == (
        "4 of 12 are kept, evenly spaced: a run may use 256 MB for them."
    )
    with pytest.raises(CheckpointError, match="no longer has the weights of epoch 5"):
        load_module(run, "epoch-000005")


def test_what_a_killed_attempt_left_as_its_newest_goes_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(epoch_weights, "MOST", 4)
    monkeypatch.setattr(weights_logger, "NEWEST_S", 0.0)
    (tmp_path / epoch_weights.FOLDER).mkdir()
    for epoch in (0, 2, 4, 5, 7):
        epoch_weights.path_of(tmp_path, epoch).touch()
    made = engine()
    made.step, made.epoch = 60, 6
    logger = WeightsLogger(tmp_path, made)
    assert epoch_weights.epochs(tmp_path) == [0, 2, 4, 5]
    made.epoch = 7
    logger.epoch()
    assert epoch_weights.epochs(tmp_path) == [0, 2, 4, 7]


def test_a_full_disk_at_the_end_leaves_no_live_weights_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(epoch_weights, "MOST", 4)
    monkeypatch.setattr(weights_logger, "NEWEST_S", math.inf)
    made = engine()
    logger = WeightsLogger(tmp_path, made)
    made.step, made.epoch = 1, 9  # of which every second stays: this one waits
    logger.epoch()
    live = tmp_path / epoch_weights.LIVE
    live.parent.mkdir()
    live.touch()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(weights_logger, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        logger.end()
    assert not live.exists()


def test_room_is_counted_in_bytes_and_in_epochs():
    sizes = (4 << 20, 1 << 10, 128 << 20, 129 << 20)
    assert [epoch_weights.room_for(size) for size in sizes] == [64, 128, 2, 0]
    assert [epoch_weights.spacing(epoch, 4) for epoch in (1, 4, 5, 9, 10, 20)] == [1, 1, 2, 2, 4, 8]


def test_a_run_of_before_says_why_there_are_no_epochs(tmp_path: Path):
    assert epoch_weights.epochs(tmp_path) == []
    assert epoch_weights.why_fewer(tmp_path, {}, 5).startswith(
        "No weights of single epochs were kept"
    )
    assert "bundle" in epoch_weights.why_fewer(tmp_path, {"brought": True}, 5)
    assert "sweep" in epoch_weights.why_fewer(tmp_path, {"sweep": {}}, 5)


def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path):
    (tmp_path / "weights").mkdir()
    epoch_weights.path_of(tmp_path, 2).write_bytes(b"\xff" * 40)
    assert epoch_weights.read_notes(epoch_weights.path_of(tmp_path, 2)) == {}
    with pytest.raises(CheckpointError, match="The weights of epoch 2 of"):
        epoch_state(tmp_path, "2")
