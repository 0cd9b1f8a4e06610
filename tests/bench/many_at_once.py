"""Time a sweep of learning rates at once and one by one: `python -m tests.bench.many_at_once`.

The same runs of a template that differ in their learning rate alone: each by an engine of its own,
one after the other, and all by a group whose step is compiled once. In one process, one thread, by
turns; the figure is processor time, validation included. Compiling is told apart and counted in a
second ratio, with nothing kept of it. Every curve of the group is held against that of its engine;
beside it stands how far curves of engines lie apart that begin a few last bits off, which is what
rounding alone may do.
"""
# ruff: noqa: T201

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from core.engine.group import Group
from core.engine.member import Member
from core.engine.rng import seed_all
from core.engine.traced_step import NUDGE
from core.engine.trainer import Trainer
from tests.bench.compile_costs import spent
from tests.core.engine.groups import made, trained_together
from tests.core.engine.test_compiled_step import as_noted
from tests.gpu.engines import template

Curve = list[tuple[float, ...]]


def rates(many: int) -> list[float]:
    """Learning rates by powers of ten, from 0.0001 to 0.1."""
    return [10 ** (-4 + 3 * index / max(1, many - 1)) for index in range(many)]


def alone(found: Any, lr: float, nudge: float = 1.0, **settings: Any) -> tuple[Curve, float]:
    """A run by itself; losses of its epochs, and processor seconds. nudge: of its first weights."""
    engine = made(Trainer, found, lr=lr, **settings)
    for weight in engine.recipe.weights:
        weight.data.mul_(nudge)
    seed_all(1)
    curve, started = list[tuple[float, ...]](), time.process_time()
    for moment in engine.fit():
        if moment == "epoch":
            record = engine.record
            curve.append((record["train_loss"], record["val_loss"]))
        else:
            engine.drain_metrics()
    return curve, time.process_time() - started


def at_once(
    found: Any, many: Sequence[float], compiles: bool, **settings: Any
) -> tuple[list[Curve], float, float]:
    """All runs in a group; their losses, processor seconds of training and of compiling."""
    engines = [made(Member, found, lr=lr, **settings) for lr in many]
    for engine in engines:
        seed_all(1)
        engine.capture_rng_states()
    group, started = Group(engines, range(len(many)), len(many)), spent()
    group.compile(None if compiles else as_noted)
    if group.why:
        raise SystemExit(group.why)
    compiling, started = spent() - started, time.process_time()
    curves = trained_together(group)
    return curves, time.process_time() - started, compiling


def apart(one: Curve, other: Curve) -> float:
    """The largest difference of two curves, as a share of the loss."""
    pairs = [(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True)]
    return max(abs(a - b) / max(abs(a), 1e-6) for a, b in pairs)


def measured(name: str, count: int, epochs: int, compiles: bool = True) -> dict[str, Any]:
    """Seconds "alone", "together" and "compiling"; "apart" and "bits", of each curve.

    compiles: else the step is what was noted, which is slow.
    """
    found, many = template(name), rates(count)
    settings: dict[str, Any] = {"epochs": epochs, "patience": None, "max_minutes": None}
    singles = [alone(found, lr, **settings) for lr in many[: count // 2]]
    curves, together_s, compiling_s = at_once(found, many, compiles, **settings)
    singles += [alone(found, lr, **settings) for lr in many[count // 2 :]]
    nudged = [alone(found, lr, NUDGE, **settings)[0] for lr in many]
    return {
        "alone": sum(seconds for _, seconds in singles),
        "together": together_s,
        "compiling": compiling_s,
        "apart": [apart(curve, mine) for (curve, _), mine in zip(singles, curves, strict=True)],
        "bits": [apart(curve, mine) for (curve, _), mine in zip(singles, nudged, strict=True)],
    }


def row(name: str, count: int, epochs: int, found: Mapping[str, Any]) -> str:
    """A line of the table."""
    whole = (found["together"] + found["compiling"]) / found["alone"]
    cells = [name, str(count), str(epochs), f"{found['alone']:.1f}", f"{found['together']:.2f}"]
    cells += [f"{found['together'] / found['alone']:.3f}", f"{found['compiling']:.1f}"]
    cells += [f"{whole:.2f}"]
    cells += [f"{statistics.median(f):.1e} ({max(f):.1e})" for f in (found["apart"], found["bits"])]
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| network | runs | epochs | one by one, s | at once, s | ratio | compiling, s |"
    f" ratio with compiling | apart: median curve (worst) | last bits alone |\n{'|---' * 10}|"
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--template", default="mlp_breast_cancer")
    parser.add_argument("--many", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=60)
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        found = measured(args.template, args.many, args.epochs)
    print(f"{HEAD}\n{row(args.template, args.many, args.epochs, found)}")


if __name__ == "__main__":
    main()
