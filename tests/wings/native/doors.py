"""Doors of the crossing that are compiled: machine code by AOTInductor, a C++ program."""

import subprocess
import zipfile
from functools import cache
from pathlib import Path
from shutil import which
from tempfile import mkdtemp

import torch

from core.wings.native import aoti
from core.wings.native.cpp.project import values_text
from tests.crossing.door import ROUNDED, Door
from tests.crossing.trained_run import Answers, Refused, TrainedRun


def aotinductor(run: TrainedRun) -> Answers:
    return Answers(run.outputs_of(aoti.load(run.exported("aoti").read_bytes())))


@cache
def _built() -> Path:
    """Where the program of the C++ project is, which is the same for every network."""
    return Path(mkdtemp(), "build")


def _program(project: Path) -> Path:
    """The program, built from the first project that asks."""
    folder = _built()
    options = [f"-DTORCH_ROOT={Path(torch.__file__).parent}", "-DCMAKE_BUILD_TYPE=Debug"]
    making = ["-S", project, "-B", folder, *options, "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    for words in (making, ["--build", folder]):
        if not (folder / "network").exists():
            done = subprocess.run(["cmake", *words], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return folder / "network"


def cpp(run: TrainedRun) -> Answers:
    """The program, on the samples of the run, with the outputs of the run to compare with."""
    if which("g++") is None or which("cmake") is None:
        raise Refused("There is no C++ compiler with CMake here.")
    folder = run.workspace / "cpp"
    with zipfile.ZipFile(run.exported("cpp")) as archive:
        archive.extractall(folder)
    (project,) = folder.iterdir()
    text = values_text(run.subject, run.inputs, run.expected)
    (project / "sample.txt").write_text(text, "utf-8")
    done = subprocess.run([_program(project), project], capture_output=True, text=True, check=False)
    if done.returncode == 0 and "equal" in done.stdout:
        return Answers(run.expected)
    raise AssertionError(done.stdout + done.stderr)


DOORS = {
    "AOTInductor": Door(aotinductor, ROUNDED, seconds=60),
    "C++": Door(cpp, ROUNDED, seconds=60),
}
