"""A class on one server: `python -m tests.bench.thirty_students [STUDENTS] [--looping]`.

Each student has a tab of their own, spoken for in Streamlit's own messages without a browser, and
does something every 10 s: three edits of LeNet (a number that changes all shapes behind it), then
a turn to another page. The same is done before by one student alone, in the same run.
With --looping the class is measured twice, the second time with a student more, who edits without
pause a drawing whose trusted block never ends; what the others wait for is held against the first.
"""
# ruff: noqa: T201

import asyncio
import contextlib
import datetime
import json
import os
import platform
import random
import shutil
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import streamlit
import torch
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from core.files import trust
from tests.bench.workbench import memory_mb, server

ROOT = Path(__file__).parents[2]
LENET = ROOT / "projects" / "lenet_digits.loom.json"
FIGURES = Path(__file__).with_name("thirty_students.md")
STUDENTS, ACTIONS, ALONE, EVERY_S = 30, 8, 24, 10.0
PAGES = ("train", "export", "data", "build")
TURNS = 500  # pages run again, to see what memory they leave
LIMIT_S = 120.0
LOOPING = "looping.loom.json"
ENDLESS = (
    "class Endless(nn.Module):",
    "    def forward(self, x: Tensor) -> Tensor:",
    "        while True:",
    "            x = x * 1",
    "        return x",
)


