"""Weights that are computed before each call: `parametrize` from the file to the export."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import torchinfo
from safetensors.torch import load
from torch import nn
from torch.nn.utils import parametrizations

from core.analyse import analyse_project, build
from core.engine.compiled_step import CompiledStep
from core.engine.load_module import load_module
from core.engine.param_groups import trainable_parameters
from core.engine.parametrized import computed_weight, with_fixed_weights
from core.engine.rng import seed_all
from core.engine.trainer import Trainer
from core.export.run import export_subject
from core.export.subject import Subject, random_sampler
from core.graph.difference import difference
from core.insight.summary import summary
from core.prepare.create import prepare
from core.project import Project, read_text, write_text
from tests.core.script.alone import run_alone
from tests.core.small_runs import project, train_here
from tests.gpu.engines import apart, engine, trained

NORMED: dict[str, Any] = {
    "nodes": {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "conv1": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3,
                                                  "parametrize": "weight_norm"}},
        "relu1": {"block": "ReLU"},
        "conv2": {"block": "Conv2d", "settings": {"out_channels": 4, "kernel_size": 3,
                                                  "parametrize": "symmetric"}},
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc1": {"block": "Linear", "settings": {"out_features": 16,
                                                "parametrize": "spectral_norm"}},
        "relu2": {"block": "ReLU"},
        "fc2": {"block": "Linear", "settings": {"out_features": 10, "parametrize": "orthogonal"}},
        "logits": {"block": "Output"},
    },
    "edges": ["image -> conv1", "conv1 -> relu1", "relu1 -> conv2", "conv2 -> flat", "flat -> fc1",
              "fc1 -> relu2", "relu2 -> fc2", "fc2 -> logits"],
}  # fmt: skip
KEYS = [
    "conv1.bias", "conv1.parametrizations.weight.original0",
    "conv1.parametrizations.weight.original1", "conv2.bias",
    "conv2.parametrizations.weight.original", "fc1.bias", "fc1.parametrizations.weight.original",
    "fc1.parametrizations.weight.0._u", "fc1.parametrizations.weight.0._v", "fc2.bias",
    "fc2.parametrizations.weight.original",
]  # fmt: skip


def normed(**changes: Any) -> Project:
    """The network on the digits; changes: of the settings of its nodes."""
    graph = json.loads(json.dumps(NORMED))
    for name, settings in changes.items():
        graph["nodes"][name]["settings"] |= settings
    return project(graph, {"source": "digits"}, epochs=2, lr=2**-7, batch_size=64)


def module_of(found: Project) -> nn.Module:
    report = analyse_project(found)
    assert report.source is not None, report.errors
    return build(report.source, report.class_name)


def test_a_file_keeps_it_canonically_and_says_what_changed() -> None:
    given = normed()
    text = write_text(given)
    assert '"parametrize": "weight_norm"' in text
    assert write_text(read_text(text)) == text
    spectral = normed(conv1={"parametrize": "spectral_norm"})
    assert "parametrize" in str(difference(given.graph, spectral.graph))


@pytest.mark.parametrize(
    ("node", "way", "message"),
    [
        ("conv1", "batch_norm", "conv1 needs parametrize to be one of weight_norm, spectral_norm, "
         "orthogonal, symmetric, or nothing but receives 'batch_norm'."),
        ("fc1", "symmetric", "fc1 needs a weight whose last two sizes are equal, so that it can be "
         "symmetric, but its weight is 16 x 64."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_reported_with_the_numbers(node: str, way: str, message: str) -> None:
    report = analyse_project(normed(**{node: {"parametrize": way}}))
    assert message in [error.message for error in report.errors]


def test_a_large_orthogonal_weight_is_warned_of() -> None:
    report = analyse_project(normed(fc1={"out_features": 2100}, fc2={"parametrize": "orthogonal"}))
    (warning,) = [w for w in report.warnings if w.code == "slow_parametrization"]
    assert warning.message.startswith("fc2 solves for a 2100 x 2100 matrix in every step")


@pytest.mark.gate
def test_it_is_counted_as_torch_and_torchinfo_count_it() -> None:
    report = analyse_project(normed())
    module = module_of(normed())
    assert list(module.state_dict()) == KEYS
    assert [report.nodes[n].params for n in ("conv1", "conv2", "fc1", "fc2")] == [
        44,
        148,
        1040,
        170,
    ]
    truth = torchinfo.summary(module.eval(), input_data=torch.rand(3, 1, 8, 8), verbose=0)
    got = summary(report, 3)
    assert (got.total_params, got.trainable_params) == (truth.total_params, truth.trainable_params)
    assert got.torchinfo_mult_adds == truth.total_mult_adds
    assert got.sizes.forward_backward == truth.total_output_bytes
    assert got.sizes.params == truth.total_param_bytes


def gone_on(found: Project, **settings: Any) -> Trainer:
    """Stopped amid the second epoch, and gone on with by another engine."""
    first = engine(found=found, **settings)
    seed_all(1)
    for _ in first.fit(tick_s=0.0):
        if first.step == 29:
            break
    again = engine(found=found, **settings)
    again.load_state_dict(first.state_dict())
    for _ in again.fit():
        again.drain_metrics()
    return again


def test_a_run_learns_keeps_what_is_asked_of_its_weights_and_goes_on_to_the_bit() -> None:
    whole = engine(found=normed())
    wanted = trained(whole)
    assert whole.record["val_accuracy"] > 0.7
    module = whole.module.eval()
    orthogonal, symmetric = (computed_weight(module.get_submodule(n)) for n in ("fc2", "conv2"))
    assert torch.allclose(orthogonal @ orthogonal.T, torch.eye(10), atol=1e-5)
    assert torch.equal(symmetric, symmetric.mT)
    assert 0.9 < torch.linalg.matrix_norm(computed_weight(module.get_submodule("fc1")), 2) < 1.6
    assert apart(gone_on(normed()).module.state_dict(), wanted) == 0.0


@pytest.mark.gate
def test_steps_are_compiled_and_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "core.engine.compiled_step.inductor", lambda graph, _: lambda ts: graph(*ts)
    )
    plain, whole = (engine(found=normed(), ema_decay=0.875, compile_step=how, epochs=1)
                    for how in ("off", "on"))  # fmt: skip
    wanted, found = trained(plain), trained(whole)
    assert isinstance(whole.captured, CompiledStep)
    assert whole.notes == []
    assert apart(wanted, found) < 1e-3
    assert apart(plain.eval_model.state_dict(), whole.eval_model.state_dict()) < 1e-3


def test_reading_a_weight_in_training_moves_nothing() -> None:
    layer = parametrizations.spectral_norm(nn.Linear(5, 4)).train()
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    shown = computed_weight(layer)
    assert all(torch.equal(before[name], value) for name, value in layer.state_dict().items())
    assert layer.parametrizations.weight[0].training  # type: ignore[index]
    assert torch.equal(shown, layer.eval().weight)


def test_spectral_norm_of_a_frozen_block_measures_nothing_anew() -> None:
    module, frozen = module_of(normed()), {"rates": {"fc1": 0.0}}
    before = {key: value.clone() for key, value in module.state_dict().items()}
    for training in (frozen, {}):
        trainable_parameters(module, training)
        module(torch.rand(2, 1, 8, 8))
        after = module.state_dict()
        moved = [key for key in KEYS if not torch.equal(before[key], after[key])]
        assert moved == ([] if training else [key for key in KEYS if key[-2:] in ("_u", "_v")])


@pytest.fixture(scope="module")
def subject() -> Subject:
    """The network after some steps, so that nothing is at its beginning."""
    module = module_of(normed())
    sgd = torch.optim.SGD(module.parameters(), 0.1)
    torch.manual_seed(0)
    for _ in range(3):
        sgd.zero_grad()
        module(torch.randn(8, 1, 8, 8)).square().mean().backward()
        sgd.step()
    report, module = analyse_project(normed()), module.eval()
    inputs = dict(report.inputs)
    return Subject(module, report.source or "", report.class_name, inputs, ("logits",),
                   random_sampler(module, inputs))  # fmt: skip


@pytest.mark.gate
@pytest.mark.parametrize("name", ["torchscript-trace", "torchscript-script", "onnx", "pt2"])
def test_a_format_holds_the_weights_as_they_are_computed(
    name: str, subject: Subject, tmp_path: Path
) -> None:
    result = export_subject(subject, name, tmp_path / "network")
    assert result.max_difference is not None
    assert result.max_difference < 1e-5
    if name == "torchscript-trace":
        holds = torch.jit.load(tmp_path / "network").state_dict()
        assert "conv1.weight" in holds
        assert not any("parametrizations" in key for key in holds)


def test_safetensors_keep_what_is_learned_under_the_keys_of_the_source(
    subject: Subject, tmp_path: Path
) -> None:
    export_subject(subject, "safetensors", tmp_path / "network")
    held = load((tmp_path / "network").read_bytes())
    assert sorted(held) == sorted(KEYS)
    fresh = build(subject.source, subject.class_name).eval()
    fresh.load_state_dict(held)
    x = torch.rand(2, 1, 8, 8)
    assert torch.equal(fresh(x), subject.module(x))


def test_holding_weights_as_they_are_leaves_the_original_computing_them() -> None:
    module = module_of(normed()).eval()
    x = torch.rand(2, 1, 8, 8)
    fixed = with_fixed_weights(module)
    assert torch.equal(fixed(x), module(x))
    assert type(fixed.get_submodule("conv1")) is nn.Conv2d
    assert list(module.state_dict()) == KEYS


@pytest.mark.slow
@pytest.mark.parametrize("frozen", [False, True])
def test_a_script_trains_to_the_same_weights_to_the_bit(frozen: bool, tmp_path: Path) -> None:
    text = json.loads(write_text(normed()))
    text["graph"]["nodes"]["fc1"]["frozen"] = frozen
    text["training"] |= {"threads": 1, "device": "cpu"}
    found = read_text(json.dumps(text))
    run_dir = prepare(found, analyse_project(found), tmp_path / "runs")
    assert train_here(run_dir).state == "finished"
    run_alone((run_dir / "script.py").read_text(encoding="utf-8"), tmp_path)
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    assert list(saved) == KEYS
    assert apart(saved, load_module(run_dir, "best").state_dict()) == 0.0
