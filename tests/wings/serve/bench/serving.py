"""What sharing batches is worth: `layerloom serve` asked by many at once, against one by one.

    python -m tests.wings.serve.bench.serving [--requests 1000] [--clients 200]
        [--out tests/wings/serve/bench/serving.md]

First beside LitServe, where it is installed: the same network, requests of one sample as JSON from
clients in a process of their own, which keep their connections; the two servers in turn.

Then three servers of the same network, each a process of its own: one client after another; many at
once with batches; many at once where each request runs alone (`--max-batch 1`). Requests are one
sample as raw float32. Only ratios mean something: client and server share the machine.
"""

import argparse
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from math import prod
from pathlib import Path
from statistics import median, quantiles

from core.export.interface import interface_of
from core.export.subject import subject_of
from core.project.templates import load_template
from core.samples.inputs import data_shape
from tests.wings.serve.bench.under_attack import clients, command, result

FLOATS = {"content-type": "application/octet-stream"}


class Clients:
    """Connections that stay open, one for each thread."""

    def __init__(self, port: int, body: bytes) -> None:
        self.port, self.body, self.local = port, body, threading.local()

    def ask(self, _: int = 0) -> float:
        """One prediction; the seconds it took."""
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        began = time.perf_counter()
        self.local.connection.request("POST", "/predict", self.body, FLOATS)
        response = self.local.connection.getresponse()
        body = response.read()
        assert response.status == 200, body
        return time.perf_counter() - began


@contextmanager
def litserve_server(template: str) -> Iterator[int]:
    """The same network behind LitServe: its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "tests.wings.serve.bench.litserve_server", template, str(port)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)  # fmt: skip
    try:
        while not _answers(port):
            assert process.poll() is None
            time.sleep(0.2)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # its workers do not end with it
        process.wait()


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with suppress(OSError):
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    return False


def side_by_side(template: str, counts: Sequence[int], seconds: float, rounds: int) -> list[str]:
    """Both servers in turn, as lines of Markdown."""
    if find_spec("litserve") is None:
        return ["LitServe is not installed and left out (pip install -e .[bench]).", ""]
    lines = [
        f"{template}, random weights, {rounds} x {seconds:g} s each in turn, requests of one "
        "sample as JSON.",
        "",
        "| clients | server | requests/s | against LitServe | median ms | p95 ms | p95 / median |",
        "|---|---|---|---|---|---|---|",
    ]
    with command(template) as (_, ours), litserve_server(template) as theirs:
        for count in counts:
            lines += _rows_of(count, {"LitServe": theirs, "layerloom serve": ours}, template,
                              seconds, rounds)  # fmt: skip
    return [*lines, ""]


def _rows_of(count: int, ports: dict[str, int], template: str, seconds: float,
             rounds: int) -> list[str]:  # fmt: skip
    """Both servers with as many clients."""
    taken: dict[str, list[float]] = {name: [] for name in ports}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sample.json")
        spec = interface_of(subject_of(load_template(template))).json()["inputs"][0]
        values = [0.5] * prod(data_shape(spec))
        file.write_text(json.dumps({"samples": [{spec["name"]: values}]}), "utf-8")
        for _ in range(rounds):
            for name, port in ports.items():
                found = result(clients("ask", port, count, seconds, "application/json", file))
                assert isinstance(found, list)
                taken[name] += found
    lines, first = list[str](), len(taken["LitServe"])
    for name, each in taken.items():
        middle, late = 1e3 * median(each), 1e3 * quantiles(each, n=20)[-1]
        lines.append(
            f"| {count} | {name} | {len(each) / seconds / rounds:.0f} | {len(each) / first:.2f} "
            f"| {middle:.1f} | {late:.1f} | {late / middle:.2f} |"
        )
    return lines


def sample_bytes(port: int) -> int:
    """How many bytes a sample has, as the server's document says."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", "/openapi.json")
    paths = json.loads(connection.getresponse().read())["paths"]
    body = paths["/predict"]["post"]["requestBody"]["content"][FLOATS["content-type"]]
    return int(body["schema"]["description"].split()[2].replace(",", ""))


def measured(port: int, requests: int, clients: int) -> tuple[float, float]:
    """Requests a second, and the median milliseconds of one."""
    asking = Clients(port, bytes(sample_bytes(port)))
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(asking.ask, range(clients)))  # connections, and torch's first pass
        began = time.perf_counter()
        taken = list(pool.map(asking.ask, range(requests)))
        wall = time.perf_counter() - began
    return requests / wall, median(taken) * 1e3


def rows(template: str, requests: int, clients: int) -> dict[str, tuple[float, float]]:
    """All three ways."""
    found: dict[str, tuple[float, float]] = {}
    with command(template) as (_, port):
        found["one by one"] = measured(port, requests, 1)
        found[f"{clients} at once, batches of up to 64"] = measured(port, requests, clients)
    with command(template, "--max-batch", "1", "--window-ms", "0") as (_, port):
        found[f"{clients} at once, each alone"] = measured(port, requests, clients)
    return found


def table(template: str, requests: int, found: dict[str, tuple[float, float]]) -> str:
    """The rows as Markdown, against one by one."""
    first = next(iter(found.values()))[0]
    lines = [
        f"{requests} requests of one sample (raw float32) to {template}, random weights. "
        "Client and server share the machine.",
        "",
        "| asked | requests/s | against one by one | median ms |",
        "|---|---|---|---|",
        *(f"| {name} | {rate:.0f} | {rate / first:.2f} | {ms:.1f} |"
          for name, (rate, ms) in found.items()),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--template", default="resnet_digits")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--counts", type=int, nargs="*", default=[1, 64, 200])
    parser.add_argument("--out", type=Path)
    args = parser.parse_args(arguments)
    beside = side_by_side(args.template, args.counts, args.seconds, args.rounds)
    found = rows(args.template, args.requests, args.clients)
    text = "\n".join([*beside, table(args.template, args.requests, found)])
    sys.stdout.write(text)
    if args.out:
        args.out.write_text("# Serving\n\n" + text, "utf-8")


if __name__ == "__main__":
    main()
