"""Execute texts of cards by `python -I`, each in a fork of its own: torch is imported once for all.

    python -I alone.py

Reads the path of a NAME.py from each line of its input, runs it in an empty folder, writes
NAME.json, {"values", "printed"} or {"error"}, and prints the path. NAME.names lists the
variables that are looked at.
"""

import contextlib
import io
import json
import os
import runpy
import sys
import tempfile
import traceback
from pathlib import Path


def main() -> None:
    import sklearn.datasets
    import torch
    import torch._dynamo

    assert sklearn.datasets

    torch.set_num_threads(1)
    warm = torch.nn.ReLU(), torch.zeros(1)
    torch._dynamo.explain(warm[0])(warm[1])  # what tracers import late: once for all
    torch.export.export(warm[0], warm[1:])
    torch._dynamo.reset()
    for line in iter(sys.stdin.readline, ""):
        text = Path(line.strip())
        child = os.fork()
        if child == 0:
            os.dup2(2, 1)  # what a compiler says is no answer
            torch.set_num_threads(1)  # else two threads of autograd may both renew the pool
            output = executed(text, text.with_suffix(".names").read_text("utf-8").split())
            text.with_suffix(".json").write_text(json.dumps(output), "utf-8")
            os._exit(0)
        os.waitpid(child, 0)
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def executed(text: Path, names: list[str]) -> dict[str, object]:
    printed = io.StringIO()
    try:
        with tempfile.TemporaryDirectory() as empty, contextlib.redirect_stdout(printed):
            os.chdir(empty)
            left = runpy.run_path(str(text), run_name="__main__")
            os.chdir("/")
        values = {name: plain(left[name]) for name in names}
        return {"values": values, "printed": printed.getvalue()}
    except BaseException:
        return {"error": traceback.format_exc()}


def plain(value: object) -> object:
    if hasattr(value, "tolist"):
        return value.tolist()  # type: ignore[attr-defined]
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


if __name__ == "__main__":
    main()
