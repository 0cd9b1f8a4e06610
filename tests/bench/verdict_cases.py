"""Badly set-up runs: a network, data, settings, and the verdict that is right. For `verdicts`."""

import csv
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from sklearn.datasets import load_iris

from core.data.facts.metadata import read_own
from core.project import Project, read_text

Block = tuple[str, dict[str, Any]]
Settings = Mapping[str, Any]
SHUFFLED = "data/shuffled.csv"


@dataclass(frozen=True)
class Case:
    """name: what is wrong with it; right: kinds of verdict that are true of it."""

    name: str
    blocks: Sequence[Block]
    data: Settings
    training: Settings
    right: tuple[str, ...]
    shape: tuple[int, ...]
    more: Settings = field(default_factory=dict[str, Any])

    @property
    def project(self) -> Project:
        """The project as it would stand in a file: blocks one after the other."""
        chain = [("features", "Input", {"shape": list(self.shape)})]
        chain += [(f"b{i}", block, given) for i, (block, given) in enumerate(self.blocks, 1)]
        chain.append(("result", "Output", {}))
        names = [name for name, _, _ in chain]
        graph = {
            "nodes": {n: {"block": b, **({"settings": s} if s else {})} for n, b, s in chain},
            "edges": [f"{a} -> {b}" for a, b in pairwise(names)],
        }
        training = {"epochs": 30, "seed": 0, "threads": 1, **self.training}
        file = {"layerloom": 1, "name": self.name, "graph": graph, "data": dict(self.data)}
        return read_text(json.dumps({**file, "training": training}))


def linear(size: int) -> Block:
    """A Linear with so many outputs."""
    return "Linear", {"out_features": size}


def mlp(*sizes: int, between: Sequence[Block] = (("ReLU", {}),)) -> list[Block]:
    """Linears of these sizes, with blocks between them."""
    blocks = [linear(sizes[0])]
    for size in sizes[1:]:
        blocks += [*between, linear(size)]
    return blocks


IRIS = {"source": "iris", "validation": 0.2, "normalize": True}
WINE = {"source": "wine", "validation": 0.2, "normalize": True}
DIABETES = {"source": "diabetes", "validation": 0.2, "normalize": True}
DIGITS = {"source": "digits", "validation": 0.2}
FLAT: Block = ("flatten", {"start_dim": 1})
ON_IRIS, ON_WINE, ON_DIGITS = mlp(16, 16, 3), mlp(16, 3), [FLAT, *mlp(32, 10)]
CNN: list[Block] = [
    ("Conv2d", {"out_channels": 8, "kernel_size": 3}),
    ("ReLU", {}),
    FLAT,
    linear(10),
]
SQUARE = (1, 8, 8)


def sgd(lr: float, **settings: Any) -> dict[str, Any]:
    """Settings of torch's plain optimiser."""
    return {"optimizer": "SGD", "lr": lr, "optimizer_settings": settings}


def adam(lr: float, **more: Any) -> dict[str, Any]:
    """Settings of AdamW."""
    return {"optimizer": "AdamW", "lr": lr, **more}


