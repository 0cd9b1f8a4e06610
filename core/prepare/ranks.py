"""The settings of a run on several processes: the same samples in each step, cut for the ranks."""

from dataclasses import replace

from core.common.errors import TrainingError
from core.data import DataInfo
from core.prepare.settings import checked_settings
from core.project import Project
from core.settings.launcher import Launcher, check_sharding
from core.settings.step_settings import StepSettings


def cut_for_ranks(project: Project, info: DataInfo, launcher: Launcher, source: str) -> Project:
    """The project with the batches of a step as the ranks share them.

    source: of the network. Raises TrainingError where they cannot share them, or not its weights,
    or where the data is too small.
    """
    training = checked_settings(project, info)
    check_sharding(launcher, training, source)
    cut = launcher.cut(StepSettings.of(training))
    world = launcher.world
    if info.train_size < world:
        message = (
            f"The training split has {info.train_size} samples, too few for {world} processes."
        )
        raise TrainingError("data", message, f"Use at most {info.train_size} processes.")
    if training["sync_batchnorm"]:  # each start divides batches, and joins what batch norm sees
        return project
    return replace(project, training={**project.training, **cut.settings()})
