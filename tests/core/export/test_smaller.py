"""Files with fewer bits, web page and model card: measured beside the network they are of."""

import base64
import gzip
import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import onnx
import pytest

from core.analyse import analyse_project
from core.common.version import layerloom_version
from core.export import ExportError, export, onnx_low_precision
from core.export.interface import interface_of
from core.export.subject import subject_of
from core.prepare.create import prepare
from core.project.templates import load_template
from core.runs.listing import view_run
from core.worker.launch import start, wait

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.slow]


@pytest.fixture(scope="module")
def lenet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """LeNet on digits, four epochs."""
    project = load_template("lenet_digits")
    run = prepare(project, analyse_project(project), tmp_path_factory.mktemp("runs"), {"epochs": 4})
    start(run)
    wait(run)
    assert view_run(run).state == "finished", (run / "log.txt").read_text()
    return run


def test_eight_bits_keep_the_accuracy_at_a_third_of_the_size(lenet: Path, tmp_path: Path) -> None:
    whole = export(lenet, "onnx", tmp_path / "net.onnx")
    small = export(lenet, "onnx-int8", tmp_path / "small.onnx")
    assert whole.quality is not None
    assert small.quality is not None
    assert (whole.quality.metric, whole.quality.samples) == ("val_accuracy", 359)
    assert whole.quality.file == whole.quality.eager > 0.9
    assert whole.quality.changed == 0.0
    assert abs(small.quality.file - small.quality.eager) <= 0.01
    assert small.path.stat().st_size < 0.4 * whole.path.stat().st_size
    assert "calibrated on 128 training samples" in small.note
    kinds = {node.op_type for node in onnx.load(small.path).graph.node}
    assert {"QuantizeLinear", "DequantizeLinear"} <= kinds
    latencies = small.json()["quality"]["latency_ms"]
    assert {"1", "64"} == set(latencies)
    assert all(times["file"] > 0 < times["torch"] for times in latencies.values())


def test_half_precision_takes_half_and_gives_float32(lenet: Path, tmp_path: Path) -> None:
    whole = export(lenet, "onnx", tmp_path / "net.onnx")
    half = export(lenet, "onnx-half", tmp_path / "half.onnx")
    assert half.quality is not None
    assert abs(half.quality.file - half.quality.eager) <= 0.01
    assert half.path.stat().st_size < 0.6 * whole.path.stat().st_size
    graph = onnx.load(half.path).graph
    ends = [*graph.input, *graph.output]
    assert {e.type.tensor_type.elem_type for e in ends} == {onnx.TensorProto.FLOAT}


def test_an_onnx_file_says_what_it_is(lenet: Path, tmp_path: Path) -> None:
    path = export(lenet, "onnx", tmp_path / "net.onnx").path
    metadata = {prop.key: prop.value for prop in onnx.load(path).metadata_props}
    assert (metadata["title"], metadata["run"]) == ("LeNet on digits", lenet.name)
    assert json.loads(metadata["classes"]) == [str(digit) for digit in range(10)]
    assert json.loads(metadata["preprocessing"]) == {
        "image": "Brightness from 0 to 1, grey, 8x8 pixels, "
        "resized to 28x28 (bilinear, antialiased)."
    }


