"""The settings of a run, checked against its data; training and `check` refuse the same."""

from collections.abc import Mapping
from typing import Any

from blocks.signature import Batch, Signature
from core.common.errors import TrainingError
from core.data import DataError, DataInfo, describe_project, ends
from core.prepare.requirements import REFUSED, Need, need
from core.project import Project
from core.settings.data_checks import check_with_data
from core.settings.validate import check_values, resolve


def checked_settings(project: Project, info: DataInfo) -> dict[str, Any]:
    """Every training setting of a project whose data is known. Raises TrainingError."""
    training = resolve(project.training, info.task, info.losses, info.rare)
    check_with_data(training, info)
    return training


def described(project: Project, report: Mapping[str, Any]) -> DataInfo:
    """What the data is for the ends of the network. Raises DataError.

    report: the analysis of the project's graph, in its JSON form.
    """
    pairs = [[_end(e) for e in report[side]] for side in ("inputs", "outputs")]
    return describe_project(project, *ends(pairs[0], pairs[1]))


def refused_settings(project: Project, report: Mapping[str, Any]) -> list[Need]:
    """What training would refuse of the settings, at most one thing, as an error of `check`.

    Where network and data do not say yet what the task is, each value is checked by itself.
    """
    try:
        info = _known_data(project, report)
        if info is None:
            check_values(project.training)
        else:
            checked_settings(project, info)
    except TrainingError as error:
        return [need(REFUSED, error.message, error.hint)]
    return []


def _known_data(project: Project, report: Mapping[str, Any]) -> DataInfo | None:
    """The data, where it can be described; own Python of a Dataset is not executed for that."""
    if report["source"] is None or project.data.get("source") == "Dataset":
        return None
    try:
        return described(project, report)
    except DataError:
        return None


def _end(end: Any) -> tuple[str, Signature]:
    if not isinstance(end, Mapping):
        return end
    shape = tuple(d if isinstance(d, int) else Batch() if d == "N" else None for d in end["shape"])
    return end["node"], Signature(shape, end["dtype"])
