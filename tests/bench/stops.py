"""Seconds from a second stop to the end: `python -m tests.bench.stops [STATE ...]`.

A block of own Python brings a run into each state, and never comes back from it. Each door asks
twice: the first request is left unanswered, the time from the second to the end is measured. The
figures go to tests/bench/stops.md; a state that is named on the command line is measured alone,
and nothing is written.
"""
# ruff: noqa: T201

import datetime
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from core.analyse import analyse_project
from core.launch.launcher import Launcher
from core.prepare.create import prepare
from core.project import Project, read_text, trust, write_text
from core.runs import listing
from core.runs.listing import view_run
from core.shrink import files as shrink_files
from core.shrink import stopping as shrink_stopping
from core.worker import launch, launcher_trust, supervisor
from tests.core.launch import fake_ssh
from tests.core.small_runs import train_here

TABLE = Path(__file__).with_name("stops.md")
LIMIT_S = 10.0
WAIT_S = 600.0
LAYERLOOM = str(Path(sys.executable).with_name("layerloom"))
PLACE, CODE, REACHED = "BENCH_HANG_PLACE", "BENCH_HANG_CODE", "BENCH_HANG_REACHED"
IN_C = "import itertools\nsum(itertools.repeat(0))"
LOOP = "while True: pass"
IGNORED = (
    "import signal\nfor each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
    "    signal.signal(each, signal.SIG_IGN)\nwhile True: pass"
)
BLOCK = '''
class Hang(nn.Module):
    """Passes on what it gets, but for one place, which it never leaves."""

    def __init__(self) -> None:
        super().__init__()
        import os
        self.place = os.environ.get("BENCH_HANG_PLACE", "")
        self.stay("before")

    def forward(self, x: Tensor) -> Tensor:
        if self.place == "compiling":
            while torch.compiler.is_compiling():
                x = x + 1
        elif self.place and type(x) is Tensor and x.device.type == "cpu":
            self.stay("step" if self.training else "validation")
        return x

    def stay(self, place: str) -> None:
        import os
        if self.place == place:
            open(os.environ["BENCH_HANG_REACHED"], "w").close()
            exec(os.environ["BENCH_HANG_CODE"])
'''.strip()
GRAPH = {
    "nodes": {
        "row": {"block": "Input", "settings": {"shape": [4]}},
        "fc1": {"block": "Linear", "settings": {"out_features": 8}},
        "hang": {"block": "Hang"},
        "fc2": {"block": "Linear", "settings": {"out_features": 3}},
        "logits": {"block": "Output"},
    },
    "edges": ["row -> fc1", "fc1 -> hang", "hang -> fc2", "fc2 -> logits"],
}


@dataclass(frozen=True)
class State:
    """Where a run stays, and with what. what: run, sweep, shrink, or words of a command."""

    place: str
    code: str = LOOP
    training: dict[str, Any] = field(default_factory=lambda: {})
    launcher: Launcher | None = None
    what: str = "run"


STATES = {
    "loop in the first step": State("step"),
    "sleep in the first step": State("step", "import time\nwhile True: time.sleep(1000)"),
    "signals ignored": State("step", IGNORED),
    "library that hangs in C": State("step", IN_C),
    "before the first step": State("before", IN_C),
    "in validation": State("validation", IGNORED),
    "while compiling": State("compiling", training={"compile": "on"}),
    "in a rank": State("step", IGNORED, launcher=Launcher(processes=2)),
    "job elsewhere (ssh)": State("step", IGNORED, launcher=Launcher("ssh", address="box")),
    "sweep, trials apart": State("step", IGNORED, what="sweep"),
    "sweep, trials together": State("step", IGNORED, what="sweep together"),
    "sweep, process hangs in C": State("before", IN_C, what="sweep"),
    "shrink": State("validation", IN_C, what="shrink"),
    "export": State("before", IN_C, what="export"),
    "card": State("before", IN_C, what="card"),
    "import": State("before", IN_C, what="import"),
}


def project(**training: Any) -> Project:
    """A small net on iris, with the block, which this user trusts."""
    settings = {"epochs": 2, "threads": 1, "device": "cpu", **training}
    file = {"layerloom": 1, "name": "Hang", "graph": GRAPH, "data": {"source": "iris"}}
    file |= {"composites": {"Hang": {"python": BLOCK.split("\n")}}, "training": settings}
    made = read_text(json.dumps(file))
    trust.trust(made.graph.composites["Hang"].python, "Hang")
    return made


