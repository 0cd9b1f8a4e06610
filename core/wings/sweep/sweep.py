"""A sweep that is open in this process: its request, project, study and worker."""

from dataclasses import dataclass
from pathlib import Path

import optuna

from core.project import Project
from core.settings.launcher import Launcher
from core.wings.sweep.check import Goal
from core.wings.sweep.files import SweepRequest
from core.wings.sweep.objectives import SweepObjective
from core.wings.sweep.search_space import Searched
from core.wings.sweep.workers import SharedLock, SweepWorker


@dataclass
class Sweep:
    """An open sweep. project: with the fixed settings. beside: where the project's file is.

    goal: the metric that curves and early stopping go by, the first one of `objectives`. counted:
    whether all combinations are enqueued. worker: this process among those that share the folder.
    launcher: where trials train, None for one process of this machine.
    """

    runs_dir: Path
    request: SweepRequest
    project: Project
    space: list[Searched]
    goal: Goal
    objectives: tuple[SweepObjective, ...]
    study: optuna.Study
    lock: SharedLock
    worker: SweepWorker
    beside: Path | None = None
    counted: bool = False
    launcher: Launcher | None = None

    @property
    def several(self) -> bool:
        """Whether trials are compared by more than one objective."""
        return len(self.objectives) > 1
