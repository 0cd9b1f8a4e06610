"""The figures of engine_vs_loop as a table, on the screen and in engine_figures.md."""
# ruff: noqa: T201

import datetime
import platform
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

import torch

from tests.bench.compile_costs import AGAIN, AUTO, LEAST_TURNS, OFF, WHOLE_RUN, Runs
from tests.bench.engine_tasks import BARS

FIGURES = Path(__file__).with_name("engine_figures.md")
BAR, COMPILED = "well-written loop", "engine, compiled"
AUTO_BAR = 1.02  # of a run with auto, in times of the same run without
Times = Mapping[str, Sequence[tuple[float, float]]]
"""Of each contender: microseconds per step, of the processor and on the wall, for each repeat."""
COMPILING = "compiling, s"
WHOLE = f"{WHOLE_RUN} epochs compiled, compiling included"
AUTO_RUN = f"{WHOLE_RUN} epochs with `compile_step: auto`, on the wall"


class Figures(TypedDict):
    """What is measured of one network. steps: of an epoch; cold, kept: seconds of compiling."""

    times: Times
    steps: int
    cold: float
    kept: float
    runs: Runs


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


def costs(task: str, found: Figures) -> list[str]:
    """The lines of one task on compiling and whole runs."""
    return [f"{task:20}{name:55}{cell}" for name, cell in _cost_cells(found).items()]


def write(found: Mapping[str, Figures]) -> None:
    """Put everything measured in the file of figures."""
    names = list(dict.fromkeys(name for each in found.values() for name in each["times"]))
    lines = [_head(found), f"| | {' | '.join(found)} |", "|---" * (len(found) + 1) + "|"]
    for name in names:
        cells = [
            _cell(task, each["times"], name) if name in each["times"] else ""
            for task, each in found.items()
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    for name in (COMPILING, WHOLE, AUTO_RUN):
        lines.append(f"| {name} | {' | '.join(_cost_cells(f)[name] for f in found.values())} |")
    lines += ["", *_against(found), "", _TAIL]
    FIGURES.write_text("\n".join(lines), "utf-8")


def judged(ratio: float, bar: float | None) -> str:
    """A ratio beside the bar that it is to stay below, which it meets or not."""
    if bar is None:
        return f"{ratio:.2f}"
    return f"{ratio:.2f}, {'bar' if ratio <= bar else 'MISSES its bar'} {bar:.2f}"


def _cell(task: str, times: Times, name: str) -> str:
    middle, low, high = ratio(times, name, 0)
    spent = statistics.median(t for t, _ in times[name])
    ratios = judged(middle, BARS.get(task) if name == COMPILED else None)
    return f"{spent:.0f}, {ratios} ({low:.2f} to {high:.2f}), {ratio(times, name, 1)[0]:.2f}"


def _cost_cells(found: Figures) -> dict[str, str]:
    """The cells of the rows on compiling, whole runs compiled from the first step, and auto."""
    steps = WHOLE_RUN * found["steps"] / 1e6
    loop, mine = (
        statistics.median(t for t, _ in found["times"][name]) * steps for name in (BAR, COMPILED)
    )
    cold, kept = found["cold"], found["kept"]
    return {
        COMPILING: f"{cold:.1f}, {kept:.1f}",
        WHOLE: f"{(mine + cold) / loop:.2f}, {(mine + kept) / loop:.2f}",
        AUTO_RUN: auto_cell(found["runs"]),
    }


def auto_cell(runs: Runs) -> str:
    """The fastest run with auto in times of the fastest without, and where it was compiled.

    All runs do the same, but for what else the machine does meanwhile, which only adds.
    """
    fastest = {kind: min(run["seconds"] for run in each) for kind, each in runs.items() if each}
    text = judged(fastest[AUTO] / fastest[OFF], AUTO_BAR)
    steps = [run["compiled"]["from_step"] for run in runs[AUTO] if run["compiled"]]
    if AGAIN not in fastest:
        return f"{text}, never changed over"
    changed = f"{len(steps)} of {len(runs[AUTO])} changed over, the first at step {steps[0]:,}"
    again = judged(fastest[AGAIN] / fastest[OFF], AUTO_BAR)
    return f"{text}, {changed}; kept on the disk {again}"


def _head(found: Mapping[str, Figures]) -> str:
    counts = sorted({len(each["times"][BAR]) for each in found.values()})
    repeats = " to ".join(str(count) for count in dict.fromkeys([counts[0], counts[-1]]))
    return f"""# Figures of the engine

Measured on {datetime.datetime.now(datetime.UTC).date()} by `python -m tests.bench.engine_vs_loop \
--write` with torch {torch.__version__} and Python {platform.python_version()}, one thread.
Microseconds of processor time per step, median of {repeats} interleaved repeats; the ratio
to the well-written loop; in brackets the spread of single ratios; then the ratio on the wall clock.
The weights of engine and loop were bit-identical first. Compiling, in seconds of the processor, and
whole runs of {WHOLE_RUN} epochs stand below: with nothing kept on the disk, and with what was kept.
Those compiled from the first step are in times of the loop; those with auto, whose compiling a
helper does meanwhile, in times of the same run with `compile_step: off`, by turns, the fastest of
at least {LEAST_TURNS} each: a whole process is now and then half as slow again on this machine,
whatever it does.
"""


def _against(found: Mapping[str, Figures]) -> list[str]:
    tuned = "Lightning, tuned"
    ratios = [f"{faster(each['times'], tuned):.2f} on {task}" for task, each in found.items()
              if tuned in each["times"]]  # fmt: skip
    text = f"Tuned Lightning's time, in times of the engine's: {', '.join(ratios)}."
    return [text] if ratios else []


_TAIL = """All on: a whole run with its folder, metrics, status, TensorBoard, checkpoints every 10 s
and watched live views. Compiled: the whole step as one function; the first network's seconds of
compiling hold the import of the compiler. A run changes over only where 45 s are left once three
have passed, with steps above 50 ms four minutes; the others are too short, so that both ways do the
same. resnet18 stands for networks whose step is all arithmetic, where no trainer can be much faster
than another: a helper gained nothing there and cost a run of two minutes about 3 %, hence the four.
Its pictures are made up.

Ways of calculating a step (16 bits and others) side by side: [engine_modes.md](engine_modes.md).
`make bench` measures again. A GPU was
not at hand.
"""
