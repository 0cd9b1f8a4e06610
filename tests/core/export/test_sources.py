"""What can be exported: runs with their best weights, projects with random ones."""

import json
from dataclasses import replace
from pathlib import Path

import nbformat
import onnx
import onnxruntime
import pytest
import torch
from safetensors.torch import load_file

from core.analyse import analyse_project, build
from core.common.network_ref import ImportedRef, RunRef
from core.engine.load_module import load_module
from core.engine.weights_file import write_weights
from core.export import FORMATS, ExportError, export, quality, subject_of
from core.export.run import export_place
from core.prepare.create import prepare
from core.project import Project, read_text, write_text
from core.project.templates import list_templates, load_template
from core.runs.listing import view_run
from core.worker.launch import start, wait
from tests.core.drawing import draw

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.slow]
TEMPLATES = [template.name for template in list_templates()]
QUICK = ["python", "script", "notebook", "safetensors", "torchscript-script", "torchscript-trace"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run: the MLP on iris, two epochs."""
    project = load_template("mlp_iris")
    run = prepare(project, analyse_project(project), tmp_path_factory.mktemp("runs"), {"epochs": 2})
    start(run)
    wait(run)
    assert view_run(run).state == "finished", (run / "log.txt").read_text()
    return run


def test_a_run_is_exported_with_its_best_weights(trained: Path, tmp_path: Path) -> None:
    got = export(trained, "safetensors", tmp_path / "net.safetensors")
    assert (got.max_difference, got.note) == (0.0, "best weights of the run")
    written, best = load_file(got.path), load_module(trained, "best").state_dict()
    assert list(written) == sorted(best)
    assert all(torch.equal(written[key], best[key]) for key in best)


def test_a_project_is_exported_with_the_weights_imported_with_it(tmp_path: Path) -> None:
    project = load_template("mlp_iris")
    torch.manual_seed(7)
    state = {k: torch.randn_like(t) for k, t in subject_of(project).module.state_dict().items()}
    beside = tmp_path / "mlp.safetensors"
    write_weights(beside, state, {})
    got = export(project, "safetensors", tmp_path / "net.safetensors", weights=beside)
    assert (got.max_difference, got.note) == (0.0, "weights of mlp.safetensors")
    written = load_file(got.path)
    assert list(written) == sorted(state)
    assert all(torch.equal(written[key], state[key]) for key in state)
    place = ImportedRef(write_text(project), beside, "1-1")
    out = tmp_path / "again.safetensors"
    assert export_place(place, "safetensors", str(out))["note"] == "weights of mlp.safetensors"
    assert out.read_bytes() == got.path.read_bytes()


def test_imported_weights_that_do_not_suit_refuse_the_export(tmp_path: Path) -> None:
    write_weights(tmp_path / "net.safetensors", {"fc1.weight": torch.ones(2, 2)}, {})
    message = r"fc1.weight needs \(\d+, 4\) but net.safetensors holds \(2, 2\)"
    with pytest.raises(ExportError, match=message) as error:
        subject_of(load_template("mlp_iris"), tmp_path / "net.safetensors")
    assert error.value.hint.startswith("Undo the changes to the drawing")


def test_onnx_of_a_run_gives_what_the_network_gives_on_real_samples(
    trained: Path, tmp_path: Path
) -> None:
    got = export(trained, "onnx", tmp_path / "net.onnx")
    assert got.max_difference is not None
    assert got.max_difference < 1e-5
    opened = subject_of(trained).opened
    assert opened is not None
    samples, _ = opened.dataset.validation()
    session = onnxruntime.InferenceSession(got.path, providers=["CPUExecutionProvider"])
    (output,) = session.run(None, {"features": samples.numpy()})
    with torch.no_grad():
        wanted = opened.module(samples)
    assert torch.allclose(torch.from_numpy(output), wanted, atol=1e-5)
    assert onnx.load(got.path).graph.initializer


def test_a_project_is_exported_with_random_weights_and_says_so(tmp_path: Path) -> None:
    project = load_template("mlp_iris")
    got = export(project, "pt2", tmp_path / "net.pt2")
    assert got.note == "random weights: not trained yet"
    assert got.max_difference == 0.0
    again = export(project, "safetensors", tmp_path / "a.safetensors")
    export(project, "safetensors", tmp_path / "b.safetensors")
    assert again.path.read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_exported_source_takes_exported_weights(trained: Path, tmp_path: Path) -> None:
    source = export(trained, "python", tmp_path / "net.py").path.read_text()
    weights = export(trained, "safetensors", tmp_path / "net.safetensors").path
    module = build(source)
    assert str(module.load_state_dict(load_file(weights))) == "<All keys matched successfully>"


@pytest.mark.slow(keep=["lenet_digits"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_goes_home_in_every_quick_format(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quality, "MOST_TIMES", 1)  # what is measured has tests of its own
    monkeypatch.setattr(quality, "MOST", 64)
    project = load_template(name)
    for kind in QUICK:
        got = export(project, kind, tmp_path / f"{kind}{FORMATS[kind].ending}")
        assert got.max_difference is not None
        assert got.max_difference < 1e-5, kind
    compile((tmp_path / "script.py").read_text(), "script.py", "exec")
    nbformat.validate(nbformat.read(tmp_path / "notebook.ipynb", as_version=4))


DRAWN = "it draws random numbers in its forward pass; compared with the same random numbers"


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("onnx", f"random weights: not trained yet; {DRAWN}"),
        ("pt2", f"random weights: not trained yet; {DRAWN}"),
        ("torchscript-script", f"random weights: not trained yet; {DRAWN}; deprecated upstream"),
        ("safetensors", f"random weights: not trained yet; {DRAWN}"),
        ("python", f"{DRAWN}; the file has no weights"),
    ],
)
def test_a_network_that_draws_random_numbers_says_so(name: str, note: str, tmp_path: Path) -> None:
    got = export(load_template("vae_digits"), name, tmp_path / "vae")
    assert got.max_difference is not None
    assert got.max_difference < 1e-5
    assert got.note == note


def test_a_drawing_with_errors_is_refused_in_its_report_markdown(tmp_path: Path) -> None:
    text = write_text(load_template("lenet_digits")).replace(
        '"kernel_size": 5', '"kernel_size": 50'
    )
    with pytest.raises(ExportError, match="conv1 has a 50x50 kernel") as raised:
        export(read_text(text), "python", tmp_path / "net.py")
    assert raised.value.hint
    assert list(tmp_path.iterdir()) == []


def test_an_empty_drawing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="has no Input"):
        export(Project(), "onnx", tmp_path / "net.onnx")


def test_a_script_for_data_that_does_not_suit_the_network_is_refused(tmp_path: Path) -> None:
    text = write_text(load_template("lenet_digits")).replace('"digits"', '"iris"')
    with pytest.raises(ExportError, match="iris"):
        export(read_text(text), "script", tmp_path / "train.py")
    assert export(read_text(text), "python", tmp_path / "net.py").max_difference == 0.0


def test_a_run_without_weights_is_refused(trained: Path, tmp_path: Path) -> None:
    project = load_template("mlp_iris")
    fresh = prepare(project, analyse_project(project), tmp_path / "runs")
    with pytest.raises(ExportError, match="checkpoint"):
        export(fresh, "onnx", tmp_path / "net.onnx")


def test_a_run_whose_source_was_changed_is_refused(trained: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / trained.name
    shutil.copytree(trained, copy)
    with (copy / "model.py").open("a") as file:
        file.write("import os\n")
    with pytest.raises(ExportError, match="does not match its graph"):
        export(copy, "onnx", tmp_path / "net.onnx")


def test_a_page_gets_the_result_as_json(trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "net.py"
    got = export_place(RunRef(trained), "python", str(out))
    assert json.loads(json.dumps(got)) == {
        "path": str(out),
        "format": "python",
        "max_difference": 0.0,
        "size_bytes": out.stat().st_size,
        "note": "the file has no weights",
        "beside": [],
        "quality": None,  # text computes nothing that could be measured
    }


def masked(**hint: bool) -> Project:
    """A Transformer that reads backwards in time only, with the hint that its mask is causal."""
    stage = {"nhead": 2, "dim_feedforward": 8, "num_layers": 1, "batch_first": True, **hint}
    graph = draw(
        {
            "steps": ("Input", {"shape": (5, 4)}),
            "mask": ("Buffer", {"shape": (5, 5), "init": "causal"}),
            "encoder": ("TransformerEncoder", {**stage, "enable_nested_tensor": False}),
            "read": "Output",
        },
        ["steps -> encoder.src", "mask -> encoder.mask", "encoder -> read"],
    )
    return replace(load_template("lenet_digits"), name="Masked", graph=graph, data={}, training={})


def test_a_masked_transformer_goes_home_once_is_causal_is_set(tmp_path: Path) -> None:
    with pytest.raises(ExportError) as raised:
        export(masked(), "pt2", tmp_path / "net.pt2")
    assert raised.value.hint == (
        "Set is_causal of its Transformer blocks: true if the mask hides the future, "
        "otherwise false."
    )
    for hint in (True, False):
        got = export(masked(is_causal=hint), "pt2", tmp_path / "net.pt2")
        assert got.max_difference is not None
        assert got.max_difference < 1e-5