GUESSING = ("guessing",)
CASES = (
    Case(
        "rate much too high",
        ON_IRIS,
        IRIS,
        adam(100.0, batch_size=16),
        ("unstable", "guessing", "exploded"),
        (4,),
    ),
    Case(
        "rate much too low",
        ON_IRIS,
        IRIS,
        adam(1e-5, batch_size=16),
        ("guessing", "improving"),
        (4,),
    ),
    Case("too few steps", ON_IRIS, IRIS, adam(1e-3, batch_size=64, epochs=10), ("short",), (4,)),
    Case(
        "30 samples by heart",
        mlp(128, 128, 1),
        {**DIABETES, "limit": 30},
        adam(3e-3, epochs=150),
        ("overfits",),
        (10,),
    ),
    Case(
        "120 samples by heart",
        mlp(64, 64, 1),
        {**DIABETES, "limit": 120},
        adam(1e-2, epochs=120),
        ("overfits",),
        (10,),
    ),
    Case(
        "wine not normalised",
        ON_WINE,
        {**WINE, "normalize": False},
        sgd(1e-3),
        ("guessing", "unstable", "underfits"),
        (13,),
    ),
    Case(
        "ten sigmoids deep",
        [FLAT, *mlp(32, 32, 32, 32, 32, 32, 10, between=(("Sigmoid", {}),))],
        DIGITS,
        sgd(0.1),
        GUESSING,
        SQUARE,
    ),
    Case(
        "exploding, finite",
        mlp(16, 1),
        {**DIABETES, "normalize": False},
        sgd(1e-3, momentum=0.9),
        ("exploded",),
        (10,),
    ),
    Case(
        "batches of one",
        ON_DIGITS,
        {**DIGITS, "limit": 300},
        sgd(0.1, momentum=0.9) | {"batch_size": 1},
        ("unstable", "guessing", "exploded"),
        SQUARE,
    ),
    Case(
        "rate too high for its depth",
        [FLAT, *mlp(64, 64, 64, 64, 10)],
        DIGITS,
        adam(0.09),
        ("guessing", "unstable", "underfits"),
        SQUARE,
    ),
    Case(
        "rate too high for numbers",
        mlp(64, 64, 1),
        DIABETES,
        sgd(0.6),
        ("exploded", "guessing", "unstable"),
        (10,),
    ),
    Case("dead ReLUs", ON_DIGITS, DIGITS, sgd(30.0), ("guessing",), SQUARE),
    Case(
        "labels shuffled",
        ON_IRIS,
        {"source": "CSV", "file": SHUFFLED, "validation": 0.2, "normalize": True},
        adam(1e-2, epochs=40),
        GUESSING,
        (4,),
    ),
    Case(
        "a constant inside",
        [linear(1), ("Softmax", {"dim": 1}), linear(3)],
        IRIS,
        adam(1e-2),
        GUESSING,
        (4,),
    ),
    Case("decay too heavy", ON_DIGITS, DIGITS, sgd(0.05, weight_decay=3.0), GUESSING, SQUARE),
    Case(
        "dropout too large",
        [FLAT, *mlp(16, 16, 10, between=(("ReLU", {}), ("Dropout", {"p": 0.95})))],
        DIGITS,
        adam(3e-3),
        ("guessing", "underfits"),
        SQUARE,
    ),
    Case(
        "labels smoothed away",
        ON_IRIS,
        IRIS,
        adam(1e-2, loss="CrossEntropyLoss", loss_settings={"label_smoothing": 1.0}),
        GUESSING,
        (4,),
    ),
    Case(
        "NLLLoss on scores",
        ON_IRIS,
        IRIS,
        adam(1e-2, loss="NLLLoss", epochs=60),
        ("exploded",),
        (4,),
    ),
    Case(
        "momentum too large",
        ON_DIGITS,
        DIGITS,
        sgd(0.5, momentum=0.99),
        ("unstable", "guessing", "exploded"),
        SQUARE,
    ),
    Case(
        "gradients clipped away",
        ON_DIGITS,
        DIGITS,
        sgd(0.05) | {"clip_norm": 1e-4},
        ("guessing", "improving"),
        SQUARE,
    ),
    Case(
        "average lags behind",
        ON_IRIS,
        IRIS,
        adam(1e-2, ema_decay=0.9999),
        ("guessing", "improving", "underfits"),
        (4,),
    ),
    Case(
        "schedule ends at once",
        CNN,
        DIGITS,
        sgd(0.05) | {"scheduler": {"name": "StepLR", "step_size": 1, "gamma": 0.1}},
        ("guessing", "underfits"),
        SQUARE,
    ),
    Case("ended too early", CNN, DIGITS, sgd(0.01) | {"epochs": 4}, ("improving", "short"), SQUARE),
    Case(
        "regression, rate too low",
        mlp(32, 1),
        DIABETES,
        adam(1e-5),
        ("guessing", "improving"),
        (10,),
    ),
    Case(
        "batch of everything",
        ON_DIGITS,
        DIGITS,
        sgd(0.05) | {"batch_size": 1437},
        ("improving", "short", "guessing"),
        SQUARE,
    ),
)


def write_shuffled(workspace: Path) -> None:
    """Iris with its labels in an order that has nothing to do with the flowers."""
    data: Any = load_iris()
    labels = [data.target_names[i] for i in data.target]
    random.Random(0).shuffle(labels)
    path = workspace / SHUFFLED
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow([*"abcd", "species"])
        out.writerows([*row, label] for row, label in zip(data.data.tolist(), labels, strict=True))
    read_own({"source": "CSV", "file": SHUFFLED})
