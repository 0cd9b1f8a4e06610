"""Every task as it would be trained on a GPU: nothing lies elsewhere, and no step waits."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

import core.worker.sample_logger
from core.analyse import analyse_project, build
from core.analyse.report import Report
from core.data import ends
from core.data.batches.dataset import Dataset, load_project
from core.engine.cuda_graph import CapturedStep
from core.engine.loader import DeviceSplit
from core.engine.trainer import Trainer
from core.engine.trainer_factory import trainer_from_settings
from core.project import Project
from core.settings.accelerations import OFF
from core.settings.optimizers import OPTIMIZERS, with_trait
from core.settings.validate import resolve
from core.tasks.labeler import Labeler
from core.worker.checkpoint_writer import snapshot
from core.worker.live_views import LiveViews
from core.worker.run_logger import ThroughputMonitor
from core.worker.sample_logger import SampleLogger
from tests.gpu.engines import template
from tests.gpu.pretended import Waits, moved, pretended_gpu

NAMES = [
    *("autoencoder_digits", "bert_text", "dcgan_digits", "gpt_text", "gru_digits", "lenet_digits"),
    *(
        "lstm_waves",
        "mlp_iris",
        "multilabel_digits",
        "quantiles_diabetes",
        "regression_diabetes",
        "seq2seq_dates",
    ),
    *("siamese_digits", "transformer_dates", "triplet_digits", "two_heads_digits", "unet_digits"),
    *("two_inputs_diabetes", "vae_digits", "vit_digits"),
]
"""One of each task and kind of network."""
Made = tuple[Trainer, Waits, Report, Dataset]


@contextmanager
def on_gpu(found: Project, **settings: Any) -> Iterator[Made]:
    """An engine on the pretended GPU."""
    report = analyse_project(found)
    assert report.source is not None
    data = load_project(found, *ends(report.inputs, report.outputs), 0)
    training = resolve({**found.training, **settings}, data.info.task, data.info.losses)
    training |= OFF | {name: settings[name] for name in OFF if name in settings}
    module = build(report.source, report.class_name)
    if training["channels_last"] == "on":  # tensors that are pretended cannot be turned
        module.to(memory_format=torch.channels_last)
        training["channels_last"] = "off"
    sides = [data.all_training(), data.all_validation()]
    with pretended_gpu() as waits:
        train, validation = (
            DeviceSplit(*(tuple(_there(c) for c in s) for s in side)) for side in sides
        )
        made = trainer_from_settings(moved(module), training, data, (train, validation))
        made.module.train()
        yield made, waits, report, data


def _there(column: Any) -> torch.Tensor:
    return torch.empty(column.shape, dtype=column.dtype, device="cuda")


def steps(made: Trainer, waits: Waits) -> None:
    """A full batch and the last one, calculated; neither may wait."""
    groups = made.batches_of_epoch()
    made.make_step(groups[0])
    waits.seen.clear()
    for group in (groups[0], groups[-1]):
        made.make_step(group)
    assert waits.seen == []


def recorded(made: Trainer, waits: Waits) -> None:
    """The body of a recorded step; it may not wait."""

    def record(body: Any) -> Any:
        body()
        waits.seen.clear()
        body()
        assert waits.seen == []
        return body

    size = made.training["batch_size"]
    made.captured = CapturedStep(made, size, record, compare=False)  # there are no numbers
    groups = made.batches_of_epoch()
    waits.seen.clear()
    made.make_step(groups[0])
    assert waits.seen == []


def looked_at(made: Made, folder: Path) -> None:
    """All that a session does beside the steps."""
    engine, _, report, data = made
    assert engine._finish_epoch()
    assert engine.record["epoch"] == 1
    naming = Labeler(data.info, engine.objective.main.measure)
    live = LiveViews(folder, engine, data.classes, data.task, report.lines, naming)
    live._write_feature_maps()
    live.write_validation()
    SampleLogger(folder, engine, report, data.info, kinds=data.begun).make()
    assert ThroughputMonitor(0).read(engine.gradient_norm(), 1, 8)["grad_norm"] != []
    host = snapshot(engine.state_dict())
    assert all(value.device.type == "cpu" for value in host["model"].values())


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_template_trains_on_a_gpu_without_waiting_for_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core.worker.sample_logger, "LENGTH", 3)
    with on_gpu(template(name)) as made:
        engine, waits, *_ = made
        steps(engine, waits)
        if not engine.objective.groups:
            recorded(engine, waits)
        looked_at(made, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"precision": "bfloat16", "channels_last": "on", "clip_norm": 1.0},
        {"precision": "float16", "clip_norm": 1.0},
        {"precision": "float16", "clip_value": 1.0},
        {"clip_value": 1.0},
        {"ema_decay": 0.9, "decay_of": "matrices"},
        {"accumulate": 3},
        {"class_weights": [1.0] * 10, "loss_settings": {"label_smoothing": 0.1}},
        {"optimizer": "SGD", "scheduler": "OneCycleLR"},
    ],
)
def test_no_way_of_calculating_a_step_waits_for_the_gpu(settings: dict[str, Any]) -> None:
    with on_gpu(template("lenet_digits"), **settings) as (made, waits, *_):
        steps(made, waits)
        if not {"accumulate", "scheduler"} & settings.keys() and settings != {
            "precision": "float16"
        }:
            recorded(made, waits)


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimiser_keeps_what_it_knows_beside_the_weights(name: str) -> None:
    with on_gpu(template("mlp_iris"), optimizer=name) as (made, *_):
        groups = made.batches_of_epoch()
        for group in groups[:2]:
            made.make_step(group)
        kept = [
            v for o in made.recipe.optimisers for each in o.state.values() for v in each.values()
        ]
        counts = [v for v in kept if isinstance(v, torch.Tensor) and v.ndim == 0]
        sizes = [v for v in kept if isinstance(v, torch.Tensor) and v.ndim > 0]
        assert all(v.is_cuda for v in sizes)
        assert OPTIMIZERS[name].fused <= all(v.is_cuda for v in counts)


MOMENTUM = {"momentum": 0.875, "weight_decay": 0.01}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *((name, {}) for name in with_trait("recordable")),
        ("SGD", MOMENTUM | {"nesterov": True, "maximize": True}),
        ("Adam", {"amsgrad": True, "weight_decay": 0.01}),
        ("RAdam", {"weight_decay": 0.01, "decoupled_weight_decay": True}),
        ("RAdam", {"weight_decay": 0.01, "maximize": True}),
        ("Adamax", {"weight_decay": 0.01}),
        ("Adadelta", {"weight_decay": 0.01, "maximize": True}),
        ("RMSprop", MOMENTUM | {"centered": True}),
    ],
)
def test_a_recorded_optimiser_reads_its_rate_and_counts_on_the_gpu(
    name: str, settings: dict[str, Any]
) -> None:
    given = {"optimizer": name, "optimizer_settings": settings, "decay_of": "all"}
    with on_gpu(template("mlp_iris"), **given) as (made, waits, *_):
        recorded(made, waits)
        kept = [v for o in made.recipe.optimisers for s in o.state.values() for v in s.values()]
        assert all(value.is_cuda for value in kept)
        rates = [group["lr"] for o in made.recipe.optimisers for group in o.param_groups]
        assert all(isinstance(rate, float) for rate in rates)
        made.make_step(made.batches_of_epoch()[-1])  # the last one, of another size, is calculated


@pytest.mark.parametrize(("name", "where"), [("AdamW", "cuda"), ("RAdam", "cpu"), ("SGD", "")])
def test_an_optimiser_counts_as_before_where_nothing_could_be_recorded(
    name: str, where: str
) -> None:
    def fails(body: Any) -> Any:
        body()
        raise RuntimeError("no recording")

    with on_gpu(template("mlp_iris"), optimizer=name) as (made, *_):
        groups = made.batches_of_epoch()
        made.make_step(groups[0])
        with pytest.raises(RuntimeError, match="no recording"):
            CapturedStep(made, made.training["batch_size"], fails)
        (optimiser,) = made.recipe.optimisers
        assert not any(group.get("capturable") for group in optimiser.param_groups)
        counts = [kept["step"] for kept in optimiser.state.values() if "step" in kept]
        assert {count.device.type for count in counts} == ({where} if where else set())
        made.make_step(groups[1])


def test_a_wait_is_noticed() -> None:
    with pretended_gpu() as waits:
        x = torch.ones(3, device="cuda")
        assert float(x.sum()) == 0.5
        assert x.cpu().device.type == "cpu"
        assert len(waits.seen) == 2
        with pytest.raises(RuntimeError, match="two"):
            x + torch.ones(3)
