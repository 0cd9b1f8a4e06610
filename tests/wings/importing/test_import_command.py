"""`layerloom import` on a file: project and weights side by side, refusals as one sentence."""

import json
import re
import sys
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pytest
from safetensors.numpy import load_file

from app.cli import main
from core.project import open_project
from core.project.comparison import Comparison, read_comparison, write_comparison
from core.wings.importing.onnx import check
from tests.core.small_onnx import relu_net


@pytest.mark.parametrize("prefix", ["", "onnx:"])
def test_an_onnx_file_becomes_a_project_with_its_weights(
    prefix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "small.loom.json"
    source = f"{prefix}{relu_net(tmp_path / 'small.onnx')}"
    assert main(["import", source, "-o", str(out), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert [v["equal"] for v in output["verdicts"]] == [True, True, None, True]
    blocks = [node.block for node in open_project(out).graph.nodes.values()]
    assert blocks == ["Input", "Linear", "ReLU", "Output"]
    assert Path(output["weights"]).stat().st_size > 80
    assert open_project(out).training == {"start_from": {"weights": "small.safetensors"}}


def test_an_operation_without_a_block_is_refused_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source = str(relu_net(tmp_path / "odd.onnx", "Det"))
    assert main(["import", source, "-o", str(tmp_path / "odd.loom.json")]) == 1
    assert "an operation (Det) that has no block" in capsys.readouterr().err
    assert not (tmp_path / "odd.loom.json").exists()


@pytest.mark.parametrize(("source", "message"), [
    ("gone.onnx", "gone.onnx: does not exist. Give the path of an ONNX file."),
    ("text.onnx", "text.onnx: is not an ONNX file."),
    ("net.pt", "net.pt: is not a source."),
    ("torchvision:resnet19", "torchvision:resnet19: is not a model of torchvision."),
])  # fmt: skip
def test_a_source_that_names_nothing_is_wrong_use(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("text.onnx").write_text("no model", encoding="utf-8")
    assert main(["import", source, "-o", "x.loom.json"]) == 2
    assert message.partition(". ")[0] in capsys.readouterr().err
    assert not Path("x.loom.json").exists()


LEARNER = """
from torch import nn
class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.aux = nn.Linear(4, 3), nn.Linear(4, 2)
    def forward(self, x):
        return (self.fc(x), self.aux(x)) if self.training else self.fc(x)
"""


def test_what_a_model_gives_in_training_only_is_drawn_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "learner.py").write_text(LEARNER, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    outputs: list[Any] = []
    for status, name, more in ((1, "usual", []), (0, "heads", ["--heads"])):
        out = str(tmp_path / f"{name}.loom.json")
        given = ["python:learner:Learner", "--input", "4", "-o", out, "--json", *more]
        assert main(["import", *given]) == status
        outputs.append(json.loads(capsys.readouterr().out))
    usual, heads = outputs
    assert (usual["ok"], heads["ok"]) == (False, True)
    assert (usual["heads"], heads["heads"]) == ([], ["output2"])
    assert [v["equal"] for v in usual["verdicts"]] == [True, True, None, False]
    assert [v["equal"] for v in heads["verdicts"]] == [True, True, None, True]
    assert heads["notes"] == ["output2: the original gives this in training only"]


HOSTILE = """
import sys
from torch import nn
def leaves(): sys.exit(0)
def number(): return 3
class Exits(nn.Module):
    def forward(self, x): sys.exit(0)
class Endless(nn.Module):
    def forward(self, x): return self.forward(x)
class Misses(nn.Module):
    def forward(self, x): return {}["nothing"]
class Writes(nn.Module):
    def forward(self, x): raise RuntimeError("\\x1b[31mred\\nsecond line")
"""


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("leaves", "python:hostile:leaves: cannot be created: SystemExit: 0."),
        ("number", "python:hostile:number: is an int, not a module."),
        ("1/0", "python:hostile:1/0: cannot be created: ZeroDivisionError: division by zero."),
        ("(", "cannot be created: SyntaxError: '(' was never closed (<string>, line 1)."),
        ("Exits", "Exits: cannot be run on (4,): SystemExit: 0"),
        ("Endless", "Endless: cannot be run on (4,): maximum recursion depth exceeded"),
        ("Misses", "Misses: cannot be run on (4,): KeyError: 'nothing'"),
        ("Writes", "Writes: cannot be run on (4,): [31mred"),
    ],
)
def test_a_module_of_the_user_s_that_cannot_be_imported_is_one_sentence(
    expression: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    (tmp_path / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "hostile", raising=False)
    out = tmp_path / "x.loom.json"
    assert main(["import", f"python:hostile:{expression}", "--input", "4", "-o", str(out)]) == 1
    first, *rest = capsys.readouterr().err.strip().splitlines()
    assert first == f"Running your own code: hostile:{expression}"
    assert len(rest) == 1
    assert rest[0].startswith("error: ")
    assert rest[0].endswith(message)
    assert not out.exists()


@pytest.mark.slow
def test_a_model_of_torchvision_becomes_files_and_four_verdicts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "net.loom.json"
    given = ["torchvision:squeezenet1_1", "--input", "3,64,64", "-o", str(out)]
    assert main(["import", *given]) == 0
    captured = capsys.readouterr()
    assert [line.split() for line in captured.out.splitlines()] == [
        "compared on result note".split(), "the sample equal".split(),
        "another batch equal".split(), "another image size equal".split(),
        "one training step equal".split(),
    ]  # fmt: skip
    first, second = captured.err.splitlines()[:2]
    assert re.fullmatch(
        rf"{re.escape(str(out))} was drawn in \d+\.\d s; comparing it with the original\.", first
    )
    assert second.startswith(f"squeezenet1_1 is {out}, its weights {tmp_path}/net.safetensors.")
    assert open_project(out).name == "squeezenet1_1"
    assert open_project(out).training == {}  # chance is as good as other chance
    assert (tmp_path / "net.safetensors").stat().st_size > 4 * 1_235_496
    assert main(["import", *given]) == 2
    assert f"{out} exists already." in capsys.readouterr().err


def test_a_drawing_is_kept_before_it_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comparing a model of half a billion weights takes most of a minute."""
    out, seen = tmp_path / "net.loom.json", list[bool]()

    def look(*given: Any) -> list[Any]:
        seen.append(open_project(out).name == "Small" and (tmp_path / "net.safetensors").exists())
        return real(*given)

    real = check.file_verdicts
    monkeypatch.setattr(check, "file_verdicts", look)
    assert main(["import", str(relu_net(tmp_path / "small.onnx")), "-o", str(out)]) == 0
    assert seen == [True]


def test_each_verdict_is_kept_and_printed_when_it_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, printed = tmp_path / "net.loom.json", list[str]()

    def look(project: Path, found: Comparison) -> None:
        printed.append(capsys.readouterr().out)
        write_comparison(project, found)

    monkeypatch.setattr("core.project.comparison.write_comparison", look)
    assert main(["import", str(relu_net(tmp_path / "small.onnx")), "-o", str(out)]) == 0
    printed.append(capsys.readouterr().out)
    assert [line[:31].strip() for line in printed] == [
        "",
        "compared on         result",
        "the sample          equal",
        "another batch       equal",
        "another size        not tried",
        "one training step   equal",
    ]
    found = read_comparison(out)
    assert found is not None
    assert [v.equal for v in found.verdicts] == [True, True, None, True]
    assert found.awaited == ()


@pytest.mark.parametrize("option", ["-o", "--weights"])
def test_a_folder_that_is_not_there_is_reported_before_anything_is_done(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"-o": str(tmp_path / "net.loom.json"), option: str(tmp_path / "no" / "file")}
    words = [word for pair in given.items() for word in pair]
    assert main(["import", "torchvision:nothing_such", *words]) == 2
    assert f"There is no folder {tmp_path}/no." in capsys.readouterr().err


def test_trained_weights_without_a_network_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def blocked(*_: object, **__: object) -> None:
        raise URLError("no route to host")

    monkeypatch.setattr("torchvision.models._api.load_state_dict_from_url", blocked)
    out = tmp_path / "net.loom.json"
    given = ["torchvision:squeezenet1_1", "--pretrained", "-o", str(out)]
    assert main(["import", *given]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "error: torchvision:squeezenet1_1: has trained weights that could not be downloaded: "
        "there is no network connection.",
        "  hint: Import it with random weights, or try again with a connection.",
    ]
    assert not out.exists()


def test_an_imported_project_is_exported_with_the_weights_it_came_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out, again = tmp_path / "small.loom.json", tmp_path / "again.safetensors"
    assert main(["import", str(relu_net(tmp_path / "small.onnx")), "-o", str(out)]) == 0
    beside = str(tmp_path / "small.safetensors")
    command = ["export", str(out), "--format", "safetensors", "-o", str(again)]
    assert main([*command, "--weights", beside]) == 0
    assert "(weights of small.safetensors)" in capsys.readouterr().err
    assert load_file(again)["fc.weight"].tolist() == np.eye(4).tolist()


@pytest.mark.parametrize("fails", ["write_weights", "perturb", "adopt"])
def test_an_import_that_fails_leaves_no_file(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def failing(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    home = "pipeline" if fails == "write_weights" else "verify.equivalence"
    monkeypatch.setattr(f"core.wings.importing.{home}.{fails}", failing)
    source = ["python:tests.wings.importing.models:Shared", "--input", "6"]
    assert main(["import", *source, "-o", str(tmp_path / "net.loom.json")]) != 0
    assert list(tmp_path.iterdir()) == []
    if fails == "write_weights":
        assert "net.safetensors cannot be written: No space left" in capsys.readouterr().err


def test_files_that_are_there_are_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "net.safetensors").write_text("mine", encoding="utf-8")
    out = str(tmp_path / "net.loom.json")
    assert main(["import", "torchvision:resnet18", "-o", out]) == 2
    assert "net.safetensors exists already. Choose another" in capsys.readouterr().err.replace(
        "\n  hint: ", " "
    )
    assert main(["import", "torchvision:resnet18", "-o", out, "--weights", out]) == 2
    assert "cannot be both the project and its weights" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["net.safetensors"]


@pytest.mark.parametrize(("more", "message"), [
    (["--input", "3x8"], "3x8 is not the shape of an input."),
    (["--input", "ids=5:int65"], "ids=5:int65 has an unknown dtype int65."),
    (["--arg", "mask"], "mask is not an argument."),
    (["--batch-dim", "9"], "--batch-dim 9 is not a valid batch dimension."),
])  # fmt: skip
def test_inputs_that_cannot_be_read_are_wrong_use(
    more: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = str(tmp_path / "net.loom.json")
    assert main(["import", "python:tests.wings.importing.models:Shared", *more, "-o", out]) == 2
    assert message in capsys.readouterr().err


def test_inputs_are_named_bounded_and_completed_by_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "net.loom.json"
    given = ["--input", "kinds=5:int64<3", "--input", "ids=5:int64", "--arg", "valid_lens=None"]
    source = "python:tests.wings.importing.tokens:Pieces"
    assert main(["import", source, *given, "-o", str(out), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["notes"] == ["its input was found by trial: kinds=5:int64<3 and ids=5:int64<50"]
    nodes = open_project(out).graph.nodes
    assert nodes["ids"].settings == {"shape": (5,), "dtype": "int64"}
