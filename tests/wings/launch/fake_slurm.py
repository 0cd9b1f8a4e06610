"""Slurm in a folder: sbatch, srun, squeue, sacct and scancel that really start the processes.

`install` puts them into a folder for PATH. A job is a folder and a process group; it has ended
when its script has written its state.
"""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = ("sbatch", "srun", "squeue", "sacct", "scancel")


def install(folder: Path, jobs: Path) -> None:
    """Write the programs into a folder."""
    folder.mkdir(exist_ok=True)
    jobs.mkdir(exist_ok=True)
    for name in PROGRAMS:
        words = shlex.join([sys.executable, str(Path(__file__)), str(jobs), name])
        (folder / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (folder / name).chmod(0o755)


def sbatch(jobs: Path, words: list[str]) -> int:
    """Submit a script; refuse the partition "closed", as a cluster refuses what it has not."""
    if "--partition=closed" in words:
        sys.stderr.write("sbatch: error: invalid partition specified: closed" + "\n")
        return 1
    if "--test-only" in words:
        return 0
    folder = next(word.partition("=")[2] for word in words if word.startswith("--chdir="))
    script = Path(words[-1]).read_text()
    number = str(101 + len(list(jobs.glob("[0-9]*"))))
    job = jobs / number
    job.mkdir()
    options = dict(re.findall(r"^#SBATCH --([a-z-]+)=(.*)$", script, re.MULTILINE))
    assert int(options["ntasks"]) == int(options["nodes"]) * int(options["ntasks-per-node"])
    env = {**os.environ, "SLURM_NTASKS": options["ntasks"], "SLURM_JOB_ID": number}
    env["SLURM_NTASKS_PER_NODE"] = options["ntasks-per-node"]
    held = f"while [ -e {jobs}/hold ]; do sleep 0.05; done; echo RUNNING > {job}/state; "
    ends = f"&& echo COMPLETED > {job}/state || echo FAILED > {job}/state"
    run = f"{held}sh {shlex.quote(words[-1])} {ends}"
    with (Path(folder) / options["output"]).open("ab") as log:
        child = subprocess.Popen(
            ["sh", "-c", run], cwd=folder, env=env, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    (job / "state").write_text("PENDING")
    (job / "pid").write_text(str(child.pid))
    sys.stdout.write(f"{number};cluster" + "\n")
    return 0


def srun(_: Path, words: list[str]) -> int:
    """Start the tasks of a job; where one fails, the others are ended."""
    assert "--kill-on-bad-exit=0" in words
    command = [word for word in words if not word.startswith("--")]
    tasks = list[subprocess.Popen[bytes]]()
    here = int(os.environ["SLURM_NTASKS_PER_NODE"])
    for rank in range(int(os.environ["SLURM_NTASKS"])):
        env = {**os.environ, "SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank % here)}
        tasks.append(subprocess.Popen(command, env=env))
    while (codes := [task.poll() for task in tasks]).count(None):
        if any(codes):
            for task in tasks:
                task.kill()
        time.sleep(0.05)
    return max(map(abs, filter(None, codes)), default=0)


def _state(job: Path) -> str:
    """The state of a job; one that is cancelled completes until its processes are gone."""
    state = (job / "state").read_text().strip()
    if state.startswith("CANCELLED"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            os.killpg(int((job / "pid").read_text()), 0)
            return "COMPLETING"
    return state


def squeue(jobs: Path, words: list[str]) -> int:
    """Print state and reason of a job that has not ended."""
    number = next(word.partition("=")[2] for word in words if word.startswith("--jobs="))
    state = _state(jobs / number)
    if state not in ("PENDING", "RUNNING", "COMPLETING"):
        sys.stderr.write("slurm_load_jobs error: Invalid job id specified" + "\n")
        return 1
    sys.stdout.write(f"{state}|{'Resources' if state == 'PENDING' else 'None'}" + "\n")
    return 0


def sacct(jobs: Path, words: list[str]) -> int:
    """Print how a job ended."""
    number = next(word.partition("=")[2] for word in words if word.startswith("--jobs="))
    sys.stdout.write(_state(jobs / number) + "\n")
    return 0


def scancel(jobs: Path, words: list[str]) -> int:
    """End the processes of a job."""
    job = jobs / words[-1]
    number = signal.SIGKILL if "--signal=KILL" in words else signal.SIGTERM
    try:
        os.killpg(int((job / "pid").read_text()), number)
    except ProcessLookupError:
        return 0
    (job / "state").write_text("CANCELLED by 1000")
    return 0


if __name__ == "__main__":
    program = {"sbatch": sbatch, "srun": srun, "squeue": squeue, "sacct": sacct, "scancel": scancel}
    sys.exit(program[sys.argv[2]](Path(sys.argv[1]), sys.argv[3:]))
