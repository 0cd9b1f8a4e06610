"""Time compiled whole steps against calculated ones: `python -m tests.bench.compiled_steps`.

Three train the same network on the same data in one process, one thread: a loop written by hand,
the engine, and the engine whose whole steps are compiled. They go on by turns, some epochs each, in
random order; the figure is processor time per step, validation included, median of the rounds.
Compiling is timed alone, with nothing kept of it and with what it kept on the disk.

Then three runs of 200 epochs in processes of their own, in wall time: `compile_step` off, auto with
nothing kept on the disk, and auto again; short runs several times, of which the median counts.
Each figure is kept in the results file as soon as it is there, so that an interrupted bench goes on
where it was; `--out` writes the table.
"""
# ruff: noqa: T201

import argparse
import datetime
import json
import os
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.data.validation_batch import validation_batch
from core.engine.compile_cache import VARIABLE
from core.engine.rng import fork_rng
from core.engine.trainer import Trainer
from core.tasks.metrics import as_tuple
from tests.bench.auto_templates import trained
from tests.gpu.engines import engine, template

TASKS = {
    "mlp_breast_cancer": 20,
    "mlp_iris": 60,
    "lenet_digits": 1,
    "gru_digits": 1,
    "transformer_digits": 1,
    "resnet_digits": 1,
    "mobilenet_digits": 1,
}
"""Templates, and how many epochs are a turn."""
BARS = {
    "mlp_breast_cancer": 0.4,
    "mlp_iris": 0.4,
    "lenet_digits": 0.75,
    "transformer_digits": 0.7,
    "resnet_digits": 0.85,
    "mobilenet_digits": 0.85,
}
"""What compiled steps are to come down to, in times of the loop by hand."""
AUTO_BAR = 1.02  # of a run with auto, in times of the same run without
BY_HAND, EAGER, COMPILED = "loop by hand", "engine", "engine, compiled"
WHOLE_RUN = 200  # epochs
TOGETHER_S, MOST_TURNS = 40.0, 9  # whole runs are repeated until those of one way took so long
OUT = Path(__file__).with_suffix(".md")
RUNS = {"off": "off", "auto": "auto", "auto again": "auto"}
"""Whole runs, in their order, and their `compile_step`."""
Found = dict[str, Any]


def by_hand(made: Trainer) -> Iterator[int]:
    """What a careful person writes; epochs that are complete."""
    module, (optimiser,) = made.module, made.recipe.optimisers
    epoch = 0
    while True:
        module.train()
        made.epoch, losses = epoch, list[Tensor]()
        for (indices,) in made.batches_of_epoch():
            inputs, targets = made.train.gathered(indices)
            loss = made.objective.total(made.objective.values(as_tuple(module(*inputs)), targets))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.detach())
        torch.stack(losses).mean().item()
        _validated(made, module)
        epoch += 1
        yield epoch


def _validated(made: Trainer, module: nn.Module) -> None:
    values = max(column[:1].numel() for column in made.validation.inputs)
    with fork_rng(module):
        for inputs, targets in made.validation.slices(
            validation_batch(made.training["batch_size"], values)
        ):
            outputs = as_tuple(module(*inputs))
            float(made.objective.total(made.objective.values(outputs, targets)))
            made.objective.sums(outputs, targets)


def by_engine(made: Trainer) -> Iterator[int]:
    """The engine's own loop, its metrics drained."""
    for moment in made.fit():
        if moment == "tick":
            made.drain_metrics()
        else:
            yield made.epoch