@dataclass
class Student:
    """One tab: its socket, its drawing, what it waited for.

    buttons, alerts: of the page that it visited last, ids by label and texts of errors.
    """

    file: str
    socket: ClientConnection
    address: str
    canvas: dict[str, Any] = field(default_factory=dict[str, Any])
    waits: dict[str, list[float]] = field(default_factory=lambda: {"edit": [], "page": []})
    revision: int = 0
    buttons: dict[str, str] = field(default_factory=dict[str, str])
    alerts: list[str] = field(default_factory=list[str])

    async def visit(self, page: str, button: str = "") -> float:
        """Go to a page; returns the seconds until its script has run to the end.

        button: the id of one that is pressed.
        """
        message = BackMsg()
        message.rerun_script.query_string = f"project={self.file}"
        message.rerun_script.page_name = page
        if button:
            pressed = message.rerun_script.widget_states.widgets.add()
            pressed.id, pressed.trigger_value = button, True
        self.buttons, self.alerts = {}, []
        started = time.monotonic()
        await self.socket.send(message.SerializeToString())
        while True:
            raw = await asyncio.wait_for(self.socket.recv(decode=False), LIMIT_S)
            answer = ForwardMsg()
            answer.ParseFromString(raw)
            self._read(answer)
            ended = answer.WhichOneof("type") == "script_finished"
            if ended and answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return time.monotonic() - started

    def _read(self, answer: ForwardMsg) -> None:
        """Keep what the page tells its canvas."""
        element = answer.delta.new_element
        if element.WhichOneof("type") == "exception":
            raise SystemExit(f"A page failed: {element.exception.message}")
        if element.WhichOneof("type") == "button" and not element.button.disabled:
            self.buttons[element.button.label] = element.button.id
        if element.WhichOneof("type") == "alert" and element.alert.format == Alert.ERROR:
            self.alerts.append(element.alert.body)
        component = element.bidi_component
        if component.component_name.endswith("canvas") and component.json:
            payload = json.loads(component.json)
            payload = payload.get("data", payload)
            self.canvas = {**self.canvas, **{k: v for k, v in payload.items() if v is not None}}

    async def edit(self) -> float:
        """Change a number that changes all shapes behind it; returns the seconds to the report."""
        self.revision += 1
        kernel = {"kernel_size": 3 + self.revision % 3, "out_channels": 4 + self.revision % 7}
        self.canvas["graph"]["nodes"]["conv1"]["settings"] |= kernel
        body = {
            "v": self.canvas["v"], "doc": self.canvas["doc"], "sid": self.canvas["sid"],
            "client": self.file, "epoch": self.canvas["epoch"], "rev": self.revision,
            "semRev": self.revision, "graph": self.canvas["graph"], "notes": None,
            "layout": self.canvas["layout"], "need": [], "action": None, "have": 0,
        }  # fmt: skip
        started = time.monotonic()
        reply = await asyncio.to_thread(self._post, json.dumps(body).encode())
        if reply["ackRev"] != self.revision or reply["annRev"] != self.revision:
            raise SystemExit(f"An edit was not answered: {reply}")
        return time.monotonic() - started

    def _post(self, body: bytes) -> dict[str, Any]:
        headers = {"x-ll-token": self.canvas["channel"], "content-type": "application/json"}
        request = urllib.request.Request(f"{self.address}/api/ll/canvas", body, headers)
        with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
            return json.loads(answer.read())

    async def act(self, number: int) -> None:
        """Do the next thing: three edits, then a page."""
        if number % 4 < 3:
            self.waits["edit"].append(await self.edit())
        else:
            page = PAGES[number // 4 % len(PAGES)]
            self.waits["page"].append(await self.visit(page))


async def sit_down(address: str, file: str) -> Student:
    """Open a tab on a project."""
    place = address.replace("http", "ws") + "/_stcore/stream"
    socket = await connect(
        place,
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
        origin=Origin(address),
        ping_interval=None,  # a browser sends none
    )
    student = Student(file, socket, address)
    await student.visit("build")
    student.revision = int(student.canvas["ackRev"])
    return student


async def works(student: Student, actions: int, every_s: float) -> None:
    """Do so many things, one each `every_s`, not in step with the others."""
    await asyncio.sleep(random.Random(student.file).uniform(0, every_s))
    for number in range(actions):
        started = time.monotonic()
        await student.act(number)
        await asyncio.sleep(max(0.0, every_s - (time.monotonic() - started)))


@dataclass(frozen=True)
class Lesson:
    """How much is done: actions of each, of the one alone before, seconds between, turns after."""

    actions: int = ACTIONS
    alone: int = ALONE
    every_s: float = EVERY_S
    turns: int = TURNS
    looping: bool = False


@dataclass
class Found:
    """What came of it: waits in seconds, seconds until all had sat down, memory in MB."""

    waits: dict[str, list[float]]
    seated_s: float
    memory_mb: float
    grown_mb: float


async def measure(address: str, pid: int, files: list[str], lesson: Lesson) -> Found:
    """One student alone, then all, then one who turns pages for long."""
    first = await sit_down(address, files[0])
    for page in PAGES:  # what is imported at the first visit is not what the others wait for
        await first.visit(page)
    await first.edit()
    await works(first, lesson.alone, min(1.0, lesson.every_s))
    alone = {f"{name}, alone": values for name, values in first.waits.items()}
    first.waits = {"edit": [], "page": []}
    started = time.monotonic()
    others = await asyncio.gather(*(sit_down(address, file) for file in files[1:]))
    seated = time.monotonic() - started
    students = [first, *others]
    work = [works(student, lesson.actions, lesson.every_s) for student in students]
    async with looping(address) if lesson.looping else contextlib.nullcontext():
        await asyncio.gather(*work)
    together = {
        f"{name}, {len(files)} at once": [t for student in students for t in student.waits[name]]
        for name in first.waits
    }
    held = memory_mb(pid)
    for turn in range(lesson.turns):
        await first.visit(PAGES[turn % len(PAGES)])
    return Found(alone | together, seated, held, memory_mb(pid) - held)


@contextlib.asynccontextmanager
async def looping(address: str) -> AsyncIterator[None]:
    """Meanwhile one more student edits a drawing whose own Python never ends."""
    student = await sit_down(address, LOOPING)

    async def edits() -> None:
        while True:
            await student.edit()

    task = asyncio.create_task(edits())
    try:
        yield
    finally:
        if task.done():
            task.result()  # it ended too early: what it raised
        task.cancel()


def write_looping(folder: Path) -> None:
    """The drawing of the student whose block loops; its Python is trusted."""
    made = json.loads(LENET.read_text("utf-8"))
    made["graph"]["nodes"]["tanh4"] = {"block": "Endless"}
    made["composites"] = {"Endless": {"python": ENDLESS}}
    (folder / LOOPING).write_text(json.dumps(made), "utf-8")
    trust.trust("\n".join(ENDLESS), "Endless")


def worst(found: list[float]) -> float:
    """The slowest of twenty."""
    return sorted(found)[min(len(found) - 1, int(0.95 * len(found)))]


def measured(count: int, lesson: Lesson = Lesson()) -> Found:
    """Measure a class of so many on a server of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        files = [f"student_{number:02}.loom.json" for number in range(count)]
        for file in files:
            shutil.copyfile(LENET, folder / file)
        os.environ |= {"LAYERLOOM_RUNS": str(folder / "runs"), "LAYERLOOM_WORKSPACE": str(folder)}
        os.environ |= {"LAYERLOOM_TOKEN": "", "LAYERLOOM_HOME": str(folder)}
        write_looping(folder)
        with server(folder / files[0], folder) as (address, pid):
            return asyncio.run(measure(address, pid, files, lesson))


def beside_a_loop(count: int, lesson: Lesson = Lesson()) -> str:
    """A sentence: how long edits of the others take with a block that loops, and without."""
    kind = f"edit, {count} at once"
    without, having = (
        worst(measured(count, replace(lesson, turns=0, looping=on)).waits[kind])
        for on in (False, True)
    )
    return (
        f"Edits of {count} students (95 of 100): {without:.3f} s; beside one whose block loops "
        f"{having:.3f} s, {having / without:.1f} times as long."
    )


def main(words: Sequence[str]) -> None:
    """Measure, print and write down."""
    load = os.getloadavg()[0]
    count = next((int(word) for word in words if word.isdecimal()), STUDENTS)
    if "--looping" in words:
        print(f"{beside_a_loop(count)} Load before: {load:.1f}.")
        return
    write(measured(count), load, count)


def write(found: Found, load: float, count: int) -> None:
    """Print the table and keep it."""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    rows = "\n".join(
        f"| {name} | {len(v)} | {statistics.median(v):.3f} | {worst(v):.3f} | {max(v):.3f} |"
        for name, v in found.waits.items()
    )
    ratios = ", ".join(
        f"{name} {worst(found.waits[f'{name}, {count} at once']) / worst(alone):.1f}"
        for name in ("edit", "page")
        if (alone := found.waits[f"{name}, alone"])
    )
    text = (
        f"# {count} students on one server\n\n"
        f"Measured on {day} by `python -m tests.bench.thirty_students` with "
        f"Streamlit {streamlit.__version__}, torch {torch.__version__}, "
        f"Python {platform.python_version()} on {os.cpu_count()} processors "
        f"(load before: {load:.1f}). Seconds.\n\n"
        "| | count | median | 95 of 100 | slowest |\n|---|---|---|---|---|\n"
        f"{rows}\n\nThe slowest of twenty, together against alone: {ratios} times. "
        f"All others sat down at the same moment and saw their drawing after {found.seated_s:.1f} "
        f"s. The server with its workers then holds {found.memory_mb:,.0f} MB; {TURNS} more turns "
        f"of pages add {found.grown_mb:.0f} MB.\n\n"
        f"Each has an own tab and does something every {EVERY_S:.0f} s: three edits, then a page "
        f"({', '.join(PAGES)} in turn). Nobody trains meanwhile. The students themselves run on "
        "the same processors.\n"
    )
    print(text)
    FIGURES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
