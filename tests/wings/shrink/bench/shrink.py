"""What each way to make a network smaller gives: LeNet, a small ResNet, a small Transformer.

    python -m tests.wings.shrink.bench.shrink    # some minutes; writes shrink.md beside this file

Each template is trained as it stands, then every way is tried on it in one run, with the numbers
that `layerloom shrink` measures. Times are medians on one thread, the network's own in turns with
the smaller one's, so that a busy machine slows both: the ratio is what to read.
"""

import argparse
import platform
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from core import open_project
from core.analyse import analyse_project
from core.prepare.create import prepare
from core.wings.shrink.catalogue import tries_of
from core.wings.shrink.rows import Row, front
from core.wings.shrink.run import shrink
from core.wings.shrink.words import metric, size
from tests.core.small_runs import train_here

HERE = Path(__file__).parent
PROJECTS = HERE.parents[3] / "projects"
NETWORKS = ("lenet_digits", "resnet_digits", "transformer_digits")
WAYS = (
    "onnx-int8", "onnx-int8-dynamic", "onnx-half", "structured:0.3", "structured:0.5", "distil:0.5",
    "low-rank:0.5", "unstructured:0.5", "unstructured:0.8", "fuse", "torchao-weights",
    "torchao-dynamic", "pt2e", "pt2e-qat",
)  # fmt: skip
HEAD = (
    "| try | bytes | of it | metric | points | 1 sample | 64 samples | memory | difference |"
    " changed | front |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"
)


def tried(
    name: str, ways: Sequence[str], epochs: int | None, folder: Path, least: int
) -> list[Row]:
    """Train a template and try the ways on it. least: epochs of training at most, 0 for its own."""
    project = open_project(PROJECTS / f"{name}.loom.json")
    asked = {"threads": 1, **({"epochs": least} if least else {})}
    run = prepare(project, analyse_project(project), folder, asked)
    train_here(run)
    return list(shrink(run, tries_of(ways, epochs)))


def table(rows: Sequence[Row]) -> str:
    """The rows of one network, in Markdown."""
    whole, best = rows[0], front(rows, "size_bytes")
    lines = [HEAD]
    for row in rows:
        if row.state != "made":
            lines.append(f"| {row.name} | refused: {row.reason} | | | | | | | | | |")
            continue
        points = 100 * ((row.value or 0.0) - (whole.value or 0.0))
        times = (ratio(row, batch) for batch in ("1", "64"))
        same = "" if row.difference is None else f"{row.difference:.1e}"
        changed = "" if row.changed is None else f"{row.changed:.1%}"
        cells = [row.name, f"{row.size_bytes:,}", f"{row.size_bytes / whole.size_bytes:.0%}",
                 metric(row), f"{points:+.1f}", *times, size(row.peak_bytes), same, changed,
                 "yes" if row.name in best else ""]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def ratio(row: Row, batch: str) -> str:
    """A time as so many times the network's own in the same turns."""
    return f"{row.latency_ms[batch] / row.beside_ms[batch]:.2f}x"


def main(words: Sequence[str] | None = None) -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description="Measure the ways to make a network smaller.")
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--ways", nargs="+", default=WAYS)
    parser.add_argument("--epochs", type=int, help="of training after a way, instead of its own")
    parser.add_argument("--train", type=int, default=0, help="epochs of the networks themselves")
    parser.add_argument("--out", type=Path, default=HERE / "shrink.md")
    args = parser.parse_args(words)
    torch = version("torch").partition("+")[0]
    text = ["# Smaller networks\n\nWritten by `python -m tests.wings.shrink.bench.shrink`; "
            f"torch {torch}, {platform.machine()}, one thread. Times are ratios to the network in "
            "torch, measured in turns with it. Memory: what a fresh process grows by as it loads "
            "the file and answers 64 samples. Points: of the metric, beside the network's own. "
            "Front: nothing else has both a better metric and a smaller file."]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name in args.networks:
            rows = tried(name, args.ways, args.epochs, Path(folder), args.train)
            text.append(f"## {name}\n\n{table(rows)}")
            args.out.write_text("\n\n".join(text) + "\n", "utf-8")


if __name__ == "__main__":
    main()
