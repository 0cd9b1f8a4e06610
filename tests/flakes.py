"""Find tests that fail now and then: `python -m tests.flakes [TIMES] [--tier all]`.

Runs the tests of processes and with a browser again and again while two busy processes load the
machine, without second tries, and writes a table of what failed how often, and how, to
out/flakes.md.
"""
# ruff: noqa: T201

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

from tests.chromium import VARIABLE, chromium_path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "out" / "flakes.md"
LOAD = 2
ALL_PASSED, SOME_FAILED = 0, 1  # exit statuses of pytest
HEAD = "| failed | of | test | last message |\n|---|---|---|---|"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return how many tests failed at least once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("times", nargs="?", type=int, default=5)
    parser.add_argument("--tier", default="gate", choices=["gate", "all"])
    args = parser.parse_args(arguments)
    if not chromium_path():
        print("No Chromium: the tests with a browser are left out.")
    failures = defaultdict[str, list[str]](list)
    with loaded(), tempfile.TemporaryDirectory() as folder:
        for number in range(args.times):
            for test, message in run(args.tier, Path(folder, str(number))):
                failures[test].append(message)
            print(f"{number + 1} of {args.times}: {len(failures)} tests failed so far", flush=True)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(table(failures, args.times), "utf-8")
    print(OUT.read_text("utf-8"))
    return len(failures)


@contextmanager
def loaded() -> Iterator[None]:
    """Keep the machine busy."""
    busy = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(LOAD)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.kill()


def _spin() -> None:
    while True:
        pass


def run(tier: str, results: Path) -> Iterator[tuple[str, str]]:
    """Run the tests once; yield those that failed, with the first line of why."""
    parts = ("alone", "browser") if (browser := chromium_path()) else ("alone",)
    for part in parts:
        file = Path(f"{results}-{part}.xml")
        command = [sys.executable, "-m", "pytest", f"--tier={tier}", f"--part={part}", "-n", "2",
                   "--dist=loadfile", "-p", "no:rerunfailures", f"--junitxml={file}"]  # fmt: skip
        if part == "browser":
            command.append("tests/browser")
        env = {**os.environ, "OMP_NUM_THREADS": "1", VARIABLE: browser}
        status = subprocess.run(command, cwd=ROOT, check=False, env=env).returncode
        if status not in (ALL_PASSED, SOME_FAILED):
            raise SystemExit(f"The tests could not be run: pytest ended with status {status}.")
        yield from failed(file)


def failed(results: Path) -> Iterator[tuple[str, str]]:
    for case in ElementTree.parse(results).iter("testcase"):
        for kind in ("failure", "error"):
            if (why := case.find(kind)) is not None:
                message = (why.get("message") or kind).splitlines()[0][:160]
                yield f"{case.get('classname')}::{case.get('name')}", message.replace("|", "\\|")


def table(failures: dict[str, list[str]], times: int) -> str:
    rows = sorted(failures.items(), key=lambda row: -len(row[1]))
    lines = [f"| {len(why)} | {times} | {test} | {why[-1]} |" for test, why in rows]
    return "\n".join([HEAD, *lines, ""])


if __name__ == "__main__":
    sys.exit(min(main(), 1))
