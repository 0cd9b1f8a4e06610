"""Marks of health, held against sick networks and templates: `python -m tests.bench.health_marks`.

Each sick network is trained, its marks and the remedies they offer are noted, and every remedy is
trained as well. It helps where the run ends at least a twentieth of the way from the simple rule to
perfect further up. Templates are trained and looked at after their first, middle and last epoch:
none of their blocks may be marked. The table goes to tests/bench/health_marks.md. `--cases` and
`--templates` name some of them; without either all are taken.
"""
# ruff: noqa: T201

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from core.analyse import analyse_project
from core.insight.load_model import OpenedNetwork, open_run
from core.insight.over_time.marks import Mark, marks
from core.insight.over_time.vitals import vitals
from core.prepare.create import prepare
from core.project import Project
from core.project.templates import list_templates, load_template
from core.project.values import frozen
from core.runs import epoch_weights
from core.runs.verdict_facts import read_facts
from core.settings.override import put
from core.worker.main import main as train
from tests.bench.verdict_cases import Block, Case, linear, mlp

FIGURES = Path(__file__).with_name("health_marks.md")
HELPS = 0.05
EPOCHS = 8
"""Of a template at most."""
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


@dataclass(frozen=True)
class Row:
    """A sick network: marks seen, how it ended, and each remedy with its end."""

    case: Case
    seen: tuple[str, ...]
    rule: float
    ended: float
    remedied: tuple[tuple[str, float, bool], ...]


def run_of(project: Project, folder: Path) -> Path:
    """Train a project; the folder of its run."""
    run = prepare(project, analyse_project(project), folder)
    train(run)
    return run


def marks_at(run: Path, epoch: int) -> list[Mark]:
    """The marks of a run after an epoch."""
    network: OpenedNetwork = open_run(run, f"epoch-{epoch:06d}")
    norms = epoch_weights.read_notes(epoch_weights.path_of(run, epoch))["norms"]
    found = vitals(network, network.dataset.all_validation()[0], norms)
    return marks(found, network.project.graph, read_facts(run))


def at_times(run: Path) -> Iterator[tuple[int, list[Mark]]]:
    """The marks after the first, a middle and the last epoch."""
    kept = [epoch for epoch in epoch_weights.epochs(run) if epoch]
    for epoch in sorted({kept[0], kept[len(kept) // 2], kept[-1]}):
        yield epoch, marks_at(run, epoch)


def measured(case: Case, folder: Path) -> Row:
    """Train a sick network and all that its marks offer."""
    run = run_of(case.project, folder)
    found = [mark for _, each in at_times(run) for mark in each]
    facts = read_facts(run)
    ended = facts.column(facts.metric)[-1]
    offers = {remedy.title: remedy for mark in found for remedy in mark.remedies}
    remedied: list[tuple[str, float, bool]] = []
    for title, remedy in offers.items():
        other = read_facts(run_of(put(case.project, remedy.changes), folder))
        value = other.column(other.metric)[-1]
        remedied.append((title, value, other.skill(value) >= facts.skill(ended) + HELPS))
    seen = tuple(dict.fromkeys(mark.kind for mark in found))
    return Row(case, seen, facts.rule, ended, tuple(remedied))


def alarms(name: str, folder: Path) -> list[str]:
    """The marks of a trained template, in words."""
    project = load_template(name)
    epochs = min(EPOCHS, int(project.training.get("epochs", EPOCHS)))
    training: Mapping[str, Any] = {**project.training, "epochs": epochs, "threads": 1}
    run = run_of(replace(project, training=frozen(training)), folder)
    return [f"epoch {epoch}: {mark.text}" for epoch, each in at_times(run) for mark in each]


def table(rows: Sequence[Row], found: Mapping[str, Sequence[str]]) -> str:
    """Both tables as Markdown."""
    lines = [
        "# Marks of health", "",
        "`python -m tests.bench.health_marks`; accuracy on the validation samples of the digits "
        "after 10 epochs, of the wines (inputs not scaled) after 40, torch "
        f"{torch.__version__}.", "",
        "| sick network | marks | ended | remedy | ended | helps |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for row in rows:
        for title, value, helps in row.remedied or (("none", row.ended, False),):
            lines.append(f"| {row.case.name} | {', '.join(row.seen) or 'none'} | {row.ended:.1%} | "
                         f"{title} | {value:.1%} | {'yes' if helps else 'no'} |")  # fmt: skip
    quiet = sum(not each for each in found.values())
    lines += ["", f"{quiet} of {len(found)} templates have no mark after their first, middle and "
              f"last epoch (of at most {EPOCHS})."]  # fmt: skip
    lines += [f"- {name}: {text}" for name, texts in found.items() for text in texts]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, nargs="*", default=None)
    parser.add_argument("--templates", nargs="*", default=None)
    parser.add_argument("--out", type=Path, default=FIGURES)
    asked = parser.parse_args(arguments)
    some = asked.cases is not None or asked.templates is not None
    cases = range(len(CASES)) if not some else asked.cases or ()
    names = sorted(t.name for t in list_templates()) if not some else asked.templates or ()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("LAYERLOOM_HOME", folder)
        rows = [measured(CASES[k], Path(folder)) for k in cases]
        found = {name: alarms(name, Path(folder)) for name in names}
    text = table(rows, found)
    asked.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
