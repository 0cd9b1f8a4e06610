"""A run as a Slurm job: the sbatch script, its submission, its state and its end.

The runs folder is on a disk that every node mounts, so control.json, status.json, metrics and
checkpoints need no copying. srun starts one worker for each rank.
"""

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.common.device import has
from core.common.errors import RunError
from core.files.messages import quote
from core.runs.files import read_json, write_bytes
from core.settings.launcher import Launcher
from core.wings.launch.external import call
from core.wings.launch.remote_job import (
    JobProgress,
    attempt_of,
    read_record,
    rejoin,
    remove_record,
    write_record,
)
from core.worker import child_process
from core.worker.launchers import kind_of

SCRIPT = "slurm.sh"
WARN_S = 60
"""Seconds before the time limit of a job at which its run stops with a checkpoint."""
LAST_S = 300
"""Seconds that ranks may go on after one of them has ended: rank 0 writes the error of another."""
ANSWER_S = 60.0
WAITING = ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT")
RUNNING = ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING")
ENDS = {
    "TIMEOUT": "its time limit was reached",
    "DEADLINE": "its deadline was reached",
    "OUT_OF_MEMORY": "its memory ran out",
    "CANCELLED": "it was cancelled",
    "NODE_FAIL": "a node failed",
    "BOOT_FAIL": "a node did not start",
    "PREEMPTED": "a job of higher priority took its nodes",
    "COMPLETED": "its run did not report how it ended",
    "FAILED": "one of its processes failed",
}
TRIED_AGAIN = ("BOOT_FAIL", "FAILED", "NODE_FAIL", "PREEMPTED")
"""Ends after which the job is submitted again; a failure that the run reported is none of them."""
HANDED_ON = (
    "LAYERLOOM_ENDED",
    "LAYERLOOM_HOME",
    "LAYERLOOM_WORKSPACE",
    "LAYERLOOM_ROOTS",
    child_process.FOLDERS,
)
"""Variables that the workers need, also where a cluster hands none on."""
RANKED = (
    'export RANK="$SLURM_PROCID" WORLD_SIZE="$SLURM_NTASKS" LOCAL_RANK="$SLURM_LOCALID"; exec "$@"'
)


def options(launcher: Launcher, spec: Mapping[str, Any]) -> list[str]:
    """The options of sbatch for a run: nodes, tasks, processors, GPUs, partition.

    GPUs are requested for the device cuda only: "auto" takes what a node has to give. Tasks are
    requested in all as well: Slurm sets SLURM_NTASKS only for that option. Raises RunError for a
    partition that no line of a script may hold.
    """
    device = str(spec.get("training", {}).get("device", "auto"))
    chosen = [
        f"--nodes={launcher.machines}",
        f"--ntasks={launcher.world}",
        f"--ntasks-per-node={launcher.processes}",
        f"--cpus-per-task={int(spec.get('threads', 1))}",
    ]
    if has(device, "shared"):
        chosen.append(f"--gpus-per-node={launcher.processes}")
    if launcher.address:
        chosen.append(f"--partition={_partition(launcher.address)}")
    return chosen


def _partition(name: str) -> str:
    """A name that a line of the script may hold as it is. Raises RunError for any other."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]+(,[A-Za-z0-9_.-]+)*", name):
        message = f"{quote(name)} is not the name of a partition."
        raise RunError("address", message, "`sinfo` lists the partitions.")
    return name


def sbatch_text(run_dir: Path, launcher: Launcher, attempt: int) -> str:
    """The script of a run's job. It is submitted with the run folder as its working folder."""
    spec = read_json(run_dir / "spec.json")
    threads = int(spec.get("threads", 1))
    job_name = "layerloom-" + re.sub(r"[^A-Za-z0-9._-]", "-", run_dir.name)
    directives = [
        f"--job-name={job_name}",
        *options(launcher, spec),
        "--output=log.txt",
        "--open-mode=append",
        "--no-requeue",
        f"--signal=TERM@{WARN_S}",
    ]
    variables = {name: os.environ.get(name, "") for name in HANDED_ON}
    variables |= {
        "LAYERLOOM_MACHINES": str(launcher.machines),
        "LOCAL_WORLD_SIZE": str(launcher.processes),
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "PASSIVE",
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
    }
    worker = shlex.join(child_process.module("core.worker.main", str(run_dir)))
    lines = [
        "#!/bin/sh",
        *(f"#SBATCH {directive}" for directive in directives),
        "",
        "# Account, time limit and the like: the SBATCH_* variables of the shell that submits.",
        *(f"export {name}={shlex.quote(value)}" for name, value in variables.items() if value),
        f"export LAYERLOOM_ATTEMPT={attempt}.$SLURM_JOB_ID",
        "",
        f"srun --kill-on-bad-exit=0 --wait={LAST_S} --chdir=/ --cpus-per-task={threads} \\",
        f"  sh -c {shlex.quote(RANKED)} rank \\",
        f"  {worker}",
    ]
    return "\n".join(lines) + "\n"


