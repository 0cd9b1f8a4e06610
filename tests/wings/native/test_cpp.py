"""C++ projects: what is in them, and that a built program finds its outputs equal, or not."""

import os
import subprocess
import zipfile
from pathlib import Path

import pytest
import torch

from core.export.result import ExportError
from core.export.run import export_subject
from core.export.subject import subject_of
from core.project.templates import load_template
from tests.core.export.test_targets import subject

HERE = {
    "libtorch": f"-DTORCH_ROOT={Path(torch.__file__).parent}",
    "onnxruntime": f"-DONNXRUNTIME_ROOT={os.environ.get('ONNXRUNTIME_ROOT', '')}",
}
pytestmark = pytest.mark.filterwarnings("error")


def unpacked(net: str, form: str, folder: Path) -> Path:
    """A project as somebody has it after a download."""
    made = export_subject(subject(net), form, folder / f"{net}.zip".replace(" ", "_"))
    assert made.max_difference is not None
    assert made.max_difference < 1e-5
    out = folder / net.replace(" ", "_")
    with zipfile.ZipFile(made.path) as archive:
        archive.extractall(out)
    assert [path.name for path in out.iterdir()] == ["net_cpp"]
    return out / "net_cpp"


@pytest.mark.gate
def test_a_project_is_whole_and_tells_what_it_needs(tmp_path: Path) -> None:
    out = unpacked("two ends", "cpp-onnx", tmp_path)
    names = ["CMakeLists.txt", "README.md", "main.cpp", "network.onnx", "sample.h", "sample.txt"]
    assert sorted(path.name for path in out.iterdir()) == names
    lines = (out / "sample.txt").read_text().splitlines()
    assert [line for line in lines if line[0].isalpha()] == [
        "inputs 2",
        "tokens int64 2 4 5",
        "facts float32 2 4 3",
        "outputs 2",
        "logits float32 2 4 2",
        "joined float32 2 4 4",
    ]
    assert all(word.isdigit() for word in lines[2].split())
    readme = (out / "README.md").read_text()
    assert "- `tokens`: int64 (N, 5)." in readme
    assert "-DONNXRUNTIME_ROOT=FOLDER" in readme


def test_the_same_network_gives_the_same_archive(tmp_path: Path) -> None:
    first, second = (
        export_subject(subject("conv"), "cpp", tmp_path / name).path.read_bytes() for name in "ab"
    )
    assert first == second


def test_a_network_that_draws_random_numbers_is_refused(tmp_path: Path) -> None:
    drawing = subject_of(load_template("vae_digits"))
    with pytest.raises(ExportError, match="random numbers in its forward pass, so its program"):
        export_subject(drawing, "cpp", tmp_path / "net.zip")
    assert list(tmp_path.iterdir()) == []


def built(out: Path, kind: str) -> Path:
    """Build a project as its README says, without optimisation: that takes half of the time."""
    folder = out / "build"
    options = [HERE[kind], "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    found = subprocess.run(["cmake", "-S", out, "-B", folder, *options], capture_output=True,
                           text=True, check=False)  # fmt: skip
    if kind == "onnxruntime" and "headers and library were not found" in found.stderr:
        pytest.skip("ONNX Runtime's headers and library are not here (ONNXRUNTIME_ROOT)")
    assert found.returncode == 0, found.stderr
    done = subprocess.run(["cmake", "--build", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "network"


def ran(program: Path, *folder: Path) -> tuple[int, str]:
    done = subprocess.run([program, *folder], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.needs("g++", "cmake")
@pytest.mark.parametrize(("form", "kind"), [("cpp", "libtorch"), ("cpp-onnx", "onnxruntime")])
def test_a_built_program_is_equal_or_says_that_it_is_not(
    form: str, kind: str, tmp_path: Path
) -> None:
    out = unpacked("conv", form, tmp_path)
    program = built(out, kind)
    status, output = ran(program)
    assert (status, output.split(": ")[1].split("\n")[0]) == (0, "equal")
    for net in ("two ends", "lstm"):
        status, output = ran(program, unpacked(net, form, tmp_path))
        assert (status, "equal" in output) == (0, True), output
    sample = out / "sample.txt"
    whole = sample.read_text()
    head, _, numbers = whole.rstrip("\n").rpartition("\n")
    sample.write_text(f"{head}\n{numbers.replace('-', '')}\n")
    status, output = ran(program)
    assert (status, "DIFFERENT" in output) == (1, True), output
    sample.write_text(whole[: len(whole) // 2])
    assert ran(program) == (2, "sample.txt is incomplete at image\n")
    assert ran(program, tmp_path / "no")[0] == 2
