"""Sameness of ranks on every template.

    python -m tests.wings.launch.bench.rank_templates [NAME ...]

Each template makes the first steps of an epoch and its last one, in one process that accumulates
and on 1, 2 and 4 processes. One that draws random numbers is trained twice: as drawn, where any
number of ranks is to equal one rank, and with dropout and noise off, where it is to equal one
process. Sharded weights (FSDP2) are compared with one process too. Writes rank_templates.md; exits
with 1 where something differs that is to be equal.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.analyse import analyse_project
from core.common.errors import LayerloomError
from core.engine.fingerprint import DRAWS
from core.engine.loader import DeviceSplit
from core.engine.trainer import Trainer
from core.settings.launcher import Launcher, check_sharding
from core.wings.launch.engine.ranked_trainer import RankedTrainer
from core.wings.launch.engine.ranks import Ranks
from core.wings.launch.engine.sharded_trainer import ShardedTrainer
from tests.gpu.engines import TEMPLATES, engine, template
from tests.wings.launch.engine.forked_ranks import on_ranks, trained, weights_hash

TABLE = Path(__file__).with_name("rank_templates.md")
MICRO_BATCH, ACCUMULATE, STEPS, VALIDATED = 8, 4, 3, 16
WORLDS = (1, 2, 4)
SHARDED = Launcher(processes=2, sharding="fsdp")
CLOSE = 1e-5
"""What is rounding: the largest difference, as a share of the largest number of its tensor."""
SWITCHED_OFF = re.compile(r"nn\.Parameter\(torch\.randn|[Dd]ropout")
"""What draws nothing in a step, or nothing once dropout is off."""


@dataclass(frozen=True)
class Comparison:
    """How a run differs from another one. Differences: as a share of the largest number."""

    weights_equal: bool
    weights: float
    buffers: float
    losses: float

    @property
    def equal(self) -> bool:
        """Whether weights and losses of all steps are equal to the bit."""
        return self.weights_equal and self.losses == 0.0

    def text(self, word: str = "differs") -> str:
        """In words, for the table."""
        if not self.equal:
            return f"{word}: weights {self.weights:.0e}, losses {self.losses:.0e}"
        return "equal" if not self.buffers else f"equal; statistics to {self.buffers:.0e}"


def first_steps(name: str, kind: type[Trainer], draws: bool) -> Any:
    """A trainer of a template that makes a few steps; dropout and noise are off without `draws`.

    Raises TrainingError for settings that cannot train with sharded weights.
    """
    found = template(name)
    report = analyse_project(found)
    sharded = kind is ShardedTrainer
    if sharded:
        check_sharding(SHARDED, found.training, report.source or "")
    if not draws:
        found = replace(found, data={k: v for k, v in found.data.items() if k != "noise"})
    settings = {"epochs": 1, "batch_size": MICRO_BATCH, "accumulate": ACCUMULATE}
    made: Any = engine("cpu", found, kind, **settings)
    if sharded:
        made.composites = {path for path, node in report.nodes.items() if node.children}
    if not draws:
        switch_dropout_off(made.module)
    made.validation = DeviceSplit(*made.validation.rows(torch.arange(VALIDATED)))
    groups = made.batches_of_epoch()
    kept = groups[:STEPS] + groups[max(STEPS, len(groups) - 1) :]
    made.batches_of_epoch = lambda: kept
    return made


def switch_dropout_off(module: nn.Module) -> None:
    """Let no part of a module drop values."""
    for part in module.modules():
        if isinstance(part, nn.modules.dropout._DropoutNd):
            part.p = 0.0
        elif isinstance(part, nn.MultiheadAttention | nn.RNNBase):
            part.dropout = 0.0


def state_of(trainer: Any) -> tuple[list[Tensor], list[Tensor]]:
    """Weights and buffers."""
    module = trainer.module
    return [w.detach() for w in module.parameters()], list(module.buffers())


def apart(ones: Sequence[Tensor], others: Sequence[Tensor]) -> float:
    """The largest difference, as a share of the largest number of its tensor."""
    pairs = [(a.double(), b.double()) for a, b in zip(ones, others, strict=True) if a.numel()]
    shares = [(a - b).abs().max() / a.abs().max().clamp_min(1e-30) for a, b in pairs]
    return max(map(float, shares), default=0.0)


class Reference:
    """A run in this process that others are compared with."""

    def __init__(self, name: str, kind: type[Trainer], draws: bool) -> None:
        self.name, self.draws = name, draws
        trainer, self.losses = first_steps(name, kind, draws), []
        for _ in trainer.fit(0.0):
            self.losses += trainer.drain_metrics()["loss"]
        self.weights, self.buffers = state_of(trainer)
        self.hash = weights_hash(trainer)

    def on(self, world: int, kind: type[RankedTrainer] = RankedTrainer) -> Comparison:
        """The same on several ranks. The worst of all of them counts; only the first one has whole
        weights where they are sharded."""
        first, *others = on_ranks(world, lambda ranks: self._rank(ranks, kind))
        alike = kind is ShardedTrainer or all(other["hash"] == self.hash for other in others)
        found = zip(first["losses"], self.losses, strict=True)
        losses = max(abs(a - b) / max(abs(b), 1e-30) for a, b in found)
        return Comparison(first["hash"] == self.hash and alike, first["weights"],
                          first["buffers"], losses)  # fmt: skip

    def _rank(self, ranks: Ranks, kind: type[RankedTrainer]) -> dict[str, Any]:
        trainer = first_steps(self.name, kind, self.draws)
        made = trained(trainer, ranks)
        if ranks.rank and kind is ShardedTrainer:
            return {}
        weights, buffers = state_of(trainer)
        return {
            "hash": made["weights"],
            "losses": made["loss"],
            "weights": apart(self.weights, weights),
            "buffers": apart(self.buffers, buffers),
        }


@dataclass(frozen=True)
class Row:
    """A template. drawn, off: comparisons by number of ranks, as drawn with one rank, and with
    random numbers off with one process; sharded: as drawn, or off, with sharded weights. refused:
    why it cannot train so."""

    name: str
    task: str
    traits: str
    drawn: dict[int, Comparison]
    off: dict[int, Comparison]
    sharded: dict[int, Comparison]
    refused: str = ""

    @property
    def holds(self) -> bool:
        """Whether what is promised is true."""
        whole = (*self.drawn.values(), *self.off.values())
        equal = all(c.equal and c.buffers <= CLOSE for c in whole)
        return equal and all(c.losses <= CLOSE for c in self.sharded.values())

    @property
    def line(self) -> str:
        """Its line of the table."""
        several = len(WORLDS) - 1
        off = [c.text() for c in self.off.values()] or ["differs by nature"] * len(WORLDS)
        drawn = [c.text() for c in self.drawn.values()] or ["-"] * several
        refused = [f"refused: {self.refused}", "refused"]
        sharded = [c.text("to rounding") for c in self.sharded.values()] or refused
        cells = [self.name, self.task, self.traits or "-", *off, *drawn, *sharded]
        return f"| {' | '.join(cells)} |"


def row_of(name: str) -> Row:
    """Train a template in all ways."""
    report = analyse_project(template(name))
    source = report.source or ""
    draws = any(word in source.encode() for word in DRAWS) and bool(
        re.search(r"nn\.Dropout|dropout=0\.0*[1-9]|randn_like|rand\(|bernoulli", source)
    )
    data = template(name).data
    noisy, random_input = bool(data.get("noise")), "noise" in data.get("inputs", {}).values()
    left = re.search(r"rand|bernoulli", SWITCHED_OFF.sub("", source)) is not None
    words = {"BatchNorm": "batch norm", "Dropout": "dropout"}
    traits = [text for word, text in words.items() if f"nn.{word}" in source]
    traits += ["noise"] * noisy + ["random blocks"] * left + ["random input"] * random_input
    left |= random_input
    task = first_steps(name, Trainer, True).objective.main.kind or "-"
    several = WORLDS[1:]
    drawn: dict[int, Comparison] = {}
    off: dict[int, Comparison] = {}
    one = Reference(name, RankedTrainer, True) if draws or noisy else None
    if one:
        drawn = {world: one.on(world) for world in several}
    alone = one if left else Reference(name, Trainer, False)
    assert alone
    if not left:
        off = {world: alone.on(world) for world in WORLDS}
    refused, sharded = "", {}
    try:
        first_steps(name, ShardedTrainer, False)
        sharded = {world: alone.on(world, ShardedTrainer) for world in several}
    except LayerloomError as error:
        refused = error.message
    return Row(name, task, ", ".join(traits), drawn, off, sharded, refused)


def head() -> list[str]:
    """What was compared, and how."""
    one = [f"{world} against one process" for world in WORLDS]
    rank = [f"{world} against 1 rank" for world in WORLDS[1:]]
    sharded = [f"{world} sharded" for world in WORLDS[1:]]
    return [
        "# Templates on several processes",
        "",
        f"Compared on {date.today()} by `python -m tests.wings.launch.bench.rank_templates`: "
        f"torch {torch.__version__}, gloo, one thread for each process. The first {STEPS} steps "
        f"of an epoch and its last one, each of {ACCUMULATE} micro-batches of {MICRO_BATCH} "
        "samples. Equal: the SHA-256 of all weights on every process, and the "
        "loss of every step. Statistics: running ones of batch norm; differences are shares of "
        "the largest number of a tensor.",
        "",
        "Against one process: with dropout and noise off, as each micro-batch draws from a stream "
        "of its own on ranks. Against one rank: as drawn, where a template draws random numbers.",
        "",
        "Sharded: weights in parts (FSDP2), against one process, or against one rank where random "
        "blocks cannot be switched off.",
        "",
        f"| {' | '.join(['template', 'target', 'has', *one, *rank, *sharded])} |",
        "|---" * (3 + len(one) + len(rank) + len(sharded)) + "|",
    ]


def main(names: Sequence[str] = (), out: Path = TABLE) -> list[Row]:
    """Compare templates, all of them without names, and write the table."""
    torch.set_num_threads(1)
    known = sorted(path.name.removesuffix(".loom.json") for path in TEMPLATES.glob("*.loom.json"))
    rows: list[Row] = []
    for name in names or known:
        rows.append(row_of(name))
        print(rows[-1].line, flush=True)  # noqa: T201
        out.write_text("\n".join([*head(), *(row.line for row in rows), ""]))
    return rows


if __name__ == "__main__":
    sys.exit(0 if all(row.holds for row in main(sys.argv[1:])) else 1)
