"""Accounts behind one front door: `python -m tests.wings.class_server.bench.accounts [N]`.

Each account has a workbench of its own and does something every 5 s: three edits of LeNet, then a
turn to another page. One account alone does the same before, in the same run. Then all edit at the
same moment, three times. All that is measured again while twelve runs are in the queue, of which
two train. N: how many accounts, 30 without. Writes accounts.md.
"""
# ruff: noqa: T201

import asyncio
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.typing import Origin, Subprotocol

from core.analyse import analyse_project
from core.common.errors import LayerloomError
from core.files.home import PERSON
from core.prepare.create import prepare
from core.project import open_project
from core.wings.class_server import roster
from core.wings.class_server.seats import PREFIX
from core.worker import child_process, launch
from tests.bench.thirty_students import LENET, LIMIT_S, PAGES, Student, works, worst

FIGURES = Path(__file__).with_name("accounts.md")
HEADER = "x-person"
ACTIONS, ALONE, EVERY_S = 8, 12, 5.0
ROUNDS, RUNS = 3, 12
SETTLED_S = 20.0
"""In which the first runs train and the others wait."""
BESIDE = ", trainings beside"


@dataclass(frozen=True)
class Served:
    """A class that is served: where, by which process, its folder and accounts."""

    origin: str
    pid: int
    folder: Path
    names: list[str]


@dataclass
class Measured:
    """What came of it. waits: in seconds, by who did what."""

    waits: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    seated_s: float = 0.0
    memory_mb: float = 0.0
    load: float = 0.0


class Account(Student):
    """A student whom a proxy names."""

    name = ""

    def _post(self, body: bytes) -> dict[str, Any]:
        headers = {"x-ll-token": self.canvas["channel"], "content-type": "application/json"}
        headers[HEADER] = self.name
        request = urllib.request.Request(f"{self.address}/api/ll/canvas", body, headers)
        with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
            return json.loads(answer.read())


def file_of(name: str) -> str:
    """The project of an account; by its name it is known when its owner acts: not in step."""
    return f"{name}.loom.json"


async def sit_down(origin: str, name: str) -> Account:
    """Open a tab of an account on its project."""
    address = f"{origin}/{PREFIX}/{name}"
    socket = await connect(
        address.replace("http", "ws", 1) + "/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        additional_headers={HEADER: name},
        max_size=None,
        origin=Origin(origin),
        ping_interval=None,
        open_timeout=LIMIT_S,
    )
    account = Account(file_of(name), socket, address)
    account.name = name
    await account.visit("build")
    account.revision = int(account.canvas["ackRev"])
    return account


async def measure(server: Served) -> Measured:
    """The waits of one alone and of all, without and with trainings beside them."""
    first = await sit_down(server.origin, server.names[0])
    for page in PAGES:  # what is imported at the first visit is not what the others wait for
        await first.visit(page)
    measured = Measured()
    measured.waits["one alone"] = await waits([first], ALONE)
    begun, everybody = time.monotonic(), [first]
    for name in server.names[1:]:  # as people come into a room
        everybody.append(await sit_down(server.origin, name))
    measured.seated_s = time.monotonic() - begun
    for each in everybody[1:]:
        for page in PAGES:
            await each.visit(page)
    await all_of(everybody, measured, "")
    measured.memory_mb = sum(map(own_mb, family(server.pid)))
    await asyncio.to_thread(train, server)
    await asyncio.sleep(SETTLED_S)
    measured.waits[f"one alone{BESIDE}"] = await waits([first], ALONE)
    await all_of(everybody, measured, BESIDE)
    measured.load = os.getloadavg()[0]
    return measured


async def all_of(everybody: list[Account], measured: Measured, beside: str) -> None:
    """What all wait for, each at a time of their own, and at the same moment."""
    count = len(everybody)
    measured.waits[f"{count} accounts{beside}"] = await waits(everybody, ACTIONS)
    at_once = [await asyncio.gather(*(each.edit() for each in everybody)) for _ in range(ROUNDS)]
    found = {"edit": [wait for each in at_once for wait in each]}
    measured.waits[f"{count} at the same moment{beside}"] = found


