"""The figures of engine_vs_loop as a table, on the screen and in engine_figures.md."""
# ruff: noqa: T201

import datetime
import platform
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

FIGURES = Path(__file__).with_name("engine_figures.md")
BAR = "well-written loop"
Times = Mapping[str, Sequence[tuple[float, float]]]
"""Of each contender: microseconds per step, of the processor and on the wall, for each repeat."""


def ratio(times: Times, name: str, clock: int) -> tuple[float, float, float]:
    """Median to the loop's median; smallest and largest ratio of one repeat. clock: 0 or 1."""
    mine, bar = ([each[clock] for each in times[n]] for n in (name, BAR))
    single = [a / b for a, b in zip(mine, bar, strict=True)]
    return statistics.median(mine) / statistics.median(bar), min(single), max(single)


def faster(times: Times, name: str) -> float:
    """How many times as fast as a peer the engine is."""
    mine, other = (statistics.median(t for t, _ in times[n]) for n in ("engine", name))
    return other / mine


def show(task: str, times: Times) -> None:
    """Print the rows of one task."""
    for name, each in times.items():
        middle, low, high = ratio(times, name, 0)
        spent = statistics.median(t for t, _ in each)
        wall = ratio(times, name, 1)[0]
        spread = f"{low:.2f} to {high:.2f}"
        print(f"{task:20}{name:22}{spent:10.0f}{middle:8.2f}  {spread:14}{wall:8.2f}", flush=True)


def heading() -> None:
    """Print what stands over the rows."""
    print(f"{'task':20}{'contender':22}{'us/step':>10}{'ratio':>8}  {'spread':14}{'wall':>8}")


def write(found: Mapping[str, Times], repeats: int) -> None:
    """Put everything measured in the file of figures."""
    names = list(dict.fromkeys(name for times in found.values() for name in times))
    lines = [_head(repeats), f"| | {' | '.join(found)} |", "|---" * (len(found) + 1) + "|"]
    for name in names:
        cells = [_cell(times, name) if name in times else "" for times in found.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", *_against(found), "", _TAIL]
    FIGURES.write_text("\n".join(lines), "utf-8")


def _cell(times: Times, name: str) -> str:
    middle, low, high = ratio(times, name, 0)
    spent = statistics.median(t for t, _ in times[name])
    return f"{spent:.0f}, {middle:.2f} ({low:.2f} to {high:.2f}), {ratio(times, name, 1)[0]:.2f}"


def _head(repeats: int) -> str:
    return f"""# Figures of the engine

Measured on {datetime.datetime.now(datetime.UTC).date()} by `python -m tests.bench.engine_vs_loop \
{repeats} --write` with torch {torch.__version__} and Python {platform.python_version()}, one
thread. Microseconds of processor time per step, median of {repeats} interleaved repeats; the ratio
to the well-written loop; in brackets the spread of single ratios; then the ratio on the wall clock.
The weights of engine and loop were bit-identical first.
"""


def _against(found: Mapping[str, Times]) -> list[str]:
    tuned = "Lightning, tuned"
    ratios = [f"{faster(times, tuned):.2f} on {task}" for task, times in found.items()
              if tuned in times]  # fmt: skip
    text = f"Tuned Lightning's time, in times of the engine's: {', '.join(ratios)}."
    return [text] if ratios else []


_TAIL = """All on: a whole run with its folder, metrics, status, TensorBoard, checkpoints every 10 s
and watched live views. Compiled: the whole step as one function; what compiling takes is in
[compiled_steps.md](compiled_steps.md), with whole runs. resnet18 stands for networks whose step is
all arithmetic, where no trainer can be much faster than another; its pictures are made up.

Ways of calculating a step (16 bits and others) side by side: [engine_modes.md](engine_modes.md).
Starting, stopping and watching: [product.md](product.md). `make bench` measures again. A GPU was
not at hand.
"""
