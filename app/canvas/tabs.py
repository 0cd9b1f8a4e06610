"""Which browser tab changed a project last: two tabs on one project never overwrite each other.

Lives in the server's memory. After a restart every tab starts from the draft on disk. A draft that
another server wrote counts as that of another tab.
"""

import itertools
import threading
from dataclasses import dataclass

from core.project import Project


@dataclass(frozen=True)
class Visit:
    """One session of a browser tab. A reload is the next visit of the same tab.

    tab: the browser's own name for it, "" until it has told; number: grows with each visit.
    """

    sid: str
    tab: str
    number: int

    def follows(self, other: "Visit") -> bool:
        """Whether this is the same tab, at the same visit or a later one."""
        return self.sid == other.sid or (
            self.tab != "" and self.tab == other.tab and self.number > other.number
        )


@dataclass(frozen=True)
class Change:
    """The newest state of a project. stamp: grows with each change; by: who made it."""

    stamp: int
    by: Visit
    project: Project


visits = itertools.count(1)
_lock = threading.Lock()
_newest: dict[str, Change] = {}
_KEPT = 200
_locks = tuple(threading.RLock() for _ in range(64))


def draft_lock(key: str) -> threading.RLock:
    """Return the lock to hold while a change is noted and its draft written, or a draft is opened.

    Else a tab could begin with the draft before a change and be taken to know that change.
    """
    return _locks[hash(key) % len(_locks)]


def newest(key: str) -> Change | None:
    """Return the last change made to a project since the server started, or None."""
    with _lock:
        return _newest.get(key)


def record_change(key: str, by: Visit, project: Project, seen: int) -> Change | None:
    """Record a change by a tab that has received the changes up to `seen`.

    Returns what was noted; None, and nothing is noted, when another tab changed the project since.
    What the same tab sent before it was reloaded may come late: it never ends a newer drawing.
    """
    with _lock:
        last = _newest.pop(key, None)
        if last and last.by.sid != by.sid and not _on_top(last, by, seen):
            _newest[key] = last
            return None
        change = Change(last.stamp + 1 if last else seen + 1, by, project)
        _newest[key] = change
        while len(_newest) > _KEPT:
            del _newest[next(iter(_newest))]
        return change


def record_other_server(key: str, project: Project) -> None:
    """Record a change by a tab of another server, whose draft was found in place of ours."""
    last = newest(key)
    record_change(
        key, Visit("another server", "", next(visits)), project, last.stamp if last else 0
    )


def _on_top(last: Change, by: Visit, seen: int) -> bool:
    if by.tab and by.tab == last.by.tab:
        return by.follows(last.by)
    return last.stamp <= seen