async def waits(accounts: list[Account], actions: int) -> dict[str, list[float]]:
    """Seconds that edits and pages take, by what was done."""
    for each in accounts:
        each.waits = {"edit": [], "page": []}
    await asyncio.gather(*(works(each, actions, EVERY_S) for each in accounts))
    return {kind: [s for each in accounts for s in each.waits[kind]] for kind in ("edit", "page")}


def train(server: Served) -> None:
    """Queue runs of the last account, of which as many train as there are processors."""
    work = server.folder / roster.WORK / server.names[-1]
    os.environ["LAYERLOOM_QUEUE"] = str(server.folder / roster.QUEUE)
    os.environ[PERSON] = server.names[-1]
    project = open_project(work / file_of(server.names[-1]))
    for _ in range(RUNS):
        report = analyse_project(project)
        launch.start(prepare(project, report, work / "runs", {"epochs": 10_000}))


def family(pid: int) -> list[int]:
    """A process, its children and theirs."""
    parents = dict[int, list[int]]()
    for each in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(each.read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(each.parent.name))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return found


def own_mb(pid: int) -> float:
    """Memory of a process, its share of what several hold together (PSS)."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("Pss:"))


def main(count: int) -> None:
    """Serve a class, measure, write the figures."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder, names = Path(place) / "class", [f"s{number}" for number in range(count)]
        roster.add(folder, names)
        for name in names:
            work = folder / roster.WORK / name
            work.mkdir(parents=True)
            shutil.copy(LENET, work / file_of(name))
        words = "class", "serve", str(folder), "--proxy-header", HEADER, "--proxy", "127.0.0.1"
        server = child_process.start(
            child_process.module("app.cli", *words),
            stdout=child_process.PIPE,
            stderr=child_process.STDOUT,
            text=True,
        )
        try:
            assert server.stdout
            origin = server.stdout.readline().split()[-1].rstrip("/")
            measured = asyncio.run(measure(Served(origin, server.pid, folder, names)))
        finally:
            end(server, folder)
    FIGURES.write_text(written(count, measured), "utf-8")
    print(FIGURES.read_text("utf-8"))


def end(server: Any, folder: Path) -> None:
    """End the server and the runs."""
    server.send_signal(signal.SIGINT)
    for run_dir in folder.glob(f"{roster.WORK}/*/runs/*"):
        with suppress(LayerloomError):
            launch.end_now(run_dir)
    try:
        server.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        server.kill()


def written(count: int, measured: Measured) -> str:
    """The table."""
    words = f"Seconds. {os.cpu_count()} processors, load at the end {measured.load:.1f}."
    command = "`python -m tests.wings.class_server.bench.accounts`"
    lines = [f"# {count} accounts behind one front door", ""]
    lines += [f"Written by {command}, which says how. {words}"]
    lines += ["", "| | count | median | 95 of 100 | slowest |", "|---|---|---|---|---|"]
    for who, found in measured.waits.items():
        for kind, values in found.items():
            cells = statistics.median(values), worst(values), max(values)
            numbers = " | ".join(f"{cell:.3f}" for cell in cells)
            lines.append(f"| {kind}, {who} | {len(values)} | {numbers} |")
    for beside in ("", BESIDE):
        alone = worst(measured.waits[f"one alone{beside}"]["edit"])
        ratio = worst(measured.waits[f"{count} accounts{beside}"]["edit"]) / alone
        lines += ["", f"Edits{beside}, the slowest of twenty: {count} accounts against one alone "]
        lines[-1] += f"{ratio:.1f} times."
    lines += ["", "The others came one after the other and had all sat down after "]
    lines[-1] += f"{measured.seated_s:.0f} s. The server with all workbenches then holds "
    lines[-1] += f"{measured.memory_mb:,.0f} MB."
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