def until(done: Callable[[], object], what: str) -> None:
    """Wait for an event. Raises TimeoutError."""
    deadline = time.monotonic() + WAIT_S
    while not done():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come within {WAIT_S:g} s")
        time.sleep(0.02)


class Stay:
    """Something that stays where its state wants it. reached: tells that it is there."""

    def __init__(self, state: State, folder: Path) -> None:
        self.state, self.folder, self.runs = state, folder, folder / "runs"
        self.reached = folder / "reached"
        self.child: subprocess.Popen[bytes] | None = None
        self.project = project(**state.training)
        self.file = folder / "hang.loom.json"
        self.file.write_text(write_text(self.project))
        self.name = ""

    def prepared(self) -> Path:
        """A run of the project."""
        return prepare(
            self.project, analyse_project(self.project), self.runs, launcher=self.state.launcher
        )

    def begin(self) -> None:
        """Start it, as a command that is followed, and wait until it stays."""
        words = self._words()
        hang = {PLACE: self.state.place, CODE: self.state.code, REACHED: str(self.reached)}
        with (self.folder / "said.txt").open("wb") as said:
            self.child = subprocess.Popen(
                [LAYERLOOM, *words],
                cwd=self.folder,
                stdout=said,
                stderr=said,
                env={**os.environ, **hang},
            )
        until(self._stays, f"{' '.join(words)}: {self.state.place}")

    def _words(self) -> list[str]:
        kind, runs = self.state.what, ["--runs", str(self.runs)]
        if kind == "run":
            self.name = self.prepared().name
            return ["resume", self.name, *runs]
        if kind.startswith("sweep"):
            self.name = "hangs"
            how = "on" if kind.endswith("together") else "off"
            return ["sweep", str(self.file), "--search", "lr=0.001,0.01", "--name", self.name,
                    "--jobs", "2", "--together", how, *runs]  # fmt: skip
        if kind == "shrink":
            self.name = self.prepared().name
            train_here(self.runs / self.name)
            return ["shrink", self.name, "--try", "unstructured:0.5", *runs]
        if kind == "export":
            return ["export", str(self.file), "--format", "onnx", "-o", str(self.folder / "a.onnx")]
        if kind == "card":
            return ["card", "shapes-and-strides", str(self.file)]
        module = self.folder / "hangs.py"
        module.write_text(f"from torch import Tensor, nn\nimport torch\n{BLOCK}\n")
        return ["import", "python:hangs:Hang()", "-o", str(self.folder / "b.loom.json")]

    def _stays(self) -> bool:
        assert self.child
        if self.child.poll() is not None:
            raise RuntimeError((self.folder / "said.txt").read_text())
        if self.state.place == "compiling":
            return "compiling" in view_run(self.runs / self.name).phase
        return self.reached.exists()

    def alive(self) -> bool:
        """Whether anything of it still works."""
        if self.state.what == "run":
            return listing.alive(self.runs / self.name)
        if self.state.what == "shrink":
            return shrink_stopping.is_alive(self.runs / self.name)
        trials = [path.parent for path in self.runs.glob("*/spec.json")]
        if self.state.what.startswith("sweep") and any(map(listing.alive, trials)):
            return True
        assert self.child
        return self.child.poll() is None

    def is_asked(self, door: str) -> bool:
        """Whether a first request has arrived."""
        if self.state.what == "run":
            return supervisor.unwanted(self.runs / self.name)
        if self.state.what.startswith("sweep") and self.state.place != "before":
            return all(supervisor.unwanted(path.parent) for path in self.runs.glob("*/spec.json"))
        if self.state.what == "shrink" and door != "Ctrl-C":
            return shrink_files.stop_requested(self.runs / self.name)
        assert self.child
        said = (self.folder / "said.txt").read_text()
        return "Stopping" in said or not _catches_interrupts(self.child.pid)

    def end(self) -> None:
        """End what a failed measurement left."""
        for path in self.runs.glob("*/spec.json"):
            launch.kill(path.parent, signal.SIGKILL)
        if self.child and self.child.poll() is None:
            self.child.kill()
        if self.child:
            self.child.wait()


