"""Marks of unhealthy blocks: a sentence with the measure, and remedies.

A remedy is offered only where it was measured to help, on 27 November 2026: each was trained, too,
and ended at least a twentieth of the way from the simple rule to perfect further up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from blocks import declaration, has
from core.graph.model import Graph, Node
from core.insight.over_time import thresholds
from core.insight.over_time.vitals import Vitals
from core.runs.remedies import FAR, Remedy, usual_lr
from core.runs.verdict_facts import Facts
from core.settings.optimizers import DEFAULT, has_trait
from core.settings.usual_rates import usual_rate

LEAKY = "LeakyReLU"


@dataclass(frozen=True)
class Mark:
    """path: of the block. words: on the card. text: a sentence with the number. kind: see ORDER."""

    path: str
    kind: str
    words: str
    text: str
    remedies: tuple[Remedy, ...] = ()

    def plain(self) -> dict[str, Any]:
        """The mark as JSON."""
        offers = [{"title": r.title, "changes": dict(r.changes)} for r in self.remedies]
        return {
            "path": self.path,
            "kind": self.kind,
            "words": self.words,
            "text": self.text,
            "remedies": offers,
        }


ORDER = ("dead", "saturated", "wide", "exploding", "update", "vanishing", "same")
"""The kinds of marks, the gravest first: a block has one, of several the first."""


def marks(vitals: Mapping[str, Vitals], graph: Graph, facts: Facts | None) -> list[Mark]:
    """What is sick, in the order in which blocks run. facts: of the run; None offers nothing."""
    sick = list(_sick(vitals, graph))
    kinds = {kind for _, kind, _, _ in sick}
    made: dict[str, Mark] = {}
    if kinds & {"dead", "saturated"}:  # then gradients vanish by that
        sick = [each for each in sick if each[1] != "vanishing"]
    for path, kind, words, text in sorted(sick, key=lambda each: ORDER.index(each[1])):
        offers = remedies(kind, kinds, graph, facts) if facts else ()
        made.setdefault(path, Mark(path, kind, words, text, offers))
    return [made[path] for path in vitals if path in made]


Sick = tuple[str, str, str, str]


def _sick(vitals: Mapping[str, Vitals], graph: Graph) -> Iterator[Sick]:
    pulls = (_pull(vital) for vital in vitals.values())
    largest = max((pull for pull in pulls if pull is not None and isfinite(pull)), default=0.0)
    reported: set[str] = set()
    for path, vital in vitals.items():
        for kind, words, text in (
            *_of_activation(path, vital, graph),
            *_of_weights(path, vital, largest),
        ):
            first = kind not in reported
            reported.add(kind)
            if first or kind not in ("same", "wide"):  # what comes after has it from there
                yield path, kind, words, text


def _of_activation(path: str, vital: Vitals, graph: Graph) -> Iterator[tuple[str, str, str]]:
    many = (vital.units or 0) >= thresholds.LEAST_UNITS
    if many and vital.dead is not None and vital.dead >= thresholds.DEAD:
        yield (
            "dead",
            f"{vital.dead:.0%} dead",
            f"{vital.dead:.0%} of the units of {path} are 0 for every sample: no "
            "gradient passes through them, so they no longer learn.",
        )
    flat, sure = vital.saturated, has(vital.block, "probabilities")
    most = thresholds.SURE if sure else thresholds.SATURATED
    if flat is not None and flat >= most and not _gives(graph, path):
        yield (
            "saturated",
            f"{flat:.0%} saturated",
            f"{flat:.0%} of the values of {path} lie where {vital.block} is flat: less than a "
            "twentieth of the gradient passes through.",
        )
    if vital.spread is not None and vital.spread > thresholds.WIDE:
        yield (
            "wide",
            f"std {vital.spread:,.0f}" if vital.spread < 1e6 else "std explodes",
            f"The values of {path} have a standard deviation of {vital.spread:.3g}; networks "
            "learn best near 1.",
        )
    if vital.differs is not None and vital.differs < thresholds.SAME:
        yield (
            "same",
            "all samples alike",
            f"Only {vital.differs:.2%} of the values of {path} change from sample to sample: "
            "later blocks can hardly tell samples apart.",
        )


def _of_weights(path: str, vital: Vitals, largest: float) -> Iterator[tuple[str, str, str]]:
    pull, ratio = _pull(vital), vital.update_ratio
    if pull is not None and pull > thresholds.EXPLODING:
        yield (
            "exploding",
            "gradient explodes",
            f"The gradient of {path} is {pull:.3g} times its weights.",
        )
    if pull is not None and largest and pull < thresholds.VANISHING * largest:
        share = f"{pull / largest:.1g} of the largest"
        text = f"Per weight, the gradient of {path} is {share}: it hardly learns."
        if not pull:
            text = f"{path} receives no gradient at all: it does not learn."
        yield ("vanishing", "gradient vanishes", text)
    if ratio is not None and ratio > thresholds.UPDATE:
        yield (
            "update",
            f"update {ratio:.0%}",
            f"One step changed the weights of {path} by {ratio:.0%} of their size; a thousandth "
            "is usual.",
        )


def _pull(vital: Vitals) -> float | None:
    """The gradient as a multiple of the weights."""
    if vital.gradient is None or not vital.weight:
        return None
    return vital.gradient / vital.weight


def _gives(graph: Graph, path: str) -> bool:
    """Whether a block's values are an answer or a gate, for which flat parts are right."""
    inner = graph
    *outer, name = path.split(".")
    for each in outer:
        node = inner.nodes.get(each)
        part = graph.composites.get(node.block) if node else None
        if part is None:
            return True  # inside of a repeat or of torch's own layer, whose wires are not drawn
        inner = part.graph
    after = (inner.nodes[e.target].block for e in inner.edges if e.source == name)
    return any(has(block, "end", "multiplies") for block in after)


