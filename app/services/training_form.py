"""State of an open project's forms: suggestions, and when to reset them."""

from collections.abc import Mapping
from typing import Any

from core.data.sources.label_settings import KEYS as LABEL_KEYS
from core.project import Project
from core.project.values import frozen


class TrainingForm:
    """suggested: the settings that were suggested last, None for none; before_use: those before.

    data_epoch, training_epoch: count changes that the forms on data and training did not make; a
    form begins again with each, and only then, so that a choice just made is kept.
    """

    def __init__(self, doc_id: str, project: Project) -> None:
        self._doc_id = doc_id
        self.data_epoch = self.training_epoch = 0
        self.suggested: Mapping[str, Any] | None = None
        self.before_use: tuple[Mapping[str, Any], Mapping[str, Any] | None] | None = None
        self._data_seen = _data_names(project)

    @property
    def key(self) -> str:
        """What keys of widgets on the training begin with."""
        return f"{self._doc_id}:{self.training_epoch}" if self.training_epoch else self._doc_id

    def note_replaced(self, before: Project, after: Project) -> None:
        """Count what changed with another project in the place of `before`."""
        self.data_epoch += frozen(after.data) != frozen(before.data)
        if frozen(after.training) != frozen(before.training):
            self.note_training()
            self.suggested = None
            self._data_seen = _data_names(after)

    def note_training(self) -> None:
        """Count a change of the training settings."""
        self.training_epoch += 1
        self.before_use = None

    def takes_new_data(self, project: Project) -> bool:
        """Whether other data or another target is chosen than at the last call."""
        before, self._data_seen = self._data_seen, _data_names(project)
        return before != self._data_seen


def _data_names(project: Project) -> tuple[Any, ...]:
    keys = ("source", "root", "file", "target", "target_column", *LABEL_KEYS)
    return tuple(project.data.get(key) for key in keys)
