"""Validation of a search space: every value is tried by the rules that a run obeys."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from core.analyse import analyse_project
from core.common.errors import SweepError, TrainingError
from core.data import DataInfo, describe_project, ends
from core.prepare.try_value import try_value
from core.project import Project
from core.settings.class_balance import BALANCED
from core.settings.override import declared, put
from core.settings.validate import resolve
from core.tasks.metric_labels import higher_is_better
from core.wings.sweep.conditional import besides, tied
from core.wings.sweep.objectives import (
    SweepObjective,
    counts_classes,
    metric_objective,
    metrics_of,
    read_objectives,
)
from core.wings.sweep.search_space import Range, Searched, is_whole

WHOLE, NUMBERS = ("int", "size"), ("int", "size", "float")
KINDS = {"bool": "true or false", "choice": "a name", "text": "a text", "dims": "a list of numbers"}
MEASURES = ("loss", "loss_settings", "losses", "class_weights", "best_by")
"""Settings that change what the number is which trials are judged by."""
WEIGHING = ("loss", "loss_settings", "losses", "class_weights", "sampler")
"""Settings that decide whether each class counts the same."""
Scored = Sequence[SweepObjective]
"""The objectives of a sweep."""


@dataclass(frozen=True)
class Goal:
    """What trials are judged by: the metric that makes a run's best checkpoint."""

    metric: str
    direction: Literal["minimize", "maximize"]

    @property
    def maximise(self) -> bool:
        """Whether more is better."""
        return self.direction == "maximize"


def info_of(project: Project) -> DataInfo:
    """What the data of a project is. Raises DataError; SweepError where it is not here."""
    report = analyse_project(project)
    info = describe_project(project, *ends(report.inputs, report.outputs))
    if not info.here:
        message = f"{info.source} has not been downloaded."
        hint = f"Download it first ({info.download_bytes / 1e6:.0f} MB)."
        raise SweepError("data.source", message, hint)
    return info


def goal_of(project: Project, info: DataInfo) -> Goal:
    """What the runs of a project are judged by. Raises TrainingError, SweepError."""
    metric = resolve(project.training, info.task, info.losses, info.rare)["best_by"]
    if metric == "last":
        message = "training.best_by is last, so trials cannot be ranked."
        raise SweepError("best_by", message, "Add --set best_by=val_loss.")
    return Goal(metric, "maximize" if higher_is_better(metric) else "minimize")


def with_goal(project: Project, space: Sequence[Searched]) -> Project:
    """The project with what judges all trials alike, where a searched value would change it.

    Where one of them weighs classes, all go by balanced accuracy.
    """
    weighing = [each for each in space if each.key.partition(".")[0] in WEIGHING]
    if not weighing or project.training.get("best_by"):
        return project
    info = info_of(project)
    for each in weighing:
        for value in each.ends:
            with suppress(TrainingError):  # the check of all values names it
                if goal_of(put(project, {each.key: value}), info).metric == BALANCED:
                    return put(project, {"best_by": BALANCED})
    return project


def objectives_of(
    project: Project, info: DataInfo, names: Sequence[str]
) -> tuple[SweepObjective, ...]:
    """What trials of a project are scored by. names: () for the metric that `best_by` names.

    Raises TrainingError, SweepError.
    """
    if names:
        return read_objectives(names, metrics_of(info, counts_classes(project, info)))
    goal = goal_of(project, info)
    return (metric_objective(goal.metric, goal.direction),)


def goal_among(objectives: Sequence[SweepObjective]) -> Goal:
    """The first metric of several objectives, by which curves are drawn."""
    first = next(each for each in objectives if each.is_metric)
    return Goal(first.name, first.direction)


def check_all(project: Project, info: DataInfo, scored: Scored, searched: Searched) -> Searched:
    """Check one key and all that it may be; ranges become whole where their setting is.

    Raises SweepError naming key and value, and what is expected.
    """
    key, contexts = searched.key, besides(project, searched)
    setting = declared(contexts[0][1], key)
    _check_comparable(key, scored)
    if isinstance(searched, Range) and setting:
        if setting.kind not in NUMBERS:
            kind = KINDS.get(setting.kind, setting.kind)
            hint = f"Write {key}=A,B with the values to choose from."
            raise SweepError(key, f"{searched} is a range of numbers but {key} is {kind}.", hint)
        searched = _as_whole(searched, setting.kind in WHOLE)
    for beside, project_beside in contexts:
        for value in searched.ends:
            try_value(project_beside, info, key, value, beside)
    return searched


def _as_whole(searched: Range, whole: bool) -> Range:
    numbers = (searched.low, searched.high, searched.step)
    if whole and not all(is_whole(f"{number:g}") for number in numbers):
        message = f"{searched} needs whole numbers because {searched.key} is one."
        raise SweepError(
            searched.key, message, f"Write {searched.key}=LOW..HIGH without fractions."
        )
    return replace(searched, whole=whole)


def _check_comparable(key: str, scored: Scored) -> None:
    head = key.partition(".")[0]
    loss = next((each.name for each in scored if each.name.endswith("loss")), "")
    if head == "best_by" or (head in MEASURES and loss):
        metric = loss or goal_among(scored).metric
        message = f"{key} changes what {metric} measures, so trials could not be compared."
        hint = "Add --set best_by=val_accuracy." if head != "best_by" else "Fix it with --set."
        raise SweepError(key, message, hint)


def check(
    project: Project, info: DataInfo, scored: Scored, space: list[Searched]
) -> list[Searched]:
    """Check all that is searched, together. scored: the objectives. Raises SweepError."""
    keys = [each.key for each in space]
    if twice := [key for i, key in enumerate(keys) if key in keys[:i]]:
        hint = "Search it once, with all its values."
        raise SweepError(twice[0], f"{twice[0]} is searched twice.", hint)
    return [check_all(project, info, scored, each) for each in tied(project, space)]
