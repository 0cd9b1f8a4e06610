"""Execute a card's text as a user would, in a separate process, and report the outcome.

    python -I process.py FOLDER

FOLDER has card.py and job.json: {"names": variables to hand out, "memory": bytes or null,
"cpu_s": seconds of processor time}. Prints a line of JSON: {"values", "printed", "seconds"}, or
{"error", "line"}. Imports nothing of Layerloom. Ends, and takes FOLDER with it, when its standard
input closes.
"""
# ruff: noqa: T201

import contextlib
import io
import json
import os
import resource
import runpy
import shutil
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

MOST = 100_000
"""Largest count of numbers in one returned variable; a picture needs fewer."""
FILE_BYTES = 1 << 30


def main(folder: Path) -> None:
    """Execute the text of a folder, in it."""
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    job = json.loads((folder / "job.json").read_text("utf-8"))
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (job["cpu_s"], job["cpu_s"] + 1))
    if job["memory"]:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (job["memory"], hard))
    answer = execute(folder / "card.py", job["names"])
    print(json.dumps(answer), flush=True)


def execute(text: Path, names: list[str]) -> dict[str, Any]:
    """Run a card; returns its printed text and variables, or its error."""
    printed, began = io.StringIO(), time.perf_counter()
    try:
        with contextlib.redirect_stdout(printed):
            left = runpy.run_path(str(text), run_name="__main__")
        values = {name: plain(left[name]) for name in names}
    except BaseException as error:  # torch and own Python raise every kind
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(text)]
        first = str(error).strip().partition("\n")[0]
        kind = type(error).__name__
        return {"error": f"{kind}: {first}" if first else kind, "line": lines[-1] if lines else 0}
    seconds = time.perf_counter() - began
    return {"values": values, "printed": printed.getvalue(), "seconds": seconds}


def plain(value: Any) -> Any:
    """A value as JSON has it: tensors and tuples as lists. Raises ValueError for one too large."""
    if hasattr(value, "detach"):
        if value.numel() > MOST:
            raise ValueError(f"a variable holds {value.numel():,} numbers; the most is {MOST:,}")
        return value.detach().cpu().tolist()
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        if len(value) > MOST:
            raise ValueError(f"a variable holds {len(value):,} values; the most is {MOST:,}")
        return [plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _end_with_parent(folder: Path) -> None:
    while os.read(0, 1):  # not sys.stdin: its lock would be held in processes forked by a card
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
