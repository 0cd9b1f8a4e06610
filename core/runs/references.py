"""Results of a template on the data of a run, and blocks that only the template has.

The figures are in `projects/results.json`, one for each embedded data set; the bench of first
networks writes them (tests/bench/first_networks.py). What networks have is read off their drawings.
No torch.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from blocks import has, of_family
from core.project.templates import FOLDER, load_template
from core.runs.verdict_facts import Facts
from core.settings.network_facts import Network, facts_of
from core.tasks.metric_labels import ACCURACY, METRICS, better, measure_words, phrase, shown

RESULTS = FOLDER / "results.json"
HALF = 2
"""Times as many layers in the template: fewer more explain nothing by themselves."""
POINTS = 0.03
"""How much less than the template is short of it: 3 points, or one sample where that is more."""
COMPARED = ("made", "target", "inputs", "limit", "noise")
"""Settings of data that have to be the template's for a figure to be of the same task."""
RELATING = {
    "recurrent": "recurrence",
    "convolution": "convolution",
    "attention": "attention",
}
"""Families that relate the places of a sample to each other, and what that is called."""
ALONE = ("ends", "linear", "activation", "normalisation", "embedding", "dropout")
"""Families that treat each place of a sample by itself, where nothing turns the sample around."""
BEHIND = ("averages", "regroups")
"""Traits of what may stand beside them where an average over the places is what goes on."""


@dataclass(frozen=True)
class Reference:
    """A template's result. metric: of validation, at its best epoch; steps: of its whole run.

    value: the mean over seeds, where the bench trains several; least: of the seed that came least
    far, as other seeds make other parts to validate with.
    """

    template: str
    title: str
    metric: str
    value: float
    least: float
    steps: int
    network: Network


@dataclass(frozen=True)
class Short:
    """How a run falls short of a template. reached: its own value of the reference's metric."""

    reference: Reference
    reached: float
    text: str

    @property
    def brief(self) -> str:
        """The template's figure in a few words."""
        return f"the template reaches {figure(self.reference.metric, self.reference.value)}"


def figure(metric: str, value: float) -> str:
    """A value as people read it, short: "97.2%", "R² 0.91", "1.2% label error rate"."""
    words, bare = measure_words(metric), _bare(metric, value)
    return bare if words == METRICS[ACCURACY].words else phrase(metric, bare, words)


def _bare(metric: str, value: float) -> str:
    return shown(metric, value, digits=3)


@cache
def recorded() -> Mapping[str, Mapping[str, Any]]:
    """What was measured, by data set: template, metric, value, least, steps."""
    return json.loads(RESULTS.read_text("utf-8"))


@cache
def measured_on(source: str) -> tuple[Reference, Mapping[str, Any]]:
    """The reference of a data set, and the data settings that it is of."""
    row = recorded()[source]
    project = load_template(row["template"])
    found = Reference(
        row["template"],
        project.name,
        row["metric"],
        row["value"],
        row["least"],
        row["steps"],
        facts_of(project.graph),
    )
    return found, project.data


def reference_for(data: Mapping[str, Any]) -> Reference | None:
    """The template's result on this data; None where none was measured for such settings."""
    source = str(data.get("source"))
    if source not in recorded():
        return None
    reference, own = measured_on(source)
    return reference if all(data.get(key) == own.get(key) for key in COMPARED) else None


def short_of(facts: Facts) -> Short | None:
    """How an ended run falls short of the template of its data; None where it does not."""
    reference = None if facts.live else reference_for(facts.data)
    if reference is None or not facts.count or reference.metric not in facts.epochs:
        return None
    reached = _reached(facts, reference)
    samples = float(facts.baseline.get("samples", 0) or 0)
    margin = max(POINTS, 1.5 / samples if samples else 0.0)
    missing = reached - reference.least if _less(reference) else reference.least - reached
    return Short(reference, reached, _text(facts, reference)) if missing > margin else None


def _less(reference: Reference) -> bool:
    return better(reference.metric) == "lower"


def _reached(facts: Facts, reference: Reference) -> float:
    """The value at the epoch whose weights are kept, else the best of all."""
    values = facts.column(reference.metric)
    if 0 < facts.best <= len(values):
        return values[facts.kept]
    return min(values) if _less(reference) else max(values)


def _text(facts: Facts, reference: Reference) -> str:
    there = f"The template “{reference.title}” reaches {figure(reference.metric, reference.value)}"
    lacks = what_it_lacks(reference, facts)
    return f"{there}. {' '.join(lacks)}" if lacks else f"{there}, with blocks of the same kinds."


def what_it_lacks(reference: Reference, facts: Facts) -> list[str]:
    """Sentences on what the template has and this network has not, the gravest first."""
    own, other = facts.network, reference.network
    found = [*_places(facts, other), *_kinds(own, other)]
    if HALF * own.layers <= other.layers:
        found.append(f"It has {other.layers} layers with weights, this network {own.layers}.")
    if facts.steps < 0.8 * reference.steps:
        found.append(f"It makes {reference.steps:,} steps, this run made {facts.steps:,}.")
    return found[:3]


def _places(facts: Facts, other: Network) -> list[str]:
    """How a network that does not relate places to each other loses what the template uses."""
    own = facts.network
    others = {block for block in own.blocks if not of_family(block, *ALONE)}
    if not other.families & RELATING.keys() or not own.blocks:
        return []
    if not others:
        return ["No block of this network looks at more than one position at a time."]
    if all(has(block, *BEHIND) for block in others) and (name := _average(facts)):
        return [f"This network averages over all positions ({name}), so their order is lost."]
    one, none = (any(has(block, "selects") for block in each.blocks) for each in (own, other))
    if "recurrent" in own.families and one and not none:
        return ["This network predicts from its last state only."]
    return []


def _average(facts: Facts) -> str:
    """The block that averages over the dimension after the batch's, "" where none does."""
    found = (
        name
        for name, (block, given) in facts.blocks.items()
        if has(block, "averages") and given.get("dim") in (1, [1], (1,))
    )
    return next(found, "")


def _kinds(own: Network, other: Network) -> list[str]:
    """What relates places in the template, and its normalisation, where this network has none."""
    wanted = {**RELATING, "normalisation": "normalisation"}
    if any(has(block, "transformer") for block in own.blocks):
        wanted.pop("normalisation")  # it is inside
    missing = [
        f"{words} ({', '.join(other.of_family(family))})"
        for family, words in wanted.items()
        if family in other.families - own.families
    ]
    if not missing:
        return []
    return [f"The template has {' and '.join(missing)}, which this network does not have."]
