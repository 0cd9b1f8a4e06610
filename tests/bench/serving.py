"""What sharing batches is worth: `layerloom serve` asked by many at once, against one by one.

    python -m tests.bench.serving [--requests 1000] [--clients 200] [--out tests/bench/serving.md]

Three servers of the same network, each a process of its own: one client after another; many at
once with batches; many at once where each request runs alone (`--max-batch 1`). Requests are one
sample as raw float32. Only ratios mean something: client and server share the machine.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from core.project import write_text
from core.project.templates import load_template

FLOATS = {"content-type": "application/octet-stream"}


@contextmanager
def server(template: str, *options: str) -> Iterator[tuple[str, int]]:
    """A server of a template with random weights: host and port."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "net.loom.json")
        file.write_text(write_text(load_template(template)), "utf-8")
        command = [sys.executable, "-m", "app.cli", "serve", str(file), "--json", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True)  # fmt: skip
        assert process.stdout is not None
        try:
            text = ""
            while "}" not in text:
                line = process.stdout.readline()
                assert line, process.wait()
                text += line
            host, _, port = json.loads(text)["address"].removeprefix("http://").rpartition(":")
            yield host, int(port)
        finally:
            process.terminate()
            process.wait(60)


class Clients:
    """Connections that stay open, one for each thread."""

    def __init__(self, host: str, port: int, body: bytes) -> None:
        self.host, self.port, self.body, self.local = host, port, body, threading.local()

    def ask(self, _: int = 0) -> float:
        """One prediction; the seconds it took."""
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        began = time.perf_counter()
        self.local.connection.request("POST", "/predict", self.body, FLOATS)
        response = self.local.connection.getresponse()
        body = response.read()
        assert response.status == 200, body
        return time.perf_counter() - began


def sample_bytes(host: str, port: int) -> int:
    """How many bytes a sample has, as the server's document says."""
    connection = http.client.HTTPConnection(host, port, timeout=120)
    connection.request("GET", "/openapi.json")
    paths = json.loads(connection.getresponse().read())["paths"]
    body = paths["/predict"]["post"]["requestBody"]["content"][FLOATS["content-type"]]
    return int(body["schema"]["description"].split()[2].replace(",", ""))


def measured(host: str, port: int, requests: int, clients: int) -> tuple[float, float]:
    """Requests a second, and the median milliseconds of one."""
    asking = Clients(host, port, bytes(sample_bytes(host, port)))
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(asking.ask, range(clients)))  # connections, and torch's first pass
        began = time.perf_counter()
        taken = list(pool.map(asking.ask, range(requests)))
        wall = time.perf_counter() - began
    return requests / wall, median(taken) * 1e3


def rows(template: str, requests: int, clients: int) -> dict[str, tuple[float, float]]:
    """All three ways."""
    found: dict[str, tuple[float, float]] = {}
    with server(template) as place:
        found["one by one"] = measured(*place, requests, 1)
        found[f"{clients} at once, batches of up to 64"] = measured(*place, requests, clients)
    with server(template, "--max-batch", "1", "--window-ms", "0") as place:
        found[f"{clients} at once, each alone"] = measured(*place, requests, clients)
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
    parser.add_argument("--out", type=Path)
    args = parser.parse_args(arguments)
    found = rows(args.template, args.requests, args.clients)
    text = table(args.template, args.requests, found)
    sys.stdout.write(text)
    if args.out:
        args.out.write_text("# Serving\n\n" + text, "utf-8")


if __name__ == "__main__":
    main()
