"""Running a script where nothing of this project can be imported."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

from core.script.script import write_script
from tests.core.script.hand_made import CASES, VISION

FORKS = """
import importlib, json, os, runpy, sys, traceback

importlib.import_module(sys.argv[1])
importlib.import_module("torch._dynamo")  # torch does with the first optimiser
for line in sys.stdin:
    folder, *arguments = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    os.chdir(folder)
    os.environ["HOME"] = folder
    for number, name in ((1, "printed.txt"), (2, "errors.txt")):
        os.dup2(os.open(name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), number)
    sys.argv = ["train.py", *arguments]
    try:
        runpy.run_path("train.py", run_name="__main__")
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)
"""


def script_of(name: str, shuffled: bool = False) -> str:
    made = {**CASES, **VISION}[name]()
    return write_script(made.project, made.report, made.info, shuffled=shuffled)


def surroundings(folder: Path | str, path: str = "") -> dict[str, str]:
    found = {"PATH": path, "OMP_NUM_THREADS": "1", "HOME": str(folder)}
    return found | {name: os.environ[name] for name in ("TMPDIR", "TORCHINDUCTOR_CACHE_DIR")}


def run_alone(
    script: str, folder: Path, *arguments: str, path: str = "", limit_s: float = 600.0
) -> str:
    """Run a script from an empty folder, where nothing of this project can be imported.

    path: where programs are found; usually none are. limit_s: after which it hangs.
    """
    file = folder / "train.py"
    file.write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", str(file), *arguments],
        cwd=folder,
        env=surroundings(folder, path),
        capture_output=True,
        text=True,
        timeout=limit_s,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def _forks(imported: str) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    command = [sys.executable, "-I", "-c", FORKS, imported]
    return subprocess.Popen(
        command, cwd="/", env=surroundings("/"), stdin=pipe, stdout=pipe, text=True
    )


def run_like_many(script: str, folder: Path, *arguments: str, imported: str = "torch") -> str:
    """Run a script as `run_alone` does, seconds sooner: after the first thing it does.

    Each has a process of its own, a copy of one that has imported torch (or what `imported`
    names), and nothing else, alone.
    """
    (folder / "train.py").write_text(script, encoding="utf-8")
    forks = _forks(imported)
    assert forks.stdin is not None
    assert forks.stdout is not None
    forks.stdin.write(json.dumps([str(folder), *arguments]) + "\n")
    forks.stdin.flush()
    status = forks.stdout.readline()
    assert status == "0\n", (folder / "errors.txt").read_text("utf-8")
    return (folder / "printed.txt").read_text("utf-8")
