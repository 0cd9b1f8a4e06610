"""One value of a setting, tried by the rules that a run obeys."""

from typing import Any

from core.analyse import analyse_project
from core.common.errors import SweepError, TrainingError
from core.data import DataError, DataInfo
from core.data.facts.settings import read_settings
from core.project import Project, ProjectError, read_text, write_text
from core.settings.literal import text_of
from core.settings.override import of_block, put
from core.settings.validate import resolve

NEVER = ("bad_setting", "unknown_setting", "unknown_block")
"""Findings about a value itself, whatever else is drawn."""


def try_value(
    project: Project, info: DataInfo | None, key: str, value: Any, beside: str = ""
) -> None:
    """Raises SweepError where a key can never have a value. info: None leaves out training."""
    changed = put(project, {key: value})
    wrong = f"{key} cannot be {text_of(value)}{beside}"
    try:
        if of_block(key, project.graph):
            _check_block(key, wrong, read_text(write_text(changed)))
        elif key.startswith("data."):
            read_settings(changed.data)
        elif info is not None:
            resolve(changed.training, info.task, info.losses, info.rare)
    except (DataError, ProjectError) as error:
        raise SweepError(key, f"{wrong}: {error.message}", error.hint) from error
    except TrainingError as error:
        if error.subject.removeprefix("training.").startswith(key.partition(".")[0]):
            raise SweepError(key, f"{wrong}: {error.message}", error.hint) from error


def _check_block(key: str, wrong: str, project: Project) -> None:
    node = key.partition(".")[0]
    for error in analyse_project(project).errors:
        if error.node == node and error.code in NEVER:
            raise SweepError(key, f"{wrong}: {error.message}", error.hint)