def remedies(kind: str, kinds: set[str], graph: Graph, facts: Facts) -> tuple[Remedy, ...]:
    """What helps against a kind of mark in this network, the likeliest first."""
    lr, usual = float(facts.training.get("lr", 0.0) or 0.0), usual_lr(facts)
    lower = Remedy(f"Learning rate {usual:.2g}", {"lr": float(f"{usual:.2g}")})
    if lr > FAR * usual:
        return (lower,)
    plain = not has_trait(facts.training, "scale_free")
    if kind in ("exploding", "wide"):
        clips = plain and facts.training.get("clip_norm") is None and _guesses(facts)
        return (Remedy("Clip gradients at 1", {"clip_norm": 1.0}),) if clips else ()
    found = [
        n
        for n, node in graph.nodes.items()
        if has(node.block, "saturating") and not _gives(graph, n)
    ]
    if found and kind in ("vanishing", "same"):
        return (_relu(found, facts, plain),)
    leaky = {f"{n}.block": LEAKY for n, node in graph.nodes.items() if _may_fall_silent(node)}
    helps = leaky and "dead" in kinds and not plain  # at a high rate of SGD it does not
    return (Remedy("Replace ReLU with LeakyReLU", leaky),) if helps else ()


def _may_fall_silent(node: Node) -> bool:
    """Whether it is a ReLU: of those that are bounded above the remedy was not measured."""
    results = declaration(node.block).results(node.settings)
    return has(node.block, "rectifier") and results == (0.0, inf)


def _guesses(facts: Facts) -> bool:
    """Whether a run is no better than the simple rule yet, but for chance.

    Where it is, shorter gradients made it no better.
    """
    return bool(facts.metric) and facts.skills()[-1] <= facts.standard_error


def _relu(blocks: list[str], facts: Facts, plain: bool) -> Remedy:
    """ReLU in the place of blocks; of many, with steps that do not depend on gradients' size."""
    change: dict[str, Any] = {f"{name}.block": "ReLU" for name in blocks}
    if not plain:
        return Remedy("Replace them with ReLU", change)
    rate = usual_rate(facts.network, DEFAULT, 0.0, "")
    return Remedy(
        f"Replace them with ReLU, use {DEFAULT}",
        {**change, "optimizer": DEFAULT, "lr": float(f"{rate:.2g}")},
    )
