"""More badly set-up runs, as students were seen to set them up. For `verdicts`."""

import csv
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.data.facts.metadata import read_own
from tests.bench.verdict_cases import (
    CNN,
    DIABETES,
    DIGITS,
    FLAT,
    IRIS,
    ON_DIGITS,
    ON_WINE,
    SQUARE,
    WINE,
    Case,
    adam,
    mlp,
    sgd,
)

CYCLE = {"scheduler": {"name": "OneCycleLR"}}
NOISY, FORTY = "data/noisy.csv", "data/forty.csv"
DEAD = ("guessing", "unstable", "exploded")
LARGE = [FLAT, *mlp(64, 64, 10)]


def table(file: str, **more: Any) -> dict[str, Any]:
    """Data settings of a table of our own."""
    return {"source": "CSV", "file": file, "validation": 0.2, "normalize": True, **more}


SEEN = (
    Case("SGD at 2, annealed", LARGE, DIGITS, sgd(2.0) | CYCLE, DEAD, SQUARE),
    Case("SGD at 3, annealed", LARGE, DIGITS, sgd(3.0) | CYCLE | {"epochs": 16}, DEAD, SQUARE),
    Case("SGD at 5, annealed", LARGE, DIGITS, sgd(5.0) | CYCLE | {"epochs": 16}, DEAD, SQUARE),
    Case(
        "SGD at 3, annealed, three times as long",
        LARGE,
        DIGITS,
        sgd(3.0) | CYCLE | {"epochs": 48},
        DEAD,
        SQUARE,
    ),
    Case(
        "AdamW at 0.3, annealed",
        LARGE,
        DIGITS,
        adam(0.3, epochs=16) | CYCLE,
        (*DEAD, "underfits"),
        SQUARE,
    ),
    Case("AdamW at 0.5", CNN, DIGITS, adam(0.5, epochs=16), (*DEAD, "underfits"), SQUARE),
    Case(
        "a spike on 60 samples",
        mlp(64, 64, 2),
        table(NOISY),
        adam(1e-2, epochs=50),
        ("overfits", "learned"),
        (6,),
    ),
    Case(
        "a trial of a sweep, 4 epochs",
        CNN,
        DIGITS,
        adam(1e-3, epochs=4) | CYCLE,
        ("improving", "short"),
        SQUARE,
    ),
    Case(
        "8 validation samples",
        mlp(8, 2),
        table(FORTY),
        adam(1e-2, epochs=40),
        ("guessing",),
        (3,),
    ),
    Case(
        "32 pictures by heart",
        CNN,
        {**DIGITS, "limit": 32},
        adam(3e-3, epochs=100),
        ("overfits", "learned"),
        SQUARE,
    ),
    Case("SGD at 0.0001", ON_DIGITS, DIGITS, sgd(1e-4), ("guessing", "underfits"), SQUARE),
    Case(
        "Softmax before CrossEntropyLoss",
        [*LARGE, ("Softmax", {"dim": 1})],
        DIGITS,
        sgd(0.05, momentum=0.9) | {"loss": "CrossEntropyLoss", "epochs": 20},
        ("underfits", "guessing"),
        SQUARE,
    ),
    Case(
        "wine not normalised, AdamW",
        ON_WINE,
        {**WINE, "normalize": False},
        adam(1e-3),
        ("guessing", "unstable", "underfits"),
        (13,),
    ),
    Case(
        "wine not normalised, SGD at 0.1",
        ON_WINE,
        {**WINE, "normalize": False},
        sgd(0.1),
        DEAD,
        (13,),
    ),
    Case(
        "RMSprop at 0.3",
        ON_DIGITS,
        DIGITS,
        {"optimizer": "RMSprop", "lr": 0.3},
        (*DEAD, "underfits"),
        SQUARE,
    ),
    Case(
        "momentum forgotten in the rate",
        LARGE,
        DIGITS,
        sgd(1.0, momentum=0.9) | CYCLE,
        (*DEAD, "underfits"),
        SQUARE,
    ),
    Case(
        "regression, SGD at 2, annealed",
        mlp(64, 64, 1),
        DIABETES,
        sgd(2.0) | CYCLE,
        (*DEAD, "underfits"),
        (10,),
    ),
    Case(
        "dropout 0.9 before the last layer",
        [FLAT, *mlp(16, 16, 10, between=(("ReLU", {}), ("Dropout", {"p": 0.9})))],
        DIGITS,
        adam(1e-3, epochs=20),
        ("guessing", "underfits"),
        SQUARE,
    ),
    Case(
        "rate halved after each epoch",
        ON_DIGITS,
        DIGITS,
        sgd(0.02) | {"scheduler": {"name": "ExponentialLR", "gamma": 0.5}},
        ("guessing", "underfits"),
        SQUARE,
    ),
    Case(
        "AdamW with a decay of 20",
        ON_DIGITS,
        DIGITS,
        adam(1e-2, optimizer_settings={"weight_decay": 20.0}),
        ("guessing", "underfits"),
        SQUARE,
    ),
    Case(
        "12 flowers by heart",
        mlp(64, 64, 3),
        {**IRIS, "limit": 12},
        adam(1e-2, epochs=100),
        ("overfits", "learned"),
        (4,),
    ),
)


def write_tables(workspace: Path) -> None:
    """300 rows of which a quarter has the wrong answer, and 40 rows that hardly say anything."""
    _write(workspace, NOISY, 300, 6, lambda x, flip: (x[0] + x[1] > 0) != (flip < 0.22))
    _write(workspace, FORTY, 40, 3, lambda x, flip: (x[0] > 0) != (flip < 0.35))


def _write(
    workspace: Path, name: str, rows: int, columns: int, rule: Callable[[list[float], float], bool]
) -> None:
    drawn = random.Random(1)
    path = workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow([*(f"x{i}" for i in range(columns)), "answer"])
        for _ in range(rows):
            values = [drawn.gauss(0, 1) for _ in range(columns)]
            answer = "yes" if rule(values, drawn.random()) else "no"
            out.writerow([*(f"{value:.4f}" for value in values), answer])
    read_own({"source": "CSV", "file": name})
