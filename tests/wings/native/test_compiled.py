"""Files that a compiler makes in another process: AOTInductor and ExecuTorch."""

import os
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from app.cli import main
from core.export.formats import FORMATS
from core.export.needs import missing
from core.export.result import ExportError
from core.export.run import export_subject
from core.export.subject import subject_of
from core.project.templates import load_template
from core.wings.native import compile_job
from tests.core.export.test_targets import subject

needs = {
    "aoti": pytest.mark.needs("g++"),
    "executorch": pytest.mark.skipif(find_spec("executorch") is None, reason="needs executorch"),
}
FORMS = [pytest.param(form, marks=mark) for form, mark in needs.items()]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("form", FORMS)
def test_a_compiled_file_agrees_at_any_batch_and_names_no_place(form: str, tmp_path: Path) -> None:
    got = export_subject(subject("conv"), form, tmp_path / "net")
    assert got.max_difference is not None
    assert got.max_difference < 1e-5
    assert "compiled in " in got.note
    assert " MB of memory" in got.note
    content = got.path.read_bytes()
    places = ("site-packages", sys.prefix, f"{tempfile.gettempdir()}/tmp")
    assert [place for place in places if place.encode() in content] == []
    assert [p.name for p in tmp_path.iterdir()] == ["net"]


def test_what_is_not_here_is_named_before_anybody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    compiler = "a C++ compiler (g++ or clang++)"
    sentence = f"AOTInductor needs {compiler}, which is missing on this machine."
    assert missing(FORMATS["aoti"])[0] == sentence
    assert main(["export", "no.loom.json", "--format", "aoti", "-o", "net.pt2"]) == 1
    assert sentence in capsys.readouterr().err
    with pytest.raises(ExportError, match=r"C\+\+ compiler"):
        export_subject(subject("conv"), "aoti", tmp_path / "net.pt2")
    assert list(tmp_path.iterdir()) == []


def test_without_its_wheel_executorch_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.wings.native.formats.find_spec", lambda _: None)
    assert missing(FORMATS["executorch"]) == (
        "ExecuTorch needs the package executorch, which is missing on this machine.",
        'Install it: pip install "layerloom[mobile]"',
    )


@pytest.mark.parametrize("form", ["aoti", "executorch"])
def test_what_a_compiler_refuses_is_an_error_and_leaves_nothing(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> dict[str, object]:
        raise compile_job.CompileError(
            "LoweringException: RuntimeError: aten.foo has no kernel\nmore"
        )

    monkeypatch.setattr(compile_job, "_job", refuse)
    monkeypatch.setattr("core.export.run.missing", lambda _: ("", ""))
    with pytest.raises(ExportError, match=r"cannot hold this network: .*aten\.foo has no kernel"):
        export_subject(subject("conv"), form, tmp_path / "net")
    assert list(tmp_path.iterdir()) == []


LOG = {
    "Missing operator: [2] aten::avg_pool3d.out": "aten::avg_pool3d.out of lrn1, lrn2",
    "KernelCall failed at instruction 0:1 in operator aten::full.out: 0x12": "aten::full.out",
}


@pytest.mark.parametrize("line", LOG)
def test_the_operator_that_a_runtime_logs_is_named_with_its_blocks(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "job.py"
    script.write_text(f"""import json, pathlib, sys
if json.loads(pathlib.Path(sys.argv[1], "job.json").read_text())["do"] == "compile":
    pathlib.Path(sys.argv[1], "network").write_bytes(b"")
    operators = {{"avg_pool3d": ["lrn1", "lrn2"], "full": [""]}}
    print(json.dumps({{"seconds": 1, "peak_mb": 1, "operators": operators}}))
else:
    print("[method.cpp:822] {line}", file=sys.stderr)
    print(json.dumps({{"error": "RuntimeError: error 0x12", "operators": {{}}}}))
""")
    monkeypatch.setattr(compile_job, "SCRIPT", script)
    monkeypatch.setattr("core.export.run.missing", lambda _: ("", ""))
    with pytest.raises(ExportError) as caught:
        export_subject(subject("conv"), "executorch", tmp_path / "net.pte")
    assert caught.value.message == f"ExecuTorch cannot run {LOG[line]}: RuntimeError: error 0x12."
    assert caught.value.hint == "Export ONNX instead: ONNX Runtime also runs on phones."


def test_an_operator_that_a_compiler_does_not_know_is_named_with_its_reason() -> None:
    text = """SpecViolationError:
    Operator torch._ops.aten.foo.default is not in Core ATen opset (https://docs.example/ir#core)."
    There are a few things to try:"""
    error = compile_job.CompileError(text, "aten.foo.default", {"foo": ["pool1"]})
    assert compile_job.export_error("ExecuTorch", error, "").message == (
        "ExecuTorch cannot run aten.foo.default of pool1: SpecViolationError: "
        "Operator torch._ops.aten.foo.default is not in Core ATen opset."
    )
    assert compile_job._operator_in(text) == "aten.foo.default"


def test_a_network_that_draws_random_numbers_is_not_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.export.run.missing", lambda _: ("", ""))
    drawing = subject_of(load_template("vae_digits"))
    for form in ("aoti", "executorch"):
        with pytest.raises(ExportError, match="draws random numbers in its forward pass"):
            export_subject(drawing, form, tmp_path / "net")


def test_a_job_ends_with_the_one_who_asked_and_takes_its_folder_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    os.mkfifo(folder / "job.json")  # it waits there for its job
    command = [sys.executable, "-P", str(compile_job.SCRIPT), str(folder)]
    job = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    assert job.stdin is not None
    with (folder / "job.json").open("w"):  # opens once the job is there
        job.stdin.close()
        assert job.wait(600) == -signal.SIGKILL
    assert not folder.exists()


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import os; os.kill(os.getpid(), 9)", "was ended by signal 9; memory may be short"),
        ("raise SystemExit(3)", "ended with status 3"),
        ("""print('{"error": "OSError: No space left on device"}')""", "No space left on device"),
    ],
)
def test_a_job_that_dies_or_finds_no_room_is_an_error_and_leaves_nothing(
    program: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    for folder in (out, temporary):
        folder.mkdir()
    script = tmp_path / "job.py"
    script.write_text(program)
    monkeypatch.setattr(compile_job, "SCRIPT", script)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr("core.export.run.missing", lambda _: ("", ""))
    with pytest.raises(ExportError, match=message):
        export_subject(subject("conv"), "executorch", out / "net.pte")
    assert [*out.iterdir(), *temporary.iterdir()] == []


def test_a_full_disk_is_no_fault_of_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no"))
    monkeypatch.setattr("core.export.run.missing", lambda _: ("", ""))
    with pytest.raises(ExportError, match="cannot be used: No such file or directory") as caught:
        export_subject(subject("conv"), "aoti", tmp_path / "net.pt2")
    assert caught.value.hint.endswith("set TMPDIR to another folder.")
