"""Ways of calculating a step, side by side: `python -m tests.bench.engine_modes [--write]`.

Wall time per step of the engine up to where the device has done it, median of interleaved rounds,
on random numbers that lie on the device; on a GPU the same by its own clock, and how busy it says
it is; bringing the data there, warm-up (compiling, recording, choosing kernels) and memory apart;
and whether a deterministic run that goes on from a checkpoint ends with the same bits. On a GPU it
takes three batches and writes the table down as it grows, within --minutes; on a processor where
--write asks for it. Needs torch, torchvision for resnet18, networkx and safetensors; where
Layerloom is not installed, PYTHONPATH=. in the root.
"""
# ruff: noqa: T201

import argparse
import datetime
import os
import platform
import random
import statistics
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

import torch

from core.engine.precision import use_deterministic_algorithms
from tests.bench import modes_timed
from tests.bench.modes_timed import COLUMNS, Mode, Timed, driver_says, resumes

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # torch reads it once, at first use
TASKS = ("mlp_breast_cancer", "lenet_digits", "resnet18")
"""Templates, and a model of torchvision on pictures of 32 x 32."""
BF16 = {"precision": "bfloat16"}
LAST, GRAPH, COMPILED = {"channels_last": "on"}, {"cuda_graph": "on"}, {"compile": "on"}
MODES: dict[str, Mode] = {
    "eager": {},
    "bfloat16": BF16,
    "channels last": LAST,
    "CUDA graph": GRAPH,
    "bfloat16, channels last": BF16 | LAST,
    "bfloat16, channels last, CUDA graph": BF16 | LAST | GRAPH,
    "compiled": COMPILED,
    "bfloat16, channels last, compiled": BF16 | LAST | COMPILED,
    "all": BF16 | LAST | COMPILED | GRAPH,
}
BATCHES = {"cpu": [64], "cuda": [64, 512, 2000]}
MINUTES = {"cpu": 60.0, "cuda": 9.0}
QUICK_S, COMPILE_S = 3.0, 60.0  # what one more mode may take
NAMES = {"cpu": "engine_modes.md", "cuda": "engine_modes_cuda.md"}
NOTHING = " | ".join(["-"] * len(COLUMNS))