def _catches_interrupts(pid: int) -> bool:
    """Whether a process still handles SIGINT itself: else the next one ends it."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    caught = next(line for line in lines if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) & 1 << signal.SIGINT - 1)


def by_ctrl_c(stay: Stay) -> None:
    """Ctrl-C in the terminal that follows it."""
    assert stay.child
    stay.child.send_signal(signal.SIGINT)


def by_command(stay: Stay) -> None:
    """`layerloom stop NAME` in another terminal."""
    command = [LAYERLOOM, "stop", stay.name, "--runs", str(stay.runs)]
    subprocess.run(command, check=False, capture_output=True)


def by_page(stay: Stay) -> None:
    """What the button of the page calls."""
    from app.services import shrinking, sweeps

    os.environ["LAYERLOOM_RUNS"] = str(stay.runs)
    if stay.state.what == "run":
        launch.stop(stay.runs / stay.name)
    elif stay.state.what == "shrink":
        shrinking.stop(stay.runs / stay.name)
    else:
        sweeps.stop(stay.name)


DOORS: dict[str, Callable[[Stay], None]] = {
    "Ctrl-C": by_ctrl_c, "`layerloom stop`": by_command, "page": by_page,
}  # fmt: skip


def doors_of(state: State) -> list[str]:
    """The doors at which something of a state can be stopped in two steps."""
    both = state.what in ("run", "shrink") or state.what.startswith("sweep")
    if state.what == "sweep" and state.place == "before":
        return ["Ctrl-C"]  # it is no sweep yet, but a command that reads a project
    return list(DOORS) if both else ["Ctrl-C"]


def seconds(name: str, door: str, folder: Path) -> float:
    """Seconds from the second request to the end."""
    stay = Stay(STATES[name], folder)
    try:
        stay.begin()
        DOORS[door](stay)
        until(lambda: stay.is_asked(door), "the first request")
        assert stay.alive(), f"{name} heeded the first request by {door}"
        began = time.monotonic()
        DOORS[door](stay)
        until(lambda: not stay.alive(), "the end")
        return time.monotonic() - began
    finally:
        stay.end()


def set_up(folder: Path) -> None:
    """A home of our own, with a machine that ssh reaches; the environment stays changed."""
    os.environ["LAYERLOOM_HOME"] = str(folder / "home")
    fake_ssh.install(folder / "bin", folder / "there")
    os.environ["PATH"] = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    launcher_trust.trust(Launcher("ssh", address="box"))
    os.environ["LAYERLOOM_HOME"] = str(folder / "there" / "state")
    project()
    os.environ["LAYERLOOM_HOME"] = str(folder / "home")


def measure(names: list[str]) -> dict[str, dict[str, float]]:
    """Seconds by state and door."""
    found: dict[str, dict[str, float]] = {}
    for name in names:
        found[name] = {}
        for door in doors_of(STATES[name]):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as text:
                set_up(Path(text))
                found[name][door] = seconds(name, door, Path(text))
            print(f"{name}, {door}: {found[name][door]:.1f} s", flush=True)
    return found


def table(found: dict[str, dict[str, float]]) -> str:
    """The figures as Markdown."""
    most = max(value for row in found.values() for value in row.values())
    count = sum(len(row) for row in found.values())
    lines = [
        "# Seconds from a second stop to the end",
        "",
        f"{count} of {count} ended, all within {most:.1f} s; the limit is {LIMIT_S:g} s.",
        "",
        f"Measured on {datetime.datetime.now(datetime.UTC):%Y-%m-%d} by `python -m"
        f" tests.bench.stops` with torch {torch.__version__} and Python"
        f" {platform.python_version()} on {platform.system()} {platform.machine()}. A dash: there"
        " is no such door in two steps. An import at a page ends at the first request.",
        "",
        f"| State | {' | '.join(DOORS)} |",
        f"| --- |{' ---: |' * len(DOORS)}",
    ]
    for name, row in found.items():
        cells = [f"{row[door]:.1f}" if door in row else "-" for door in DOORS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> int:
    """Measure; status 1 where something took longer than the limit."""
    found = measure(names or list(STATES))
    if not names:
        TABLE.write_text(table(found))
    return int(any(value > LIMIT_S for row in found.values() for value in row.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