def spent() -> float:
    """Processor seconds of this process and of compilers that it called."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def compiled_in(name: str, settings: Mapping[str, Any]) -> tuple[Trainer, float]:
    """An engine with its step compiled, and the processor seconds that took."""
    made = engine("cpu", template(name), **settings, compile_step="on")
    made.module.train()
    started = spent()
    made.capture()
    if made.uncaptured:
        raise SystemExit(f"{name}: {made.uncaptured}")
    return made, spent() - started


def measured(name: str, epochs: int, rounds: int, compiles: bool = True) -> dict[str, Any]:
    """{"steps": an epoch, "cold", "warm": seconds, contender: microseconds per step by round}."""
    settings = {"epochs": 10**6, "patience": None, "threads": 1, "max_minutes": None}
    found: dict[str, Any] = {"cold": 0.0, "warm": 0.0}
    makers: dict[str, Callable[[], Iterator[int]]] = {
        BY_HAND: lambda: by_hand(engine("cpu", template(name), **settings)),
        EAGER: lambda: by_engine(engine("cpu", template(name), **settings)),
    }
    if compiles:
        found["cold"] = compiled_in(name, settings)[1]
        ready, found["warm"] = compiled_in(name, settings)
        makers[COMPILED] = lambda: by_engine(ready)
    loops = {contender: make() for contender, make in makers.items()}
    steps = engine("cpu", template(name), **settings).steps_per_epoch
    found |= {"steps": steps, **{contender: [] for contender in loops}}
    for loop in loops.values():
        next(loop)
    for _ in range(rounds):
        for contender in random.sample(list(loops), len(loops)):
            started = time.process_time()
            for _ in range(epochs):
                next(loops[contender])
            each = (time.process_time() - started) / epochs / steps * 1e6
            found[contender].append(each)
    return found


def whole_runs(name: str, found: Found, epochs: int = WHOLE_RUN) -> Iterator[Found]:
    """Train each way by turns, short runs several times; all that is there, after each run."""
    settings = {"epochs": epochs, "patience": None, "max_minutes": None, "threads": 1}
    found = {**found, **{kind: [] for kind in RUNS}}
    while not complete(found):
        for kind, how in RUNS.items():
            with tempfile.TemporaryDirectory() as folder:
                run = trained(name, Path(folder), compile_step=how, **settings)
            found[kind] = [*found[kind], {key: run[key] for key in ("seconds", "compiled")}]
            yield found


def complete(found: Mapping[str, Any]) -> bool:
    """Whether the whole runs are there: enough of them to outweigh the noise of short ones."""
    counts = {len(found.get(kind, [])) for kind in RUNS}
    together = sum(run["seconds"] for run in found.get("off", []))
    return len(counts) == 1 and (together >= TOGETHER_S or max(counts) == MOST_TURNS)


def row(name: str, found: Mapping[str, Any]) -> str:
    """A line of the table: time of the loop, ratios to it, compiling, and runs of 200 epochs."""
    loop = statistics.median(found[BY_HAND])
    cells = [name, f"{loop:.0f}"]
    for contender in (EAGER, COMPILED):
        single = [a / b for a, b in zip(found[contender], found[BY_HAND], strict=True)]
        ratio = statistics.median(found[contender]) / loop
        bar = BARS.get(name) if contender == COMPILED else None
        cells.append(f"{judged(ratio, bar)} ({min(single):.2f} to {max(single):.2f})")
    steps = WHOLE_RUN * found["steps"] / 1e6
    mine = statistics.median(found[COMPILED]) * steps
    cells += [f"{found[kind]:.1f}" for kind in ("cold", "warm")]
    cells += [f"{(mine + found[kind]) / (loop * steps):.2f}" for kind in ("cold", "warm")]
    cells += [auto_cell(found, kind) for kind in ("auto", "auto again")]
    return f"| {' | '.join(cells)} |"


def judged(ratio: float, bar: float | None) -> str:
    """A ratio beside the bar that it is to stay below, which it meets or not."""
    if bar is None:
        return f"{ratio:.2f}"
    return f"{ratio:.2f}, {'bar' if ratio <= bar else 'MISSES its bar'} {bar:.2f}"


def auto_cell(found: Mapping[str, Any], kind: str) -> str:
    """The time of a run with auto in times of that without, and from which step it was compiled."""
    if not found.get(kind) or not found.get("off"):
        return "not measured"
    ours, off = (statistics.median(run["seconds"] for run in found[k]) for k in (kind, "off"))
    ratio, change = ours / off, found[kind][-1]["compiled"]
    where = f"from step {change['from_step']:,}" if change else "never changed over"
    return f"{judged(ratio, AUTO_BAR)}, {where}"


HEAD = (
    f"| network | {BY_HAND}, us per step | {EAGER} | {COMPILED} | compiling, s | kept on disk, s"
    f" | {WHOLE_RUN} epochs with compiling | kept on disk | auto, {WHOLE_RUN} epochs | auto again |"
    f"\n{'|---' * 10}|"
)


def table(rows: Mapping[str, Found]) -> str:
    """The text of compiled_steps.md."""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    lines = [row(name, rows[name]) for name in TASKS if BY_HAND in rows.get(name, {})]
    return (
        f"# Figures of compiled steps\n\nWritten on {day} by `python -m tests.bench."
        f"compiled_steps`, which says how each is measured, with torch {torch.__version__}\n"
        f"and Python {platform.python_version()} on {os.cpu_count()} processors. Ratios of steps "
        f"and of {WHOLE_RUN} epochs with compiling are processor time in times of the\nloop by "
        "hand, in brackets the spread of single rounds; seconds of compiling are of the processor. "
        f"The last two columns are wall time of a\nrun of {WHOLE_RUN} epochs with `compile_step: "
        "auto` in times of the same run with it off, medians: with nothing kept on the disk, and "
        "once more.\n\n" + "\n".join([HEAD, *lines]) + "\n"
    )


def completed(name: str, epochs: int, rounds: int, rows: dict[str, Found]) -> Iterator[Found]:
    """Measure what is missing of a network; all that is there, after each piece."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[VARIABLE] = folder
        found = rows.get(name, {})
        if BY_HAND not in found:
            found = {**found, **measured(name, epochs, rounds)}
            yield found
    with tempfile.TemporaryDirectory() as folder:  # for runs, which find nothing kept
        os.environ[VARIABLE] = folder
        if not complete(found):
            yield from whole_runs(name, found)


def main() -> None:
    """Measure what is missing, print it as it comes, and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=7)
    parser.add_argument("--only", default="", help="of the networks, those with this in their name")
    parser.add_argument("--results", type=Path, default=Path("compiled_steps.json"))
    parser.add_argument("--out", type=Path, help=f"write the table there, such as {OUT.name}")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rows: dict[str, Found] = json.loads(args.results.read_text()) if args.results.exists() else {}
    print(HEAD, flush=True)
    for name, epochs in TASKS.items():
        if args.only in name:
            for found in completed(name, epochs, args.rounds, rows):
                rows[name] = found
                args.results.write_text(json.dumps(rows, indent=1), encoding="utf-8")
                print(row(name, found), flush=True)
    if args.out:
        args.out.write_text(table(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