class Table:
    """Rows by network, batch and mode. until: when to be done; file: where they are kept."""

    def __init__(self, device: torch.device, file: Path | None, until: float) -> None:
        self.device, self.file, self.until = device, file, until
        self.head, self.rows = heading(device), dict[tuple[str, int, str], list[str]]()
        self.slowest = dict[str, float]()  # compiling of a network
        print(self.head, flush=True)

    def time_for(self, task: str, mode: Mode) -> bool:
        """Whether there is time for one more mode of a network."""
        needs = self.slowest.get(task, COMPILE_S) if "compile" in mode else QUICK_S
        return time.monotonic() + needs < self.until

    def timed(self, task: str, batch: int, name: str) -> Timed | None:
        """Warm a mode up; None where there is no time left or it cannot be done."""
        why = "no time left"
        if self.time_for(task, MODES[name]):
            try:
                made = Timed(task, batch, MODES[name], self.device)
            except Exception as error:  # the other modes are worth measuring all the same
                traceback.print_exception(error)
                why = type(error).__name__
            else:
                if "compile" in MODES[name]:
                    self.slowest[task] = max(self.slowest.get(task, 0.0), made.warm_s)
                return made
        self.rows[task, batch, name] = [f" ({why})", NOTHING, "-"]
        return None

    def measure(self, task: str, batch: int, names: list[str], rounds: int) -> None:
        """Time all modes of a network."""
        self.rows |= {(task, batch, name): ["", NOTHING, "-"] for name in names}  # in this order
        warm = {name: self.timed(task, batch, name) for name in names}
        found = {name: timed for name, timed in warm.items() if timed}
        for _ in range(rounds):
            for name in random.sample(list(found), len(found)):
                found[name].measure()
        base = statistics.median(found["eager"].times) if "eager" in found else float("nan")
        for name, timed in found.items():
            self.rows[task, batch, name] = [timed.note, timed.row(base), "-"]
        torch.compiler.reset()  # else what was compiled for another batch counts towards a limit
        print(*self.write()[-len(names) :], sep="\n", flush=True)

    def check(self, task: str, batch: int, names: list[str]) -> None:
        """Tell of modes that were timed whether they resume to the bit."""
        for name in names:
            row = self.rows[task, batch, name]
            if row[1] != NOTHING and self.time_for(task, MODES[name]):
                row[2] = resumes(task, batch, MODES[name], self.device)
                print(f"{task}, {batch}, {name}: resumes {row[2]}", flush=True)
        self.write()

    def write(self) -> list[str]:
        """The rows as lines, written down where that is wanted."""
        lines = [
            f"| {task} | {batch} | {name}{note} | {cells} | {same} |"
            for (task, batch, name), (note, cells, same) in self.rows.items()
        ]
        if self.file:
            self.file.write_text("\n".join([self.head, *lines, "", TAIL]), "utf-8")
        return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure everything; what takes longest, checking compiled networks, last."""
    parser = argparse.ArgumentParser(description=__doc__)
    there = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", default=there, choices=list(NAMES))
    parser.add_argument("--batches", type=int, nargs="+", help="64; on a GPU 64, 512, 2000")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=TASKS)
    parser.add_argument("--modes", nargs="+", default=list(MODES), choices=list(MODES))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--minutes", type=float, help="for all of it: 60; on a GPU 9")
    parser.add_argument("--write", nargs="?", const="", help="a file, else one beside this script")
    args = parser.parse_args(arguments)
    kind = args.device
    wanted = args.write is not None or kind == "cuda"
    file = Path(args.write or Path(__file__).with_name(NAMES[kind])) if wanted else None
    until = time.monotonic() + 60 * (args.minutes or MINUTES[kind])
    names = [n for n in args.modes if kind == "cuda" or "cuda_graph" not in MODES[n]]
    compiled = [n for n in names if "compile" in MODES[n]]
    batches = args.batches or BATCHES[kind]
    table = Table(torch.device(kind), file, until)
    use_deterministic_algorithms(False, table.device)
    for task in args.tasks:
        for batch in batches:
            table.measure(task, batch, names, args.rounds)
        table.check(task, batches[0], [n for n in names if n not in compiled])
    for task in args.tasks:
        table.check(task, batches[0], compiled)


def heading(device: torch.device) -> str:
    """What was measured where, and the head of the table."""
    where = f"a processor, {torch.get_num_threads()} threads"
    if device.type == "cuda":
        where = (
            f"{torch.cuda.get_device_name(device)}, driver {driver_says('driver_version', device)}"
        )
    head = ["network", "batch", "mode", *COLUMNS, "resumes"]
    return (
        "# Ways of calculating a step\n\n"
        f"Measured on {datetime.datetime.now(datetime.UTC).date()} by `python -m "
        f"tests.bench.engine_modes` with torch {torch.__version__} and Python "
        f"{platform.python_version()} on {where}.\n\n| {' | '.join(head)} |\n{'|---' * len(head)}|"
    )


TAIL = f"""Median of interleaved rounds, wall time up to where the device is done; spread: largest
minus smallest round, as a share of it; the ratio is to eager in the same table. s/epoch: the steps
of {modes_timed.EPOCH:,} samples. GPU us/step: between two events on the GPU; GPU busy: as its
driver says. Data there: {modes_timed.BATCHES_PER_EPOCH} batches brought to the device. Peak: what
torch uses there in warm-up; taken: what it keeps from others for it. Resumes: a deterministic run
that goes on from a checkpoint ends with the same bits, tried for the first batch; "eager": so it
does, but its steps could not be recorded.
"""


if __name__ == "__main__":
    main()
