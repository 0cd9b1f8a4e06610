"""Networks that are badly set up, each with the mark of health that is right for it."""

from collections.abc import Sequence
from typing import Any

from tests.bench.verdict_cases import Block, Case, linear, mlp

DIGITS = {"source": "digits"}
FLAT: list[Block] = [("flatten", {"start_dim": 1})]


def sick(name: str, blocks: Sequence[Block], right: str, **training: Any) -> Case:
    """A badly set-up network for the digits, and the mark that is right for it."""
    return Case(name, [*FLAT, *blocks], DIGITS, {"epochs": 10, **training}, (right,), (1, 8, 8))


def deep(count: int, size: int, *between: Block) -> list[Block]:
    """So many Linears of a size, with blocks between them, and ten classes."""
    return mlp(*[size] * count, 10, between=between)


def unscaled(name: str, blocks: Sequence[Block], right: str, lr: float) -> Case:
    """A network for the wines as they were measured: one column near 1000, others below 1."""
    settings = {"optimizer": "SGD", "lr": lr, "epochs": 40, "batch_size": 16}
    data = {"source": "wine", "validation": 0.2, "normalize": False}
    return Case(f"Inputs not scaled: {name} (SGD, {lr:g})", blocks, data, settings, (right,), (13,))


SIGMOID, TANH, RELU = ("Sigmoid", {}), ("Tanh", {}), ("ReLU", {})
LEAKY, GELU = ("LeakyReLU", {}), ("GELU", {})
CASES = [
    sick("ReLU dies of its rate (Adam, 0.3)", deep(3, 64, RELU), "dead", optimizer="Adam", lr=0.3),
    sick("ReLU dies of its rate (SGD, 3)", deep(3, 64, RELU), "dead", optimizer="SGD", lr=3.0),
    sick("ReLU dies of its depth (16 narrow layers)", deep(16, 6, RELU), "dead",
         optimizer="Adam", lr=0.003),
    sick("ReLU dies of its width (6 layers of 6)", deep(6, 6, RELU), "dead",
         optimizer="Adam", lr=0.005),
    sick("ReLU dies of rate and depth (8 layers of 16)", deep(8, 16, RELU), "dead",
         optimizer="Adam", lr=0.01),
    sick("ReLU dies of rate and depth (6 layers of 64)", deep(6, 64, RELU), "dead",
         optimizer="Adam", lr=0.02),
    sick("Tanh saturates (6 layers, Adam, 0.02)", deep(6, 64, TANH), "saturated",
         optimizer="Adam", lr=0.02),
    sick("Tanh saturates by its rate (Adam, 0.3)", deep(3, 64, TANH), "saturated",
         optimizer="Adam", lr=0.3),
    sick("Tanh saturates by its rate (SGD, 3)", deep(3, 64, TANH), "saturated",
         optimizer="SGD", lr=3.0),
    sick("Sigmoid ten times: gradients vanish (SGD)", deep(10, 32, SIGMOID), "vanishing",
         optimizer="SGD", lr=0.1),
    sick("Sigmoid ten times: gradients vanish (Adam)", deep(10, 32, SIGMOID), "vanishing",
         optimizer="Adam", lr=0.003),
    sick("Steps too large (AdamW, 1)", [*mlp(64, 10, between=[RELU])], "update",
         optimizer="AdamW", lr=1.0),
    sick("Sigmoid at a rate of 1 (Adam)", [linear(64), SIGMOID, linear(10)], "update",
         optimizer="Adam", lr=1.0),
    unscaled("LeakyReLU", mlp(32, 3, between=[LEAKY]), "exploding", 0.005),
    unscaled("two Linears", mlp(32, 3, between=[]), "exploding", 0.005),
    unscaled("two Linears", mlp(32, 3, between=[]), "exploding", 0.02),
    unscaled("GELU", mlp(32, 3, between=[GELU]), "wide", 0.05),
    unscaled("LeakyReLU", mlp(32, 3, between=[LEAKY]), "wide", 0.05),
    unscaled("two Linears", mlp(32, 3, between=[]), "exploding", 0.001),
    unscaled("one Linear", [linear(3)], "exploding", 0.02),
    unscaled("one Linear", [linear(3)], "wide", 0.05),
]  # fmt: skip
