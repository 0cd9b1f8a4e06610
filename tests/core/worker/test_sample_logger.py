"""What a network makes while it trains: new samples, pictures given back, texts gone on."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from core.analyse import analyse_project
from core.data import describe_project, ends
from core.engine.load_module import load_module
from core.insight import samples
from core.prepare.create import prepare
from core.project import open_project
from core.runs.listing import view_run
from core.tasks.readings.classes import ClassScores
from core.worker.sample_logger import KEPT, SampleLogger, thin
from tests.core.single_output import single_loss
from tests.core.small_runs import train_here

PROJECTS = Path(__file__).parents[3] / "projects"
LOSS = {"loss": "CrossEntropyLoss", "loss_settings": {}}


def trained(name: str, folder: Path, **changes: object) -> Path:
    project = open_project(PROJECTS / f"{name}.loom.json")
    settings = {"epochs": 2, "threads": 1, "device": "cpu", **changes}
    run = prepare(project, analyse_project(project), folder, settings)
    assert train_here(run).state == "finished"
    return run


def arrays(run: Path) -> dict[str, np.ndarray]:
    newest = max((run / "live" / "made").glob("*.npz"))
    with np.load(newest, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@pytest.mark.slow
def test_a_vae_makes_samples_with_the_block_that_samples_from_names(tmp_path: Path):
    run = trained("vae_digits", tmp_path)
    found = arrays(run)
    assert (found["value"].shape, found["inputs"].shape) == ((48, 1, 8, 8), (8, 1, 8, 8))
    assert 0 <= found["value"].min() < found["value"].max() <= 1
    decoder = load_module(run, "last").get_submodule("decoder")
    noise = torch.randn(48, 8, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        wanted = torch.sigmoid(decoder(noise)).reshape(48, 1, 8, 8)
    assert np.allclose(found["value"], wanted.numpy(), atol=1e-5)
    shown = samples.read_samples(run, samples.epochs(run)[-1])
    assert shown is not None
    assert shown.samples.startswith(b"\x89PNG")
    assert len(shown.pairs) == 8


@pytest.mark.slow
def test_a_gan_keeps_what_it_makes_of_the_same_noise(tmp_path: Path):
    found = arrays(trained("dcgan_digits", tmp_path, epochs=1))
    assert set(found) == {"value"}
    assert found["value"].shape == (48, 1, 8, 8)


@pytest.mark.slow
def test_an_autoencoder_shows_what_goes_in_beside_what_comes_out(tmp_path: Path):
    run = trained("autoencoder_digits", tmp_path)
    found = arrays(run)
    module = load_module(run, "last")
    with torch.inference_mode():
        wanted = module(torch.from_numpy(found["inputs"]))
    assert np.allclose(found["outputs"], wanted.reshape(8, 1, 8, 8).numpy(), atol=1e-5)


@pytest.mark.slow
def test_a_language_model_goes_on_from_texts_it_has_not_seen(tmp_path: Path):
    run = trained("lstm_text", tmp_path, epochs=1)
    shown = samples.read_samples(run, 1)
    assert shown is not None
    assert [len(goes_on) for _, goes_on in shown.texts] == [120, 120, 120]
    words = "".join(goes_on for _, goes_on in shown.texts)
    assert words.count(" ") > 20
    assert words.count("e") > words.count("z")


def test_a_block_to_sample_from_that_is_gone_is_said_and_costs_the_samples_only(tmp_path: Path):
    run = trained("autoencoder_digits", tmp_path, epochs=1, samples_from="decoder9")
    said = "training.samples_from names decoder9, which is not a block."
    assert said in view_run(run).warnings
    assert "value" not in arrays(run)


def test_over_a_long_run_few_epochs_are_kept_the_newest_always(tmp_path: Path):
    for epoch in range(1, 200):
        (tmp_path / f"{epoch:06d}.npz").touch()
        thin(tmp_path)
    left = [int(file.stem) for file in sorted(tmp_path.glob("*.npz"))]
    assert len(left) <= KEPT
    assert (left[0], left[-1]) == (1, 199)


def test_the_predictions_of_the_best_epoch_stay_until_another_is_better(tmp_path: Path):
    kept = []
    for epoch in range(1, 200):
        (tmp_path / f"{epoch:06d}.npz").touch()
        best = 8 if epoch < 150 else 150
        thin(tmp_path, best if epoch >= 8 else 0)
        kept.append((tmp_path / f"{best:06d}.npz").exists())
    assert all(kept[7:])
    assert len(list(tmp_path.glob("*.npz"))) <= KEPT


class Untouchable:
    """Samples that must not be gathered."""

    device = torch.device("cpu")

    def __getitem__(self, rows: object) -> None:
        raise AssertionError("the samples were gathered")


def test_rows_of_a_table_are_not_gathered_as_nobody_could_look_at_them(tmp_path: Path):
    project = open_project(PROJECTS / "mlp_iris.loom.json")
    report = analyse_project(project)
    info = describe_project(project, *ends(report.inputs, report.outputs))
    outputs = (torch.eye(3)[[0, 1, 1, 2]],)
    part = SimpleNamespace(inputs=(Untouchable(),), targets=(torch.tensor([0, 1, 2, 2]),))
    engine: Any = SimpleNamespace(
        spreads=(0.0,), validation=part, epoch=1, best=None,
        record={"epoch": 1}, val_outputs=outputs, eval_model=torch.nn.Linear(4, 3),
        objective=single_loss(LOSS, ClassScores()), training={"batch_size": 2},
    )  # fmt: skip
    (tmp_path / "live").mkdir()
    SampleLogger(tmp_path, engine, report, info).make()
    found = arrays(tmp_path)
    assert set(found) == {"matrix", "classes"}
    assert found["matrix"].tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