def check(launcher: Launcher, spec: Mapping[str, Any]) -> None:
    """Let sbatch judge the options without submitting anything. Raises RunError."""
    command = ["sbatch", "--test-only", *options(launcher, spec), "--wrap=true"]
    answer = call(command, ANSWER_S)
    if answer.status:
        message = f"sbatch refuses the job: {answer.reason}."
        raise RunError("launcher", message, "Change the processes, machines or partition.")


class SlurmJob:
    """The job of a run. look_s: the least time between two queries of a cluster's scheduler."""

    look_s = 5.0

    def __init__(self, run_dir: Path, launcher: Launcher) -> None:
        self.run_dir, self.launcher = run_dir, launcher
        self.number = ""
        self.last = JobProgress("waiting", "The Slurm job was submitted.")

    def begin(self) -> None:
        """Submit it, or take the job that an earlier driver submitted and that has not ended."""
        record = read_record(self.run_dir, "slurm")
        self.number = str(record.get("job", ""))
        if self.number and self.look().state != "ended":
            rejoin(self.run_dir, record)
            return
        finding = kind_of("slurm").find()
        if not finding.available:
            raise RunError("launcher", finding.text, finding.hint)
        attempt = attempt_of(self.run_dir)
        script = self.run_dir / SCRIPT
        write_bytes(script, sbatch_text(self.run_dir, self.launcher, attempt).encode())
        answer = call(["sbatch", "--parsable", f"--chdir={self.run_dir}", str(script)], ANSWER_S)
        number = answer.output.strip().partition(";")[0]
        if answer.status or not number.isdecimal():
            message = f"sbatch refused the job: {answer.reason}."
            raise RunError(self.run_dir.name, message, "Resume tries again.")
        self.number = number
        write_record(self.run_dir, "slurm", job=number, attempt=attempt)

    def look(self) -> JobProgress:
        """Ask squeue; where the job is gone, sacct."""
        command = ["squeue", "--noheader", f"--jobs={self.number}", "--format=%T|%r"]
        answer = call(command, ANSWER_S)
        state, _, reason = answer.output.strip().partition("|")
        gone = not state if not answer.status else "nvalid job id" in answer.errors
        if gone or state.partition(" ")[0] in ENDS:
            return self._end(state)
        if state in WAITING:
            self.last = JobProgress("waiting", f"Slurm job {self.number} waits: {reason}.")
        elif state in RUNNING:
            self.last = JobProgress("running")
        return self.last  # also where the scheduler did not answer: the job goes on without it

    def _end(self, state: str) -> JobProgress:
        """Why it ended, as a sentence."""
        if not state:
            command = ["sacct", "--noheader", "--parsable2", "--allocations"]
            answer = call([*command, f"--jobs={self.number}", "--format=State"], ANSWER_S)
            state = answer.output.strip() if not answer.status else ""
        word = state.partition(" ")[0]  # CANCELLED by 1000
        why = ENDS.get(word, "the cluster did not report why")
        message = f"Slurm job {self.number} ended: {why}."
        return JobProgress("ended", message, failed=word in TRIED_AGAIN)

    def cancel(self) -> None:
        """Cancel it: Slurm sends its processes SIGTERM, and SIGKILL half a minute later.

        A second stop sends SIGKILL at once.
        """
        if read_json(self.run_dir / "control.json").get("forced"):
            call(["scancel", "--signal=KILL", "--full", self.number], ANSWER_S)
        answer = call(["scancel", self.number], ANSWER_S)
        if answer.status:
            message = f"scancel failed for job {self.number}: {answer.reason}."
            raise RunError(self.run_dir.name, message)

    def finish(self) -> None:
        """Forget the job; its script stays in the run folder to be read."""
        remove_record(self.run_dir)
