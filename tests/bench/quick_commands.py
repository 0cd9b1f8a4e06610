"""How long commands take that nobody wants to wait for, beside an older state of the code.

Run: python -m tests.bench.quick_commands [REPEATS] [FOLDER of the older state]; kept in
quick_commands.md. Both states take turns, command by command, so that both meet the same machine.
Processor time is of the command's own process and all that it started.
"""

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIGURES = Path(__file__).with_name("quick_commands.md")
LENET = "projects/lenet_digits.loom.json"
COMMANDS = {
    "--help": ["--help"],
    "--version": ["--version"],
    "new --list": ["new", "--list"],
    "runs": ["runs"],
    "blocks": ["blocks"],
    "diff": ["diff", LENET, "projects/mlp_iris.loom.json"],
    "merge": ["merge", LENET, LENET, LENET, "-o", "MERGED"],
    "git-diff --help": ["git-diff", "--help"],
    "check, the first time": ["check", LENET],
    "check, the file unchanged": ["check", LENET],
    "summary": ["summary", LENET],
}
"""In this order: each round has a home of its own, so that one check of the two is the first."""

Found = dict[tuple[str, str], list[tuple[float, float]]]


def timed(state: Path, words: Sequence[str], home: Path) -> tuple[float, float]:
    """Run a command of a state; seconds of wall and of processor."""
    given = [str(home / "merged.loom.json") if word == "MERGED" else word for word in words]
    environment = {**os.environ, "LAYERLOOM_HOME": str(home), "OMP_NUM_THREADS": "1"}
    before, started = os.times(), time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "app.cli", *given], cwd=state, env=environment, check=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wall, after = time.monotonic() - started, os.times()
    spent = after.children_user + after.children_system
    return wall, spent - before.children_user - before.children_system


def measured(states: dict[str, Path], repeats: int, commands: Sequence[str]) -> Found:
    """All commands so many times, the states by turns."""
    found: Found = {}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            for name in commands:
                for state, code in states.items():
                    home = Path(folder, state)
                    home.mkdir(exist_ok=True)
                    found.setdefault((name, state), []).append(timed(code, COMMANDS[name], home))
    return found


def table(found: Found, states: Sequence[str], load: float) -> str:
    """The text of quick_commands.md."""
    heads = [f"{state}, {what}" for state in states for what in ("wall", "processor")]
    rows: list[str] = []
    for name in dict.fromkeys(name for name, _ in found):
        cells = [
            f"{statistics.median(column):.2f}"
            for state in states
            for column in zip(*found[name, state], strict=True)
        ]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    repeats = len(next(iter(found.values())))
    return (
        "# Quick commands\n\n"
        f"Measured on {datetime.now(UTC).date()} by `python -m tests.bench.quick_commands`, which "
        f"says what each is: {os.cpu_count()} processors, load before {load:.1f}, Python "
        f"{platform.python_version()}, torch {version('torch')}. Seconds, medians of {repeats}.\n\n"
        f"| `layerloom` | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}\n"
        + "\n".join(rows)
        + "\n"
    )


def main(repeats: int = 5, older: str = "") -> None:
    """Measure, print it and write it down."""
    states = {"before": Path(older).resolve()} if older else {}
    states["now"] = ROOT
    load = os.getloadavg()[0]
    text = table(measured(states, repeats, list(COMMANDS)), list(states), load)
    sys.stdout.write(text)
    FIGURES.write_text(text, "utf-8")


if __name__ == "__main__":
    main(*(int(each) if each.isdecimal() else each for each in sys.argv[1:]))  # type: ignore[arg-type]
