"""Seconds from a second stop to the end: `python -m tests.bench.stops [STATE ...]`.

A block or a data set of own Python brings a run into each state, and never comes back from it. Each
door asks twice; the time from the second request to the end of the last process is measured. Two
are measured at a time. The figures and the words of both requests go to tests/bench/stops.md; those
of states that are named on the command line take the place of their older ones in stops.json.
"""
# ruff: noqa: T201

import contextlib
import datetime
import json
import math
import multiprocessing
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import torch

from core.analyse import analyse_project
from core.data.facts.metadata import read_own
from core.files import trust
from core.prepare.create import prepare
from core.project import Project, read_text, write_text
from core.runs.files import read_json
from core.runs.listing import view_run
from core.settings.launcher import Launcher
from core.worker import launch, launcher_trust
from tests.core.small_runs import train_here
from tests.wing_parts import modules, rows

TABLE = Path(__file__).with_name("stops.md")
KEPT = TABLE.with_suffix(".json")
LIMIT_S = 10.0
WAIT_S = 600.0
AT_ONCE = 2
LAYERLOOM = str(Path(sys.executable).with_name("layerloom"))
PLACE, CODE, REACHED = "BENCH_HANG_PLACE", "BENCH_HANG_CODE", "BENCH_HANG_REACHED"
LOOP = "while True: pass"
SLEEP = "import time\nwhile True: time.sleep(1000)"
IN_C = "import itertools\nsum(itertools.repeat(0))"
CHILD = "import subprocess\nsubprocess.run(['sleep', '100000'])"
IGNORED = (
    "import signal\nfor each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
    "    signal.signal(each, signal.SIG_IGN)\nwhile True: pass"
)
STAY = """
    def stay(self, place: str) -> None:
        import os
        if os.environ.get("BENCH_HANG_PLACE") == place:
            open(os.environ["BENCH_HANG_REACHED"], "w").close()
            exec(os.environ["BENCH_HANG_CODE"], {})
""".strip("\n")
BLOCK = f'''
class Hang(nn.Module):
    """Passes on what it gets, but for one place, which it never leaves."""

    def __init__(self) -> None:
        super().__init__()
        import os
        self.compiling = os.environ.get("BENCH_HANG_PLACE") == "compiling"
        self.stay("before")

    def forward(self, x: Tensor) -> Tensor:
        if self.compiling:
            while torch.compiler.is_compiling():
                x = x + 1
        elif type(x) is Tensor and x.device.type == "cpu":
            self.stay("step" if self.training else "validation")
        return x

{STAY}
'''.strip()
DATASET = f"""
import torch
from torch.utils.data import Dataset


class Rows(Dataset):
    classes = ("a", "b", "c")

    def __len__(self):
        return 60

    def __getitem__(self, index):
        self.stay("reading")
        return torch.ones(4) * index, index % 3

{STAY}
""".strip()
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
    """Where something stays, and with what. what: run, sweep, shrink, or a command.

    then: what is done to the run once it stays there.
    """

    place: str
    code: str = LOOP
    training: dict[str, Any] = field(default_factory=lambda: {})
    launcher: Launcher | None = None
    what: str = "run"
    then: Callable[[Path], object] | None = None


def suspend(run: Path) -> None:
    """Suspend the worker of a run, as a debugger does."""
    os.kill(read_json(run / "proc.json")["worker"]["pid"], signal.SIGSTOP)


STATES = {
    "loop in the first step": State("step"),
    "sleep in the first step": State("step", SLEEP),
    "signals ignored": State("step", IGNORED),
    "library that hangs in C": State("step", IN_C),
    "waits for a process of its own": State("step", CHILD),
    "suspended by the system": State("step", then=suspend),
    "a pause was asked for": State("step", then=launch.pause),
    "before the first step": State("before", IN_C),
    "own data set that hangs": State("reading", IN_C),
    "in validation": State("validation", IGNORED),
    "while compiling": State("compiling", training={"compile": "on"}),
    "in a rank": State("step", IGNORED, launcher=Launcher(processes=2)),
    **{
        name: State("step", IGNORED, launcher=elsewhere)
        for name, elsewhere in rows("stops", "ELSEWHERE").items()
    },
    "sweep, trials apart": State("step", IGNORED, what="sweep"),
    "sweep, trials together": State("step", IGNORED, what="sweep together"),
    "shrink": State("validation", IN_C, what="shrink"),
    "train, before there is a run": State("before", IN_C, what="train"),
    "sweep, before there is one": State("before", IN_C, what="sweep"),
    "export": State("before", IN_C, what="export"),
    "card": State("before", IN_C, what="card"),
    "import": State("before", IN_C, what="import"),
}


class Stop(NamedTuple):
    """What came of two requests: seconds from the second to the end, and what each answered."""

    seconds: float
    first: str
    second: str


