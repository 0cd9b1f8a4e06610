"""Drafts of one open project: its own, and one aside while another tab has its place."""

import logging
from dataclasses import replace

from core.project import Project, ProjectError
from core.project.drafts import Key, drop_draft, load_draft, save_draft, stamp_of
from core.project.title import title

_LOG = logging.getLogger(__name__)
OTHER_TAB = "(other tab)"
"""What the name of a version ends with that lost its place to that of another tab."""
_written: dict[Key, str] = {}
"""What tells the draft that this server wrote last, by the project."""


class DraftStore:
    """key: what the draft belongs to: the file, or the id of a project that was never saved.

    base_revision: that of the file the draft started from, "" for none. seen: what tells the draft
    that this one began with, or wrote last.
    """

    def __init__(self, key: Key, base_revision: str = "") -> None:
        self.key = key
        self.base_revision = base_revision
        self.seen = stamp_of(key)

    def elsewhere(self) -> Project | None:
        """The draft where another server wrote it, which has the same project open."""
        if stamp_of(self.key) in ("", self.seen, _written.get(self.key)):
            return None
        try:
            draft = load_draft(self.key)
        except ProjectError as error:  # it is no drawing that could be lost
            _LOG.warning("the draft of another server: %s", error)
            return None
        self.seen = stamp_of(self.key)
        return draft.project if draft else None

    def keep(self, project: Project) -> None:
        """Write a draft. Raises OSError."""
        try:
            save_draft(self.key, project, self.base_revision)
        except ProjectError as error:
            raise OSError(str(error)) from error
        self.seen = _written[self.key] = stamp_of(self.key)

    def keep_aside(self, project: Project, sid: str) -> None:
        """Write a draft of its own, which does not take the other tab's place. Raises OSError."""
        try:
            save_draft(_aside(sid), replace(project, name=f"{title(project)} {OTHER_TAB}"))
        except ProjectError as error:
            raise OSError(str(error)) from error

    def back_up(self, sid: str) -> None:
        """Make the other tab's draft a backup; this tab's then has its place."""
        try:
            drop_draft(self.key)
            drop_draft(_aside(sid))
        except ProjectError as error:
            _LOG.warning("no backup of the other tab's draft: %s", error)

    def end(self, key: Key | None = None) -> None:
        """Make the draft of what was saved a backup; one that has to stay does no harm."""
        try:
            drop_draft(key or self.key)
        except ProjectError as error:
            _LOG.warning("the draft stays: %s", error)


def _aside(sid: str) -> str:
    return f"new-{sid[:12]}"
