"""Objectives of a sweep: what a trial is scored by, one declaration each.

A cost such as `params` is measured from the analysed drawing before the trial starts, a metric
such as `val_accuracy` at the run's best checkpoint, `latency` from the trained run. No torch is
imported before something is measured.
"""

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.common.errors import SweepError
from core.data import DataInfo
from core.project import Project
from core.settings.class_balance import counts_each_class
from core.settings.validate import resolve
from core.tasks.metric_labels import BALANCED, METRICS, better, metric_words
from core.tasks.registry import KINDS
from core.wings.sweep.objective_text import objective_text

if TYPE_CHECKING:
    from core.analyse.report import Report

Direction = Literal["minimize", "maximize"]
LATENCY = (
    "Latency is the median of up to 50 forward passes of one sample after a warm-up, as processor "
    "time of one thread on the machine of the sweep, with two digits."
)
MOST = 4
"""Objectives of one sweep: a front of more has almost every trial on it."""
VALIDATION = "val_"


@dataclass(frozen=True)
class SweepObjective:
    """One objective. words: its name for people; unit: behind a value ("ms"); note: how it is
    measured, where the name does not say so.

    of_drawing: how it is measured from the analysed drawing; of_run: how from the folder of a run
    that has ended. With neither it is a metric of the run's best checkpoint.
    """

    name: str
    words: str
    direction: Direction
    unit: str = ""
    of_drawing: Callable[["Report"], float] | None = None
    of_run: Callable[[Path], float] | None = None
    note: str = ""

    @property
    def maximise(self) -> bool:
        """Whether more is better."""
        return self.direction == "maximize"

    @property
    def is_metric(self) -> bool:
        """Whether it is a metric of the run, so that its curve shows how a trial does."""
        return self.of_drawing is None and self.of_run is None

    def text(self, value: float | None) -> str:
        """A value for people: "97.2%", "1,591", "0.12 ms"; "" without one."""
        return objective_text(self.json(), value)

    def json(self) -> dict[str, Any]:
        """The objective as results.json and `--json` have it."""
        kind = "metric" if self.is_metric else "cost"
        about = {"name": self.name, "words": self.words, "direction": self.direction}
        noted = {"note": self.note} if self.note else {}
        return {**about, "unit": self.unit, "kind": kind, **noted}


def _parameters(report: "Report") -> float:
    return float(report.total_params)


def _mult_adds(report: "Report") -> float:
    from core.insight.meta_pass import measure

    return float(sum(measure(report).mult_adds.values()))


def _bytes(report: "Report") -> float:
    from core.wings.sweep.measure import weight_bytes

    return float(weight_bytes(report))


def _latency(run_dir: Path) -> float:
    from core.wings.sweep.measure import latency_ms

    return latency_ms(run_dir)


COSTS = {
    cost.name: cost
    for cost in (
        SweepObjective("params", "parameters", "minimize", of_drawing=_parameters),
        SweepObjective("mult_adds", "multiply-adds", "minimize", of_drawing=_mult_adds),
        SweepObjective("bytes", "bytes of the weights", "minimize", of_drawing=_bytes),
        SweepObjective(
            "latency", "latency of one sample", "minimize", "ms", of_run=_latency, note=LATENCY
        ),
    )
}
"""Objectives besides the metrics of a run."""


def counts_classes(project: Project, info: DataInfo) -> bool:
    """Whether runs of a project measure balanced accuracy. Raises TrainingError."""
    training = resolve(project.training, info.task, info.losses, info.rare)
    return counts_each_class(training, info.task, info.rare)


def metrics_of(info: DataInfo, each_class: bool = False) -> list[str]:
    """Validation metrics that runs on this data have, the loss first.

    each_class: whether balanced accuracy is among them.
    """
    plain = not any(term.trains for term in info.terms)
    names = [f"{VALIDATION}loss"]
    for term in info.terms:
        if metrics := KINDS[term.kind].metrics:
            prefix = VALIDATION if plain else f"{VALIDATION}{term.name}_"
            names += [prefix + name for name in metrics.script.metrics]
            names += [f"{prefix}{BALANCED}"] if each_class and KINDS[term.kind].one_class else []
            plain = False
    return names


def metric_objective(name: str, direction: Direction) -> SweepObjective:
    """A metric of a run's best checkpoint as an objective."""
    return SweepObjective(name, metric_words(name), direction)


def read_objectives(names: Sequence[str], metrics: Sequence[str]) -> tuple[SweepObjective, ...]:
    """The objectives of these names. metrics: those that runs of this project have.

    `accuracy` is short for `val_accuracy`. Raises SweepError for what cannot be an objective.
    """
    objectives = tuple(_read(name, metrics) for name in names)
    found = [each.name for each in objectives]
    if twice := [name for i, name in enumerate(found) if name in found[:i]]:
        raise SweepError("objective", f"{twice[0]} is an objective twice.", "Name it once.")
    if len(found) > MOST:
        message = f"A sweep has at most {MOST} objectives but receives {len(found)}."
        raise SweepError("objective", message, "Two or three make a front that can be read.")
    if found and not any(each.is_metric for each in objectives):
        message = f"{' and '.join(found)} alone need no training, so no trial would learn anything."
        hint = f"Add a metric, such as --objective {next(iter(metrics), 'val_loss')}."
        raise SweepError("objective", message, hint)
    return objectives


def _read(name: str, metrics: Sequence[str]) -> SweepObjective:
    if name in COSTS:
        return COSTS[name]
    full = name if name.startswith(VALIDATION) else VALIDATION + name
    last = full.rpartition("_")[2]
    if full in metrics and better(full):
        return metric_objective(full, "maximize" if better(full) == "higher" else "minimize")
    known = [each for each in metrics if better(each)] + [*COSTS]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    why = f": {_why_not(last, full in metrics)}." if last in METRICS else "."
    message = f"{name:.60} cannot be an objective of this project{why}"
    raise SweepError("objective", message, f"{hint}Choose from {', '.join(known)}.")


def _why_not(metric: str, measured: bool) -> str:
    """Why a metric that runs may have is no objective of these."""
    if measured:
        return "neither high nor low values of it are better"
    having = [kind for kind in KINDS if metric in _measured(kind)]
    of = f", which targets of the kind {' or '.join(map(_plain, having))} have" if having else ""
    return f"its runs do not measure {metric}{of}"


def _measured(kind: str) -> Sequence[str]:
    metrics = KINDS[kind].metrics
    return tuple(metrics.script.metrics) if metrics else ()


def _plain(kind: str) -> str:
    return kind.replace("_", " ")


def costs_of(objectives: Sequence[SweepObjective], report: "Report") -> dict[str, float]:
    """The costs that the drawing decides, by name."""
    return {each.name: each.of_drawing(report) for each in objectives if each.of_drawing}


def value_of(
    objective: SweepObjective, costs: Mapping[str, Any], best: Mapping[str, Any], run_dir: Path
) -> float | None:
    """The value of an objective for a run that has ended; None where it is not a number.

    costs: as `costs_of` gives them; best: the best checkpoint of the run, {} without one. Raises
    LayerloomError where the run cannot be measured.
    """
    if objective.of_drawing:
        value = costs.get(objective.name)
    elif objective.of_run:
        value = objective.of_run(run_dir)
    else:
        own = best.get("value") if best.get("metric") == objective.name else None
        value = best.get("metrics", {}).get(objective.name) if own is None else own
    number = isinstance(value, int | float) and math.isfinite(value)
    return float(value) if number and value is not None else None