def project(state: State, folder: Path) -> Project:
    """A small net on iris, or a data set of our own, with the block; this user trusts them."""
    settings = {"epochs": 2, "threads": 1, "device": "cpu", **state.training}
    data: dict[str, Any] = {"source": "iris"}
    if state.place == "reading":
        (folder / "rows.py").write_text(DATASET)
        trust.trust(DATASET, "rows.py")
        data = {"source": "Dataset", "file": "rows.py"}
        read_own(data)
    file = {"layerloom": 1, "name": "Hang", "graph": GRAPH, "data": data, "training": settings}
    made = read_text(json.dumps(file | {"composites": {"Hang": {"python": BLOCK.split("\n")}}}))
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
    """Something that stays where its state wants it; the file `reached` tells that it is there."""

    child: "subprocess.Popen[bytes]"

    def __init__(self, state: State, folder: Path) -> None:
        self.state, self.folder, self.runs = state, folder, folder / "runs"
        self.project = project(state, folder)
        self.file = folder / "hang.loom.json"
        self.file.write_text(write_text(self.project))
        self.name = ""

    def prepared(self) -> Path:
        """A run of the project."""
        report, launcher = analyse_project(self.project), self.state.launcher
        return prepare(self.project, report, self.runs, launcher=launcher)

    def begin(self, words: list[str]) -> None:
        """Start it, as a command that is followed, and wait until it stays."""
        hang = {PLACE: self.state.place, CODE: self.state.code, "LAYERLOOM_SPARE": "0"}
        hang[REACHED] = str(self.folder / "reached")
        with (self.folder / "said.txt").open("wb") as said:
            self.child = subprocess.Popen(
                [LAYERLOOM, *words],
                cwd=self.folder,
                stdout=said,
                stderr=said,
                env={**os.environ, **hang},
            )
        until(self._stays, f"{' '.join(words)}: {self.state.place}")
        if self.state.then:
            self.state.then(self.runs / self.name)

    def words(self) -> list[str]:
        """The words of its command."""
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
        if kind == "train":
            return ["train", str(self.file), *runs]
        module = self.folder / "hangs.py"
        module.write_text(f"from torch import Tensor, nn\nimport torch\n{BLOCK}\n")
        return ["import", "python:hangs:Hang()", "-o", str(self.folder / "b.loom.json")]

    def _stays(self) -> bool:
        if self.child.poll() is not None:
            raise RuntimeError(self.said())
        if self.state.place == "compiling":
            return "compiling" in view_run(self.runs / self.name).phase
        return (self.folder / "reached").exists()

    def said(self) -> str:
        """What its command has printed so far."""
        return (self.folder / "said.txt").read_text()

    def processes(self) -> list[int]:
        """All processes that work for it: each has the variable of its folder."""
        mark = f"{REACHED}={self.folder / 'reached'}".encode()
        found = list[int]()
        for file in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in file.read_bytes().split(b"\0"):
                    found.append(int(file.parent.name))
            except OSError:  # it has ended meanwhile, or is of another user
                continue
        return found

    def end(self) -> None:
        """End what a failed measurement left."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.child.wait()


def by_ctrl_c(stay: Stay, again: bool) -> str:
    """Ctrl-C in the terminal that follows it."""
    before = stay.said()
    stay.child.send_signal(signal.SIGINT)
    until(lambda: again or _has_asked(stay), "the first request")
    return stay.said().removeprefix(before)


def _has_asked(stay: Stay) -> bool:
    """Whether a command has taken Ctrl-C: it says so, or leaves the next one to the system."""
    lines = Path(f"/proc/{stay.child.pid}/status").read_text("utf-8").splitlines()
    caught = next(line for line in lines if line.startswith("SigCgt"))
    return "Stopping" in stay.said() or not int(caught.split()[1], 16) & 1 << signal.SIGINT - 1


def by_command(stay: Stay, again: bool) -> str:
    """`layerloom stop NAME` in another terminal."""
    command = [LAYERLOOM, "stop", stay.name, "--runs", str(stay.runs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout


def by_page(stay: Stay, again: bool) -> str:
    """What the button of the page calls."""
    os.environ["LAYERLOOM_RUNS"] = str(stay.runs)
    if stay.state.what == "run":
        return launch.stop(stay.runs / stay.name)
    if stay.state.what == "shrink":
        return import_module("app.wings.shrink.service").stop(stay.runs / stay.name)
    return import_module("app.wings.sweep.service").stop(stay.name)


DOORS: dict[str, Callable[[Stay, bool], str]] = {
    "Ctrl-C": by_ctrl_c, "`layerloom stop`": by_command, "page": by_page,
}  # fmt: skip


def doors_of(state: State) -> list[str]:
    """The doors at which something of a state can be stopped in two steps."""
    listed = state.what in ("run", "shrink") or state.what.startswith("sweep")
    if listed and not (state.what == "sweep" and state.place == "before"):
        return list(DOORS)
    return ["Ctrl-C"]  # a command of which nothing is listed


def stopped(name: str, door: str, folder: Path) -> Stop:
    """Stop something twice by a door, and measure the end. Raises RuntimeError, TimeoutError."""
    stay = Stay(STATES[name], folder)
    words = stay.words()
    try:
        stay.begin(words)
        first = DOORS[door](stay, False)
        if stay.child.poll() is not None:
            raise RuntimeError(f"{name} heeded the first request by {door}")
        began, before = time.monotonic(), stay.said()
        second = DOORS[door](stay, True)
        follows = stay.state.what == "run" and door != "Ctrl-C"  # it is no process of the run
        stays = {stay.child.pid} if follows else set[int]()
        until(lambda: stays.issuperset(stay.processes()), "the end")
        seconds = time.monotonic() - began
        return Stop(seconds, plain(first), plain(second or stay.said().removeprefix(before)))
    finally:
        stay.end()


def plain(said: str) -> str:
    """The sentences about a stop, without the names of this run."""
    told = [line for line in said.splitlines() if re.search(r"[Ss]top|asked|ended", line)]
    return re.sub(r"hangs?(-\d+)?\b", "NAME", " ".join(told[:2]), flags=re.IGNORECASE)


def set_up(folder: Path) -> None:
    """A home of our own, with what wings start jobs on; the environment stays changed.

    A bench that a shell began in the background ignores SIGINT, and what it starts would, too.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.pop("LAYERLOOM_RUNS", None)
    os.environ |= {"LAYERLOOM_HOME": str(folder / "home"), "LAYERLOOM_WORKSPACE": str(folder)}
    for module in modules("stops"):
        module.install(folder)
    os.environ["PATH"] = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    for elsewhere in rows("stops", "ELSEWHERE").values():
        launcher_trust.trust(elsewhere)
    os.environ["LAYERLOOM_HOME"] = str(folder / "there" / "state")
    project(State(""), folder)  # the machine there trusts the block, too
    os.environ["LAYERLOOM_HOME"] = str(folder / "home")


