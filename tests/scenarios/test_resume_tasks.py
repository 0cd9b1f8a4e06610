"""Every kind of task goes on from a checkpoint to the very bits of a run that never stopped."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.engine import trainer
from core.engine.load_module import load_module
from core.engine.trainer import Trainer
from core.prepare.create import prepare
from core.project import open_project
from core.runs.listing import read_metrics
from core.worker import launch
from tests.core.small_runs import train_here, until

PROJECTS = Path(__file__).parents[2] / "projects"
TASKS = (
    "multilabel_digits vae_digits dcgan_digits siamese_digits triplet_digits two_heads_digits "
    "two_inputs_diabetes seq2seq_dates bert_text gpt_text lstm_waves autoencoder_digits "
    "ctc_digit_rows"
).split()


def made(name: str, folder: Path) -> Path:
    project = open_project(PROJECTS / f"{name}.loom.json")
    epochs = (
        40 if name == "two_inputs_diabetes" else 2
    )  # long enough for a checkpoint to be written
    changes = {"epochs": epochs, "threads": 1, "checkpoint_every_s": 0.0}
    return prepare(project, analyse_project(project), folder, changes)


def losses(run_dir: Path) -> list[float]:
    return [x for r in read_metrics(run_dir)[0] if r["kind"] == "step" for x in r["loss"]]


@pytest.mark.alone
@pytest.mark.slow(keep=["multilabel_digits"])
@pytest.mark.parametrize("name", TASKS)
def test_a_run_that_was_cut_off_ends_with_the_same_bits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, broken = made(name, tmp_path), made(name, tmp_path)
    assert train_here(whole).state == "finished"
    step, last = Trainer.make_step, broken / "ckpt" / "last.pt"
    end = len(losses(whole)) * 2 // 3

    def cut(self: Trainer, group: Sequence[torch.Tensor]) -> None:
        if self.step >= end:
            if not last.exists():
                until(broken, lambda _: last.exists())  # a thread is writing it
            raise RuntimeError("cut off")
        step(self, group)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "make_step", cut)
        patch.setattr(trainer, "TICK_S", 0.0)  # a checkpoint falls due after every step
        assert train_here(broken).message == "Training stopped: RuntimeError: cut off"
    torch.manual_seed(12345)  # what another process would begin with
    launch.request(broken, "run", **{"attempt": 2, "from": "last"})
    assert train_here(broken).state == "finished"
    expected, found = (load_module(run, "last").state_dict() for run in (whole, broken))
    assert all(torch.equal(expected[key], found[key]) for key in expected)
    assert losses(broken) == losses(whole)
