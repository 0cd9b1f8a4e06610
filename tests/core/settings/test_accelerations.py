"""Steps calculated in 16 bits, in another memory format, compiled or recorded."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse_project, build
from core.common.errors import TrainingError
from core.data import ends
from core.data.batches.dataset import load_project
from core.engine.trainer import Trainer
from core.engine.trainer_factory import split_on_device, trainer_from_settings
from core.prepare.create import prepare
from core.runs.checkpoint import load
from core.runs.files import read_json
from core.runs.listing import read_events, read_metrics
from core.runs.status import Status
from core.settings.accelerations import Acceleration, accelerations_of, resolve_accelerations
from core.settings.validate import resolve
from core.worker.error_messages import explain
from core.worker.run_device import choose_device
from tests.core.small_runs import CHANCY_NET, project, train_here

Make = Callable[..., Path]
CONV = "nn.Conv2d(1, 4, 3)"


def engine(**settings: Any) -> Trainer:
    """The chancy net on the digits, at the start of a run, with nothing left to choose."""
    found = project(CHANCY_NET, {"source": "digits"}, epochs=2, lr=0.01, threads=1, **settings)
    report = analyse_project(found)
    assert report.source is not None
    data = load_project(found, *ends(report.inputs, report.outputs), 0)
    training = resolve(found.training, data.info.task, data.info.losses)
    training = resolve_accelerations(training, accelerations_of(training, "cpu", report.source))
    torch.manual_seed(0)
    module = build(report.source, report.class_name)
    return trainer_from_settings(
        module, training, data, split_on_device(data, choose_device("cpu"))
    )


def trained(made: Trainer) -> dict[str, Tensor]:
    """Its weights and buffers at the end of the run."""
    torch.manual_seed(1)
    for _ in made.fit():
        made.drain_metrics()
    assert made.diverged is None
    return made.module.state_dict()


def equal(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return all(torch.equal(value, other[name]) for name, value in one.items())


def resolved(**training: Any) -> dict[str, Any]:
    return resolve(training, "classification")


@pytest.mark.gate
@pytest.mark.parametrize(
    "settings",
    [
        {"precision": "bfloat16"},
        {"precision": "float16", "clip_norm": 1.0, "scheduler": "OneCycleLR"},
        {"channels_last": "on"},
        {"deterministic": True},
    ],
)
def test_a_run_goes_on_to_the_bit_in_every_precision_and_format(settings: dict[str, Any]) -> None:
    whole = trained(engine(**settings))
    first = engine(**settings)
    torch.manual_seed(1)
    for _ in first.fit(tick_s=0.0):
        if first.step == 29:  # in the second epoch
            break
    state = copy.deepcopy(first.state_dict())
    second = engine(**settings)
    second.load_state_dict(state)
    for _ in second.fit():
        second.drain_metrics()
    assert equal(second.module.state_dict(), whole)


def test_in_bfloat16_steps_differ_a_little_and_validation_is_whole() -> None:
    one, other = engine(), engine(precision="bfloat16")
    for made in (one, other):
        torch.manual_seed(1)
        made.module.train()
        made.make_step(made.batches_of_epoch()[0])
    (exact,), (short,) = one.drain_metrics()["loss"], other.drain_metrics()["loss"]
    assert exact != short
    assert short == pytest.approx(exact, rel=0.02)
    seen: list[torch.dtype] = []
    other.module.fc1.register_forward_hook(lambda *found: seen.append(found[2].dtype))
    metrics = other.validate()
    assert set(seen) == {torch.float32}
    assert metrics["val_loss"] > 0


def test_float16_leaves_out_steps_until_its_scale_fits_and_then_learns() -> None:
    made = engine(precision="float16")
    assert made.computing.scaler is not None
    start = made.computing.scaler.get_scale()
    trained(made)
    assert 0 < made.computing.scaler.get_scale() <= start
    assert made.newest["val_accuracy"] > 0.8


def test_channels_last_keeps_weights_so_and_their_values() -> None:
    plain, last = engine(), engine(channels_last="on")
    weight = last.module.conv1.weight
    assert weight.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(weight, plain.module.conv1.weight)
    for made in (plain, last):
        made.module.eval()  # in train mode dropout draws its mask in the order of memory
        made.make_step(made.batches_of_epoch()[0])
    assert last.drain_metrics()["loss"] == pytest.approx(plain.drain_metrics()["loss"], rel=1e-5)
    for name, value in last.module.state_dict().items():
        wanted = plain.module.state_dict()[name]
        assert torch.allclose(value, wanted, rtol=1e-4, atol=1e-5), name


def test_steps_that_are_played_train_as_steps_that_are_calculated() -> None:
    """What a CUDA graph plays again is called again here, on the same fixed tensors."""
    settings = {"scheduler": "CosineAnnealingLR", "clip_norm": 1.0, "optimizer": "SGD"}
    wanted = trained(engine(**settings))
    made = engine(**settings)
    before = copy.deepcopy(made.module.state_dict())
    made.module.train()
    made.capture(record=lambda body: body)
    assert made.notes == []
    assert made.captured is not None
    assert equal(made.module.state_dict(), before)  # neither warm-up nor comparison trained it
    assert made.step == 0
    found = trained(made)
    assert made.step == 46
    for name, value in found.items():
        assert torch.allclose(value.float(), wanted[name].float(), rtol=1e-3, atol=1e-5), name
    assert made.recipe.lr == pytest.approx(0.0, abs=1e-9)  # where the schedule ends


def test_a_step_that_cannot_be_recorded_is_calculated_and_the_reason_noted() -> None:
    def refuse(body: Callable[[], None]) -> Callable[[], None]:
        body()
        raise RuntimeError("operation not permitted when stream is capturing\nmore")

    made, wanted = engine(), engine()
    made.capture(record=refuse)
    assert made.captured is None
    note = "Steps are not recorded as a CUDA graph: "
    assert made.notes == [f"{note}operation not permitted when stream is capturing."]
    assert equal(trained(made), trained(wanted))


def test_a_recording_that_does_something_else_is_found_out() -> None:
    made = engine()
    made.capture(record=lambda body: lambda: None)
    assert made.captured is None
    assert "differs by" in made.notes[0]


@pytest.mark.parametrize(
    ("settings", "device", "on", "why"),
    [
        ({}, "cpu", [], "Auto leaves it off on a CPU because it changes the last bits."),
        ({}, "cuda", ["channels_last", "cuda_graph"], "It makes convolutions on a GPU faster"),
        ({"channels_last": "on"}, "cpu", ["channels_last"], ""),
        ({"channels_last": "off", "cuda_graph": "off"}, "cuda", [], ""),
        ({"compile": "on", "channels_last": "off"}, "cpu", ["compile"], ""),
        ({"cuda_graph": "on"}, "cpu", [], "There is no GPU to record the step on."),
        ({"accumulate": 2}, "cuda", ["channels_last"], "accumulate is 2"),
        ({"ema_decay": 0.9}, "cuda", ["channels_last", "cuda_graph"], ""),
        ({"optimizer": "Muon"}, "cuda", ["channels_last"], "Muon makes decisions on the CPU"),
        (
            {"scheduler": "OneCycleLR"},
            "cuda",
            ["channels_last"],
            "OneCycleLR also changes the momentum",
        ),
        ({"precision": "float16"}, "cuda", ["channels_last"], "float16 checks each gradient"),
    ],
)
def test_what_is_left_to_choose_is_chosen_with_a_reason(
    settings: dict[str, Any], device: str, on: list[str], why: str
) -> None:
    found = accelerations_of(resolved(**settings), device, CONV)
    assert [name for name, mode in found.items() if mode.on] == on
    assert why in " ".join(mode.why for mode in found.values())


def test_a_network_without_convolutions_gains_nothing_from_channels_last() -> None:
    found = accelerations_of(resolved(channels_last="on"), "cuda", "nn.Linear(4, 3)")
    assert found["channels_last"] == Acceleration(
        False, "There is no 2-D convolution that would benefit."
    )


@pytest.mark.parametrize(
    ("settings", "task", "message"),
    [
        ({"precision": "half"}, "classification", "training.precision has no choice"),
        (
            {"precision": "bfloat16", "loss": "BCELoss"},
            "labels",
            "BCELoss is unsafe in bfloat16",
        ),
        (
            {"precision": "float16", "on_not_finite": "skip"},
            "classification",
            "are skipped anyway. Choose on_not_finite stop",
        ),
        ({"compile": True}, "classification", "training.compile has no choice true"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    settings: dict[str, Any], task: str, message: str
) -> None:
    with pytest.raises(TrainingError, match=message):
        resolve(settings, task)


@pytest.mark.gate
def test_a_compiler_that_fails_costs_the_compiling_and_not_the_run(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no compiler here")

    monkeypatch.setattr(torch, "compile", fail)
    run_dir = small_run(compile="on", epochs=1)
    view = train_here(run_dir)
    assert view.state == "finished"
    mode = read_json(run_dir / "modes.json")["compile"]
    why = "It could not be compiled: RuntimeError: no compiler here"
    assert mode == {"on": False, "why": why}
    plain = small_run(epochs=1)
    train_here(plain)
    assert equal(load(run_dir, "last")["model"], load(plain, "last")["model"])


@pytest.mark.slow
@pytest.mark.needs("g++")
def test_a_compiled_network_trains_as_it_is_written(tmp_path: Path) -> None:
    net = copy.deepcopy(CHANCY_NET)
    net["nodes"]["drop1"] = {"block": "Identity"}
    runs: list[Path] = []
    for compiled in ("on", "off"):
        settings = {"epochs": 2, "threads": 1, "lr": 0.01, "optimizer": "SGD"}
        settings["compile"] = compiled
        found = project(net, {"source": "digits"}, **settings)
        runs.append(prepare(found, analyse_project(found), tmp_path / compiled))
        assert train_here(runs[-1]).state == "finished"
    assert read_json(runs[0] / "modes.json")["compile"] == {"on": True, "why": ""}
    assert load(runs[0], "last")["fingerprint"]["calculation"] == "compile"
    one, other = (load(run, "last")["model"] for run in runs)
    assert list(one) == list(other)
    for name, value in one.items():
        assert torch.allclose(value.float(), other[name].float(), rtol=1e-2, atol=1e-3), name


def test_a_run_says_how_it_calculates_and_goes_on_so(small_run: Make) -> None:
    run_dir = small_run(precision="bfloat16", channels_last="on", deterministic=True)
    assert train_here(run_dir).state == "finished"
    torch.use_deterministic_algorithms(False)
    calculation = load(run_dir, "last")["fingerprint"]["calculation"]
    assert calculation == "bfloat16 channels_last deterministic"
    modes = read_json(run_dir / "modes.json")
    assert modes["compile"] == {
        "on": False,
        "why": "Auto leaves it off because compiling can take longer than the run.",
    }
    assert read_metrics(run_dir)
    assert [e for e in read_events(run_dir) if e["kind"] == "note"] == []


def test_a_block_without_a_deterministic_way_is_named() -> None:
    error = RuntimeError(
        "put_ does not have a deterministic implementation, but you set "
        "'torch.use_deterministic_algorithms(True)'."
    )
    explanation = explain(error, {}, 64)
    assert explanation.message == ("The network uses put_, which has no deterministic algorithm.")
    assert explanation.hint == "Turn deterministic off, or replace the block."


def test_a_frozen_network_keeps_its_weights_in_every_mode() -> None:
    made = engine(precision="bfloat16")
    before = copy.deepcopy(made.module.conv1.state_dict())
    for weight in made.module.conv1.parameters():
        weight.requires_grad_(False)
    made.module.train()
    made.make_step(made.batches_of_epoch()[0])
    assert isinstance(made.module, nn.Module)
    assert equal(made.module.conv1.state_dict(), before)


def test_a_compiled_run_says_that_it_compiles_until_its_first_step(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "compile", lambda module, **_: module)
    write, seen = Status.write, list[tuple[str, str, str]]()

    def noted(self: Status, durable: bool = False, **fields: Any) -> bool:
        done = write(self, durable, **fields)
        found = self.fields
        seen.append((found["state"], found.get("phase", ""), found["message"]))
        return done

    monkeypatch.setattr(Status, "write", noted)
    view = train_here(iris_run(compile="on"))
    assert (view.state, view.message) == ("finished", "")
    before = [phase for state, phase, _ in seen if state == "starting"]
    assert before[-1].startswith("compiling the network, which takes seconds to minutes")
    assert "building the network" in before
    assert all(state != "starting" for state, *_ in seen[len(before) :])