def page_facts(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', text, re.S)
    assert found
    return json.loads(found[1])


def test_a_web_page_holds_the_network_and_asks_for_nothing(lenet: Path, tmp_path: Path) -> None:
    made = export(lenet, "web", tmp_path / "net.html")
    text = made.path.read_text("utf-8")
    assert made.max_difference is not None
    assert made.max_difference < 1e-5
    assert "default-src 'none'" in text
    assert not re.search(r"""(src|href)=["']""", text)
    facts = page_facts(text)
    assert facts["interface"]["inputs"][0]["resize"] == [28, 28]
    assert facts["interface"]["outputs"][0]["kind"] == "classes"
    assert len(facts["samples"]) == 8
    model = re.search(r'id="model">(.*?)</script>', text, re.S)
    assert model
    onnx.checker.check_model(
        onnx.load_from_string(gzip.decompress(base64.b64decode(model[1]))), full_check=True
    )


def test_the_runtime_in_the_page_is_the_one_that_is_written_down() -> None:
    folder = files("core.export.web")
    text = folder.joinpath("RUNTIME.md").read_text("utf-8")
    rows = re.findall(r"^\| (\S+) \| ([0-9a-f]{64}) \|$", text, re.M)
    assert len(rows) == 2
    for name, digest in rows:
        assert hashlib.sha256(folder.joinpath(name).read_bytes()).hexdigest() == digest


def test_a_card_has_the_figures_of_the_run_and_of_the_simple_rule(
    lenet: Path, tmp_path: Path
) -> None:
    card = export(lenet, "card", tmp_path / "card.md").path.read_text("utf-8")
    best = view_run(lenet).best
    assert best is not None
    assert f"| validation accuracy | {best['value'] * 100:.1f}% |" in card
    assert "61,706 parameters, 416,520 multiply-adds" in card
    assert "always predicting" in card
    assert "lr 0.002" in card


def test_a_card_of_a_drawing_says_that_nothing_was_learned(tmp_path: Path) -> None:
    card = export(load_template("mlp_iris"), "card", tmp_path / "card.md").path.read_text("utf-8")
    assert "The weights are random: the network is not trained yet." in card
    assert f"Written by Layerloom {layerloom_version()}." in card.split("\n\n")[1]
    again = export(load_template("mlp_iris"), "card", tmp_path / "again.md").path
    assert again.read_text("utf-8") == card
    assert "## Metrics" not in card


def test_the_interface_of_a_table_has_a_field_for_each_column() -> None:
    spec = interface_of(subject_of(load_template("mlp_iris"))).inputs[0]
    assert [field.name for field in spec.fields] == [
        "sepal_length", "sepal_width", "petal_length", "petal_width",
    ]  # fmt: skip
    assert len(spec.mean) == len(spec.std) == 4


def test_two_inputs_of_a_table_share_out_its_columns() -> None:
    specs = interface_of(subject_of(load_template("two_inputs_diabetes"))).inputs
    assert [(s.name, [f.name for f in s.fields]) for s in specs] == [
        ("body", ["age", "sex", "bmi", "bp"]),
        ("blood", ["s1", "s2", "s3", "s4", "s5", "s6"]),
    ]
    assert [len(s.mean) for s in specs] == [4, 6]


def test_a_masked_text_names_the_token_of_its_mask() -> None:
    spec = interface_of(subject_of(load_template("bert_text"))).inputs[0]
    assert (spec.kind, spec.mark, len(spec.alphabet)) == ("text", 96, 96)


@pytest.mark.parametrize("form", ["onnx-int8", "onnx-half", "web"])
def test_a_network_that_draws_random_numbers_is_refused_in_a_sentence(
    form: str, tmp_path: Path
) -> None:
    with pytest.raises(ExportError, match="draws random numbers in its forward pass"):
        export(load_template("vae_digits"), form, tmp_path / "net")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_ends_the_process_as_it_is_loaded_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash = tmp_path / "crash.py"
    crash.write_text("import os\nos.kill(os.getpid(), 11)\n", "utf-8")
    monkeypatch.setattr(onnx_low_precision, "LOAD", crash)
    with pytest.raises(ExportError) as refused:
        export(load_template("mlp_iris"), "onnx-half", tmp_path / "half.onnx")
    assert refused.value.message == (
        "Half precision is not possible: ONNX Runtime crashes on this network on a CPU, even with "
        "these operators in float32: Gemm, Relu."
    )
    assert refused.value.hint == "Export ONNX in 8 bits, or plain ONNX."
    assert not (tmp_path / "half.onnx").exists()


def test_no_module_of_the_folder_it_is_exported_from_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "onnxruntime.py").write_text("open('imported', 'w').close()\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    export(load_template("mlp_iris"), "onnx-half", tmp_path / "half.onnx")
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize(
    ("name", "wide"),
    [
        ("vit_digits", "LayerNormalization"),
        ("rnn_letter_names", "Transpose"),
        ("lstm_text", "LSTM"),
    ],
)
def test_what_crashes_the_runtime_in_half_precision_stays_in_float32(
    name: str, wide: str, tmp_path: Path
) -> None:
    made = export(load_template(name), "onnx-half", tmp_path / "half.onnx")
    assert made.max_difference is not None
    assert made.max_difference < 0.01
    assert re.search(rf"; {wide}(, \w+)? in float32", made.note)
    loaded = onnx.load(tmp_path / "half.onnx")
    kinds = {weight.data_type for weight in loaded.graph.initializer}
    assert onnx.TensorProto.FLOAT16 in kinds
