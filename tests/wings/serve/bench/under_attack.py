"""What an honest client of a served network notices of 32 hostile ones, and what they cost memory.

    python -m tests.wings.serve.bench.under_attack [--seconds 2]
        [--share] [--out tests/wings/serve/bench/under_attack.md]

For `layerloom serve` and for an exported server folder. An honest client asks for one sample after
another: alone, beside 32 hostile clients of one kind, alone again, and so on; the quotient is of
the 95th percentile beside them and that of the two rests around it. Memory is the most that the
server and its processes have while attacked, over what it has after its first answers. Hostile
clients are other machines, which take none of the server's cores: here half of the cores are
theirs, the others are the server's and the honest client's, attacked or not; with `--share` all
share all.
"""

import argparse
import base64
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from core.export.run import export_subject
from core.export.subject import subject_of
from core.project import write_text
from core.project.templates import load_template

JSON, CLIENTS, MB = "application/json", 32, 1 << 20
HEAD = b"POST /predict HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
HONEST = {
    "lenet_digits": {"image": [0.5] * 64},
    "mlp_iris": {"features": [5.1, 3.5, 1.4, 0.2]},
    "rnn_letter_names": {"name": "Ada"},
}


@dataclass(frozen=True)
class Attack:
    """A kind of hostile request: its body, and how it is sent."""

    name: str
    template: str
    media: str
    body: bytes
    how: str = "whole"


@dataclass(frozen=True)
class Row:
    """What came of one kind: percentiles in ms, MB over the model, answers by status."""

    door: str
    name: str
    alone: float
    beside: float
    middle: float
    memory: float
    answers: dict[str, int]


def bomb(side: int) -> bytes:
    """A white PNG of side x side pixels with an alpha channel, packed small."""
    head = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    packer = zlib.compressobj(9)
    line = b"\0" + b"\xff" * 4 * side
    data = b"".join(packer.compress(line) for _ in range(side)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part))
        for kind, part in ((b"IHDR", head), (b"IDAT", data), (b"IEND", b""))
    )


def samples(*each: object) -> bytes:
    return json.dumps({"samples": each}).encode()