def cell(name: str, door: str) -> Stop:
    """One measurement, in a process and a folder of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as text:
        set_up(Path(text))
        try:
            found = stopped(name, door, Path(text))
        except (RuntimeError, TimeoutError) as error:
            found = Stop(math.inf, str(error), "")
    print(f"{name}, {door}: {found.seconds:.1f} s: {found.first} / {found.second}", flush=True)
    return found


Found = dict[tuple[str, str], Stop]


def measure(names: Iterable[str], note: Callable[[Found], object] = lambda _: None) -> Found:
    """What came of it by state and door. note: is told of each."""
    wanted = [(name, door) for name in names for door in doors_of(STATES[name])]
    fresh, found = multiprocessing.get_context("spawn"), Found()
    with ProcessPoolExecutor(AT_ONCE, fresh, max_tasks_per_child=1) as pool:
        answers = [pool.submit(cell, *each) for each in wanted]
        for each, answer in zip(wanted, answers, strict=True):
            found[each] = answer.result()
            note({each: found[each]})
    return found


def keep(new: Found) -> None:
    """Keep what was measured beside what was measured before, and write the table of all."""
    known: dict[str, list[Any]] = read_json(KEPT)
    known |= {" | ".join(each): list(stop) for each, stop in new.items()}
    KEPT.write_text(json.dumps(known, indent=1) + "\n")
    wanted = [(name, door) for name in STATES for door in doors_of(STATES[name])]
    TABLE.write_text(
        table({each: Stop(*known[key]) for each in wanted if (key := " | ".join(each)) in known})
    )


def table(found: Found) -> str:
    """The figures as Markdown."""
    ended = [each.seconds for each in found.values() if each.seconds < math.inf] or [math.inf]
    lines = [
        "# Seconds from a second stop to the end",
        "",
        f"{len(ended)} of {len(found)} ended, all within {max(ended):.1f} s; the limit"
        f" is {LIMIT_S:g} s. No process of them was left.",
        "",
        f"Measured on {datetime.datetime.now(datetime.UTC):%Y-%m-%d} by `python -m"
        f" tests.bench.stops` with torch {torch.__version__} and Python"
        f" {platform.python_version()} on {platform.system()} {platform.machine()},"
        f" {AT_ONCE} at a time on {os.cpu_count()} processors. A dash: there is no such door. An"
        " import at a page ends at the first request; exports and cards at a page end by"
        " themselves after a time that their page names.",
        "",
        f"| State | {' | '.join(DOORS)} |",
        f"| --- |{' ---: |' * len(DOORS)}",
    ]
    for name in dict.fromkeys(name for name, _ in found):
        cells = [f"{found[name, d].seconds:.1f}" if (name, d) in found else "-" for d in DOORS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *_words_said(found)]) + "\n"


def _words_said(found: Found) -> list[str]:
    """A table of what both requests answer, each pair once."""
    where: dict[tuple[str, str, str], list[str]] = {}
    for (name, door), stop in found.items():
        where.setdefault((door, stop.first, stop.second), []).append(name)
    rows = [
        f"| {door} | {', '.join(names)} | {first} | {second} |"
        for (door, first, second), names in where.items()
    ]
    return ["| Door | State | First request | Second request |", "| --- | --- | --- | --- |", *rows]


def main(names: Sequence[str]) -> int:
    """Measure; status 1 where something took longer than the limit."""
    found = measure(names or STATES, keep)
    return int(any(each.seconds > LIMIT_S for each in found.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
