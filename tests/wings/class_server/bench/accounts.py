"""Accounts behind one front door: `python -m tests.wings.class_server.bench.accounts [N]`.

Each account has a workbench of its own and does something every 10 s: three edits of LeNet, then a
turn to another page. The same is done before by one account alone, in the same run. N: how many
accounts, 12 without; each workbench takes some 0.8 GB. Writes accounts.md.
"""
# ruff: noqa: T201

import asyncio
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.typing import Origin, Subprotocol

from core.wings.class_server import roster
from core.wings.class_server.seats import PREFIX
from core.worker import child_process
from tests.bench.thirty_students import LENET, LIMIT_S, PAGES, Student, works

FIGURES = Path(__file__).with_name("accounts.md")
HEADER = "x-person"
ACTIONS, ALONE, EVERY_S = 8, 24, 10.0
FILE = "lenet.loom.json"


class Account(Student):
    """A student whom a proxy names."""

    name = ""

    def _post(self, body: bytes) -> dict[str, Any]:
        headers = {"x-ll-token": self.canvas["channel"], "content-type": "application/json"}
        headers[HEADER] = self.name
        request = urllib.request.Request(f"{self.address}/api/ll/canvas", body, headers)
        with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
            return json.loads(answer.read())


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
    account = Account(FILE, socket, address)
    account.name = name
    await account.visit("build")
    account.revision = int(account.canvas["ackRev"])
    return account


async def measure(origin: str, names: list[str]) -> tuple[dict[str, list[float]], float]:
    """The waits of one alone and of all, and the seconds until all had sat down."""
    first = await sit_down(origin, names[0])
    for page in PAGES:  # what is imported at the first visit is not what the others wait for
        await first.visit(page)
    await works(first, ALONE, 1.0)
    waits = {f"{kind}, alone": values for kind, values in first.waits.items()}
    first.waits = {"edit": [], "page": []}
    begun, all_of_them = time.monotonic(), [first]
    for name in names[1:]:  # as people come into a room
        all_of_them.append(await sit_down(origin, name))
    seated = time.monotonic() - begun
    for each in all_of_them[1:]:
        for page in PAGES:
            await each.visit(page)
    await asyncio.gather(*(works(each, ACTIONS, EVERY_S) for each in all_of_them))
    for kind in ("edit", "page"):
        waits[f"{kind}, all at once"] = [s for each in all_of_them for s in each.waits[kind]]
    return waits, seated


def main(count: int) -> None:
    """Serve a class, measure, write the figures."""
    with tempfile.TemporaryDirectory() as place:
        folder, names = Path(place) / "class", [f"s{number}" for number in range(count)]
        roster.add(folder, names)
        for name in names:
            work = folder / roster.WORK / name
            work.mkdir(parents=True)
            shutil.copy(LENET, work / FILE)
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
            waits, seated = asyncio.run(measure(origin, names))
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                server.kill()
    FIGURES.write_text(written(count, waits, seated), "utf-8")
    print(FIGURES.read_text("utf-8"))


def written(count: int, waits: dict[str, list[float]], seated: float) -> str:
    """The table."""
    lines = [f"# {count} accounts behind one front door", ""]
    lines += [
        "Written by `python -m tests.wings.class_server.bench.accounts`, which says how. Seconds."
    ]
    lines += ["", "| | count | median | 95 of 100 | slowest |", "|---|---|---|---|---|"]
    tails = {}
    for kind, values in waits.items():
        ordered = sorted(values)
        tails[kind] = ordered[int(0.95 * (len(ordered) - 1))]
        cells = ordered[len(ordered) // 2], tails[kind], ordered[-1]
        lines.append(f"| {kind} | {len(ordered)} | " + " | ".join(f"{c:.3f}" for c in cells) + " |")
    ratio = tails["edit, all at once"] / tails["edit, alone"]
    lines += ["", f"Edits, the slowest of twenty: all against alone {ratio:.1f} times. "]
    lines[-1] += f"The others came one after the other and had all sat down after {seated:.0f} s."
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