def attacks() -> Iterator[Attack]:
    """All kinds."""
    digits, rows, names = HONEST
    large, small = bomb(7000), bomb(1000)
    several = samples(*[{"image": base64.b64encode(small).decode()}] * 64)
    yield Attack("PNG of 49 megapixels", digits, "image/png", large)
    yield Attack("64 PNGs of 1 megapixel in JSON", digits, JSON, several)
    yield Attack("PNG cut off", digits, "image/png", large[: len(large) // 2])
    yield Attack("15 MB of numbers", digits, JSON, samples({"image": [0.12345] * 1_700_000}))
    yield Attack("15 MB of brackets", digits, JSON, b'{"samples": [' + b"[]," * 5_000_000 + b"1]}")
    yield Attack("20 MB", digits, JSON, bytes(20 * MB))
    yield Attack("nested 30,000 times", digits, JSON, b"[" * 30_000)
    yield Attack("64 samples", digits, JSON, samples(*[HONEST[digits]] * 64))
    yield Attack("half a body", digits, JSON, samples(HONEST[digits]), "half")
    yield Attack("a byte each 0.2 s", digits, JSON, samples(HONEST[digits]), "drops")
    yield Attack("a head of 16,000 lines", digits, JSON, HEAD + b"a:\r\n" * 16_000, "raw")
    yield Attack("chunks of one byte", digits, JSON, CHUNKED + b"1\r\n[\r\n" * 200_000, "raw")
    yield Attack("15 MB of rows", rows, "text/csv", b"1,1,1,1\n" * (15 * MB // 8))
    yield Attack("one row of 15 MB", rows, "text/csv", b"1," * (15 * MB // 2))
    yield Attack("15 MB of letters", names, "text/plain", b"a" * 15 * MB)


@contextmanager
def command(template: str, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`layerloom serve` of a template with random weights: its process and its port."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "net.loom.json")
        file.write_text(write_text(load_template(template)), "utf-8")
        words = ["-m", "app.cli", "serve", str(file), *options]
        with _started(words, Path.cwd(), "is served at http://") as found:
            yield found


@contextmanager
def exported(template: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The exported folder of a template: its process and its port."""
    with tempfile.TemporaryDirectory() as folder:
        made = export_subject(subject_of(load_template(template)), "server", Path(folder, "a.zip"))
        with zipfile.ZipFile(made.path) as archive:
            archive.extractall(folder)
        beside = next(Path(folder).glob("*_server"))
        with _started(["serve.py", "--port", "0"], beside, "running on http://") as found:
            yield found


DOORS = {"layerloom serve": command, "exported folder": exported}


@contextmanager
def _started(
    words: list[str], folder: Path, mark: str
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server, once it says its address; what it says later is read and dropped."""
    process = subprocess.Popen(
        [sys.executable, *words], cwd=folder, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout
    try:
        line = next(line for line in process.stdout if mark in line)
        port = line.partition(mark)[2].split()[0].strip("/").rpartition(":")[2]
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield process, int(port)
    finally:
        process.kill()
        process.wait()


class Memory:
    """The most memory of a server and its processes, watched in a thread."""

    def __init__(self, number: int) -> None:
        self.number, self.most, self._ended = number, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def now(self) -> int:
        """Bytes; what processes share is counted once for each."""
        return sum(map(resident, family(self.number)))

    def _watch(self) -> None:
        while not self._ended.wait(0.02):
            self.most = max(self.most, self.now())

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()


def family(number: int) -> list[int]:
    """A process and those that it began, by number (Linux)."""
    try:
        texts = [each.read_text() for each in Path(f"/proc/{number}/task").glob("*/children")]
    except OSError:
        return [number]
    return [number, *(n for text in texts for each in text.split() for n in family(int(each)))]


def resident(number: int) -> int:
    """Bytes that a process has in memory; 0 for one that has ended."""
    try:
        return int(Path(f"/proc/{number}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def clients(what: str, port: int, count: int, seconds: float, media: str, file: Path,
            *how: str) -> subprocess.Popen[str]:  # fmt: skip
    """Clients in a process of their own, which prints JSON at its end."""
    words = [what, "127.0.0.1", port, count, seconds, media, file, *how]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.wings.serve.bench.http_clients", *map(str, words)],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@contextmanager
def cores(share: bool) -> Iterator[tuple[set[int], str]]:
    """The cores of hostile clients, and who has which in words; what begins here has the others."""
    everybody = os.sched_getaffinity(0)
    middle = (len(everybody) + 1) // 2
    ours, theirs = {*sorted(everybody)[:middle]}, {*sorted(everybody)[middle:]}
    words = (
        f"Server and honest client have {len(ours)} of the cores, hostile clients {len(theirs)}."
    )
    if share or not theirs:
        ours, theirs, words = everybody, everybody, f"All share {len(everybody)} cores."
    os.sched_setaffinity(0, ours)
    try:
        yield theirs, words
    finally:
        os.sched_setaffinity(0, everybody)


def result(process: subprocess.Popen[str]) -> object:
    text, _ = process.communicate()
    assert process.returncode == 0, text
    return json.loads(text)


def honest(port: int, seconds: float, file: Path) -> list[float]:
    """Milliseconds of each answer to an honest client."""
    found = result(clients("ask", port, 1, seconds, JSON, file))
    assert isinstance(found, list)
    return [1e3 * each for each in found]


def p95(taken: Sequence[float]) -> float:
    return quantiles(taken, n=20)[-1]


def rows(door: str, kinds: Sequence[Attack], seconds: float, theirs: set[int]) -> Iterator[Row]:
    """Attack the server of one network with each kind, from some of the cores."""
    template = kinds[0].template
    with DOORS[door](template) as (process, port), tempfile.TemporaryDirectory() as folder:
        asked, sent = Path(folder, "honest"), Path(folder, "hostile")
        asked.write_bytes(samples(HONEST[template]))
        memory = Memory(process.pid)
        before, model = honest(port, seconds, asked), memory.now()
        for kind in kinds:
            sent.write_bytes(kind.body)
            with Memory(process.pid) as watched:
                hostile = clients("attack", port, CLIENTS, seconds + 2, kind.media, sent, "--how",
                                  kind.how)  # fmt: skip
                os.sched_setaffinity(hostile.pid, theirs)
                beside = honest(port, seconds, asked)
                answers = result(hostile)
            after = honest(port, seconds, asked)
            assert isinstance(answers, dict)
            yield Row(door, kind.name, p95(before + after), p95(beside), median(beside),
                      (watched.most - model) / MB, answers)  # fmt: skip
            before = after


def table(found: Sequence[Row], seconds: float, words: str) -> str:
    """The rows as Markdown."""
    lines = [
        f"One honest client beside {CLIENTS} hostile ones, {seconds:g} s each, random weights. "
        f"{words}",
        "",
        "| server | hostile | p95 alone ms | p95 beside ms | quotient | median beside ms "
        "| MB over the model | what they got |",
        "|---|---|---|---|---|---|---|---|",
        *(
            f"| {row.door} | {row.name} | {row.alone:.1f} | {row.beside:.1f} "
            f"| {row.beside / row.alone:.2f} | {row.middle:.1f} | {row.memory:.0f} "
            f"| {', '.join(f'{count} x {name}' for name, count in row.answers.items())} |"
            for row in found
        ),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Attack both servers and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--kinds", default="", help="only kinds whose names hold this")
    parser.add_argument("--door", choices=DOORS, action="append")
    parser.add_argument("--share", action="store_true", help="hostile clients share all cores")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args(arguments)
    kinds = [kind for kind in attacks() if args.kinds in kind.name]
    with cores(args.share) as (theirs, words):
        found = [*measured(args.door or [*DOORS], kinds, args.seconds, theirs)]
    text = table(found, args.seconds, words)
    sys.stdout.write(text)
    if args.out:
        args.out.write_text("# Serving under attack\n\n" + text, "utf-8")


def measured(
    doors: Sequence[str], kinds: Sequence[Attack], seconds: float, theirs: set[int]
) -> Iterator[Row]:
    """Each door under each kind of attack, shown on the way."""
    for door in doors:
        for template in HONEST:
            if of_it := [kind for kind in kinds if kind.template == template]:
                for row in rows(door, of_it, seconds, theirs):
                    sys.stderr.write(f"{row}\n")
                    yield row


if __name__ == "__main__":
    main()
