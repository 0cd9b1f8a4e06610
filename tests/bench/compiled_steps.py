"""Time compiled whole steps against calculated ones: `python -m tests.bench.compiled_steps`.

Three train the same network on the same data in one process, one thread: a loop written by hand,
the engine, and the engine whose whole steps are compiled. They go on by turns, some epochs each, in
random order; the figure is processor time per step, validation included, median of the rounds.
Compiling is timed alone, with nothing kept of it and with what it kept on the disk.
"""
# ruff: noqa: T201

import argparse
import os
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
from core.engine.rng import fork_rng
from core.engine.trainer import Trainer
from core.tasks.metrics import as_tuple
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
BY_HAND, EAGER, COMPILED = "loop by hand", "engine", "engine, compiled"
WHOLE_RUN = 200  # epochs


def by_hand(made: Trainer) -> Iterator[int]:
    """What a careful person writes; epochs that are complete."""
    module, (optimiser,) = made.module, made.recipe.optimisers
    epoch = 0
    while True:
        module.train()
        made.epoch, losses = epoch, list[Tensor]()
        for (indices,) in made._groups():
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


def row(name: str, found: Mapping[str, Any]) -> str:
    """A line of the table: time of the loop, ratios to it, compiling, and a run of 200 epochs."""
    bar = statistics.median(found[BY_HAND])
    cells = [name, f"{bar:.0f}"]
    for contender in (EAGER, COMPILED):
        single = [a / b for a, b in zip(found[contender], found[BY_HAND], strict=True)]
        ratio = statistics.median(found[contender]) / bar
        cells.append(f"{ratio:.2f} ({min(single):.2f} to {max(single):.2f})")
    steps = WHOLE_RUN * found["steps"] / 1e6
    mine = statistics.median(found[COMPILED]) * steps
    cells += [f"{found[kind]:.1f}" for kind in ("cold", "warm")]
    cells += [f"{(mine + found[kind]) / (bar * steps):.2f}" for kind in ("cold", "warm")]
    return f"| {' | '.join(cells)} |"


HEAD = (
    f"| network | {BY_HAND}, us per step | {EAGER} | {COMPILED} | compiling, s | kept on disk, s"
    f" | {WHOLE_RUN} epochs with compiling | kept on disk |\n{'|---' * 8}|"
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=7)
    parser.add_argument("--only", default="", help="of the networks, those with this in their name")
    args = parser.parse_args()
    torch.set_num_threads(1)
    print(HEAD, flush=True)
    for name, epochs in TASKS.items():
        if args.only in name:
            with tempfile.TemporaryDirectory() as folder:
                os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(folder))
                print(row(name, measured(name, epochs, args.rounds)), flush=True)


if __name__ == "__main__":
    main()
