"""Small files that swell: what each takes until it is refused, or read where it may be.

Run: python -m tests.bench.bombs [NAME ...]; all of them are kept in bombs.md. Each is made in a
temporary folder and read in a process of its own, whose imports come before the clock. The peak is
of that whole process, Python and its libraries included.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.bomb_makers import BOMBS
from tests.bench.bomb_readers import READERS

FIGURES = Path(__file__).with_name("bombs.md")
MOST_S, MOST_MB = 5.0, 1000.0
LIMIT_S = 120


def timed(reader: str, path: Path) -> dict[str, Any]:
    """Read one file in this process: seconds, peak in MB, the base before it, and the sentence."""
    read = READERS[reader]()
    base, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, time.perf_counter()
    try:
        answer = f"read: {read(path)}"
    except Exception as error:
        answer = f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return {"seconds": seconds, "peak": peak, "base": base, "answer": answer.splitlines()[0][:200]}


def measured(name: str, folder: Path) -> dict[str, Any]:
    """Make one of the files and read it in another process."""
    reader, _ = BOMBS[name]
    command = [sys.executable, "-m", "tests.bench.bombs"]  # what made it would count for its reader
    made = subprocess.run([*command, "--make", name, str(folder)], capture_output=True, check=True)
    path = Path(made.stdout.decode().splitlines()[-1])
    size = sum(f.stat().st_size for f in path.rglob("*")) if path.is_dir() else path.stat().st_size
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "LAYERLOOM_HOME": str(folder / "home")}
    try:
        done = subprocess.run(
            [*command, "--read", reader, str(path)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        found = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
        found = {"seconds": LIMIT_S, "peak": 0.0, "base": 0.0, "answer": type(error).__name__}
    return {"name": name, "bytes": size, **found}


def table(rows: list[dict[str, Any]]) -> str:
    """The page: every file, how large it is, and what it took."""
    day = datetime.now(UTC).date()
    above = [r["name"] for r in rows if r["seconds"] > MOST_S or r["peak"] > MOST_MB]
    lines = [
        "# Files that swell",
        "",
        f"Measured on {day} by `python -m tests.bench.bombs`, which says what each column is: "
        f"{os.cpu_count()} processors (load before: {os.getloadavg()[0]:.1f}), "
        f"Python {platform.python_version()}. None may take more than {MOST_S:g} s and "
        f"{MOST_MB:,.0f} MB; above that: {', '.join(above) or 'none'}.",
        "",
        "| file | bytes | seconds | peak MB | of that before | what is said |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        said = row["answer"].replace("|", "/")[:160]
        lines.append(
            f"| {row['name']} | {row['bytes']:,} | {row['seconds']:.2f} | {row['peak']:.0f} | "
            f"{row['base']:.0f} | {said} |"
        )
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> None:
    """Measure the files that are named, or all and keep the table."""
    if words[:1] == ["--read"]:
        sys.stdout.write(json.dumps(timed(words[1], Path(words[2]))))
        return
    if words[:1] == ["--make"]:
        sys.stdout.write(f"{BOMBS[words[1]][1](Path(words[2]))}\n")
        return
    rows = []
    for name in words or BOMBS:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measured(name, Path(folder)))
        sys.stderr.write(f"{rows[-1]}\n")
    if not words:
        FIGURES.write_text(table(rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
