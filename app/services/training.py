"""The training of an open project: how the data fits, why it cannot start, and its start."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.process import pool
from app.services import launch, paths
from app.services.document import Document, first_error
from blocks.signature import N, Signature
from core.common.errors import RunError
from core.data import DataError, DataInfo, describe, describe_project, ends
from core.data.facts.info import seed_of
from core.project import Project
from core.runs.listing import list_runs
from core.settings.data_checks import check_with_data
from core.settings.launcher import Launcher
from core.settings.validate import resolve


@dataclass(frozen=True)
class Fit:
    """How the data fits the network, or the one sentence why it does not."""

    info: DataInfo | None
    problem: str = ""


def fit(document: Document) -> Fit:
    """How the data fits the network, as far as the network is without errors."""
    report, failed = document.analysed(), document.session.analysis.failed
    if failed:
        return Fit(None, failed)
    outputs: list[Any] = report["outputs"] if report["ok"] else []
    try:
        return Fit(_describe(document.project, report["inputs"], outputs), first_error(report))
    except DataError as error:
        return Fit(None, first_error(report) or str(error))


def problem(project: Project, fit: Fit) -> str:
    """Why training cannot start, in one sentence; "" if it can."""
    if fit.problem or fit.info is None:
        return fit.problem
    if not fit.info.here:
        return f"{fit.info.source} is not on this machine yet; download it first."
    try:
        training = resolve(project.training, fit.info.task, fit.info.losses, fit.info.rare)
        check_with_data(training, fit.info)
    except RunError as error:
        return str(error)
    return ""


def start(
    document: Document,
    remedy: Mapping[str, Any] | None = None,
    launcher: Launcher | None = None,
) -> str:
    """Start a run of exactly this project and return its name. Raises PoolError.

    remedy: of which run it is one, {"run", "title", "changes"}, for the new run's lineage.
    launcher: where it is to train, None for one process of this machine.
    """
    runs = paths.runs_dir()
    document.settle_name({view.project_name for view in list_runs(runs)})
    given = document.text(), str(runs), document.beside, document.address, dict(remedy or {})
    spec = {} if launcher is None else launcher.as_spec()
    return pool.run(launch.launch, *given, spec, timeout_s=120)


def _describe(project: Project, inputs: list[Any], outputs: list[Any]) -> DataInfo:
    """Describe the data for these ends of the network; without outputs, for its Input alone."""
    if outputs:
        return describe_project(project, *ends(_signatures(inputs), _signatures(outputs)))
    signatures = _signatures(inputs)
    return describe(project.data, ends(signatures, signatures)[0], seed=seed_of(project.training))


def _signatures(ends: list[Any]) -> list[tuple[str, Signature]]:
    """Read the ends of a report from JSON; a size that is not plain becomes unknown."""
    sizes = [
        [N if d == "N" else d if isinstance(d, int) else None for d in e["shape"]] for e in ends
    ]
    return [(e["node"], Signature(tuple(s), e["dtype"])) for e, s in zip(ends, sizes, strict=True)]
