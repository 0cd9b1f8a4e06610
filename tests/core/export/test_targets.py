"""Every target holds the network: its outputs are the eager model's, at any batch."""

import math
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx
import pytest
import torch
from torch import nn

import core.export.onnx as onnx_target
from blocks import N, Signature
from core.analyse import build
from core.export.parity import compare, largest_difference
from core.export.result import ExportError
from core.export.run import export_subject
from core.export.subject import Subject, random_sampler
from tests.core.export.nets import CONV, GRU, LSTM, TRANSFORMER, TWO_ENDS, UNET
from tests.core.perturbed import perturb

IMAGE = {"image": Signature((N, 1, 8, 8))}
ROWS = {"image": Signature((N, 8, 8))}
NETS = {
    "conv": (CONV, IMAGE, ("logits",)),
    "lstm": (LSTM, ROWS, ("logits",)),
    "gru": (GRU, ROWS, ("logits",)),
    "transformer": (TRANSFORMER, ROWS, ("logits",)),
    "unet": (UNET, IMAGE, ("mask",)),
    "two ends": (
        TWO_ENDS,
        {"tokens": Signature((N, 5), "int64"), "facts": Signature((N, 3))},
        ("logits", "joined"),
    ),
}
pytestmark = pytest.mark.filterwarnings("error")
every_net = pytest.mark.parametrize("name", NETS)
one_net_quickly = pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == "conv" else pytest.mark.slow) for n in NETS]
)


def subject(name: str) -> Subject:
    source, inputs, outputs = NETS[name]
    torch.manual_seed(0)
    module = perturb(build(source, "Net").eval())
    sample = random_sampler(module, inputs)
    return Subject(module, source, "Net", inputs, outputs, sample, "random weights")


@pytest.mark.gate
@every_net
@pytest.mark.parametrize("kind", ["python", "safetensors", "torchscript-script"])
def test_source_weights_and_compiled_forms_are_exact(name: str, kind: str, tmp_path: Path) -> None:
    got = export_subject(subject(name), kind, tmp_path / "net")
    assert got.max_difference == 0.0
    assert got.path.stat().st_size > 100


@pytest.mark.gate
@every_net
def test_a_trace_agrees_to_rounding(name: str, tmp_path: Path) -> None:
    got = export_subject(subject(name), "torchscript-trace", tmp_path / "net.pt")
    assert got.max_difference is not None
    assert got.max_difference < 1e-6
    assert "deprecated upstream" in got.note


@pytest.mark.gate
@every_net
def test_torch_export_agrees_to_rounding_and_holds_no_pickle(name: str, tmp_path: Path) -> None:
    got = export_subject(subject(name), "pt2", tmp_path / "net.pt2")
    assert got.max_difference is not None
    assert got.max_difference < 1e-6
    with zipfile.ZipFile(got.path) as archive:
        pickles = [n for n in archive.namelist() if b"PK" in archive.read(n)[:2]]
        samples = [n for n in archive.namelist() if "sample_inputs" in n]
        assert (pickles, [archive.read(n) for n in samples]) == ([], [b""])


@pytest.mark.parametrize("name", ["conv", "gru"])
def test_the_older_onnx_exporter_steps_in_and_says_so(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_subject: Subject) -> bytes:
        raise RuntimeError("refused")

    monkeypatch.setattr(onnx_target, "_by_export", refuse)
    got = export_subject(subject(name), "onnx", tmp_path / "net.onnx")
    assert "older exporter" in got.note
    assert got.max_difference is not None
    assert got.max_difference < 1e-5


@pytest.mark.gate
@one_net_quickly
def test_onnx_agrees_to_rounding_at_any_batch_with_names_kept(name: str, tmp_path: Path) -> None:
    got = export_subject(subject(name), "onnx", tmp_path / "net.onnx")
    assert got.max_difference is not None
    assert got.max_difference < 1e-5
    assert got.note == "random weights"
    graph = onnx.load(tmp_path / "net.onnx").graph
    ends = [*graph.input, *graph.output]
    assert [e.name for e in ends] == [*NETS[name][1], *NETS[name][2]]
    assert {e.type.tensor_type.shape.dim[0].dim_param for e in ends} == {"N"}
    assert [p.name for p in tmp_path.iterdir()] == ["net.onnx"]


def test_weights_are_named_after_blocks(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    one = subject("conv")
    export_subject(one, "safetensors", tmp_path / "net.safetensors")
    loaded = load_file(tmp_path / "net.safetensors")
    assert {k.split(".")[0] for k in loaded} == {"conv1", "bn1", "fc1"}
    assert torch.equal(loaded["fc1.weight"], one.module.state_dict()["fc1.weight"])


def test_a_wrong_export_is_noticed() -> None:
    one = subject("conv")
    other = perturb(one.module, seed=3)
    difference = compare(one.module, other, one.sample)
    assert difference is not None
    assert difference > 0.01


def test_the_largest_difference_is_taken_over_all_outputs() -> None:
    a = (torch.zeros(2), [torch.ones(3)])
    b = (torch.tensor([0.0, -0.25]), [torch.tensor([1.0, 1.0, 1.125])])
    assert largest_difference(a, b) == 0.25


def test_outputs_of_another_shape_are_refused() -> None:
    with pytest.raises(ExportError, match=r"needs to give \(2,\) but gives \(3,\)"):
        largest_difference(torch.zeros(2), torch.zeros(3))


def test_outputs_that_are_not_finite_are_not_called_equal(tmp_path: Path) -> None:
    assert math.isnan(largest_difference(torch.tensor([math.nan]), torch.tensor([math.nan])))
    one = subject("conv")
    with torch.no_grad():
        one.module.get_submodule("fc1").bias.fill_(math.inf)
    got = export_subject(one, "safetensors", tmp_path / "net.safetensors")
    assert got.max_difference is None
    assert "not finite" in got.note


def test_an_unknown_format_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(
        ExportError, match="one of python, script, script-plain, script-ddp, notebook"
    ):
        export_subject(subject("conv"), "h5", tmp_path / "net.h5")


def test_a_folder_that_does_not_exist_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="cannot be written"):
        export_subject(subject("conv"), "python", tmp_path / "no" / "net.py")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_file_to_export_to(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="is a folder"):
        export_subject(subject("conv"), "python", tmp_path)


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text)
        assert export_subject(subject("conv"), "source", pipe).format == "python"
        assert read.result(30) == CONV
    assert pipe.is_fifo()


def test_an_existing_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("old " * 10_000)
    export_subject(subject("conv"), "python", path)
    assert path.read_text() == CONV
    assert list(tmp_path.iterdir()) == [path]


def test_a_network_without_weights_has_no_weights_file(tmp_path: Path) -> None:
    one = subject("conv")
    empty = Subject(nn.ReLU(), one.source, "Net", one.inputs, one.outputs, one.sample)
    with pytest.raises(ExportError, match="needs weights"):
        export_subject(empty, "safetensors", tmp_path / "net.safetensors")


@pytest.mark.gate
def test_exporting_leaves_the_module_as_it_was(tmp_path: Path) -> None:
    one = subject("transformer")
    before = {k: v.clone() for k, v in one.module.state_dict().items()}
    state = torch.get_rng_state()
    for kind in ("torchscript-trace", "onnx", "python"):
        export_subject(one, kind, tmp_path / kind)
    assert all(torch.equal(v, before[k]) for k, v in one.module.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.backends.mha.get_fastpath_enabled()
