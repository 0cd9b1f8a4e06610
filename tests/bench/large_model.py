"""The road of a large network: a published model, drawn, in 8 bits, compiled, each step timed.

    python -m tests.bench.large_model [--models resnet18 vit_b_16] [--forms onnx ...] [--out FILE]

By the commands that everybody has: `layerloom import torchvision:NAME`, then `layerloom export` to
each format, every one in a process of its own. Weights are torchvision's random ones, as nothing
is downloaded (those that begin as zeros are drawn), so differences are shown as shares of the
spread of the outputs of torch's network. Times are medians of one sample on one thread, torch's own
in turns with the file's.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import load_file, save_file

from core.export import FORMATS

MODELS = ("resnet18", "vit_b_16")
FORMS = [name for name in ("pt2", "onnx", "onnx-half", "onnx-int8", "aoti") if name in FORMATS]
OUT = Path(__file__).with_suffix(".md")
HEAD = (
    "| step | bytes | of it | ms a sample | beside torch | difference | of the spread | seconds |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|"
)
SPREAD = """
import sys, torch
from core import open_project
from core.export.subject import subject_of
from pathlib import Path
made = subject_of(open_project(Path(sys.argv[1])), Path(sys.argv[2]))
with torch.no_grad():
    print(float(made.module(*made.sample(4)).std()))
"""
Json = dict[str, Any]


def command(*words: str) -> tuple[Json, float]:
    """Run `layerloom`; its answer, and the seconds. A refusal is an answer, too."""
    began = time.perf_counter()
    line = [sys.executable, "-m", "app.cli", *words, "--json"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(line, capture_output=True, text=True, env=environment, check=False)
    if not done.stdout.strip():
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout), time.perf_counter() - began


def fill_zeros(weights: Path) -> None:
    """Draw weights that torchvision begins with as zeros: the last layer of a vision transformer,
    whose outputs are all zero then, so that nothing could be compared."""
    with safe_open(weights, "pt") as file:
        metadata = file.metadata()
    state = load_file(weights)
    for tensor in state.values():
        if tensor.dim() > 1 and not tensor.any():
            tensor.normal_(std=0.02)
    save_file(state, weights, metadata)


def road(model: str, forms: Sequence[str], folder: Path) -> list[str]:
    """Import a model and export it; the rows of its table."""
    file, weights = folder / f"{model}.loom.json", folder / f"{model}.safetensors"
    reply, seconds = command("import", f"torchvision:{model}", "-o", str(file))
    if not file.exists():
        raise RuntimeError(f"{model}: {reply}")
    fill_zeros(weights)
    whole = weights.stat().st_size
    asked = [sys.executable, "-c", SPREAD, str(file), str(weights)]
    spread = float(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
    rows = [f"| drawing and weights, as imported | {whole:,} | 100% | | | | | {seconds:.0f} |"]
    for form in forms:
        out = folder / f"{model}.{form}"
        given = ("--weights", str(weights), "--format", form, "-o", str(out))
        answer, seconds = command("export", str(file), *given)
        rows.append(row(form, answer, whole, spread, seconds))
        out.unlink(missing_ok=True)
    return rows


def row(form: str, answer: Json, whole: int, spread: float, seconds: float) -> str:
    """What an export said of itself, as a row."""
    if not answer["ok"]:
        return f"| {form} | no: {answer['error']['message']} | | | | | | {seconds:.0f} |"
    times = answer["quality"]["latency_ms"]["1"]
    apart = answer["max_difference"]
    cells = [
        form, f"{answer['size_bytes']:,}", f"{answer['size_bytes'] / whole:.0%}",
        f"{times['file']:.0f} (torch {times['torch']:.0f})",
        f"{times['file'] / times['torch']:.2f}x", f"{apart:.1e}", f"{apart / spread:.1e}",
        f"{seconds:.0f}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Go the road with each model and write the table after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--forms", nargs="+", default=FORMS)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args(arguments)
    about = (
        "Written by `python -m tests.bench.large_model`. Random weights of torchvision; one "
        "thread; seconds are those of the whole command."
    )
    text = ["# The road of a large network", about]
    for model in args.models:
        with tempfile.TemporaryDirectory() as folder:
            rows = road(model, args.forms, Path(folder))
        text.append(f"## {model}\n\n" + "\n".join([HEAD, *rows]))
        args.out.write_text("\n\n".join(text) + "\n", "utf-8")


if __name__ == "__main__":
    main()
