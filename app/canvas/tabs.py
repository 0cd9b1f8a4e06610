"""Which browser tab changed a project last: two tabs on one project never overwrite each other.

Lives in the server's memory. After a restart every tab starts from the draft on disk.
"""

import threading
from dataclasses import dataclass

from core.project import Project


@dataclass(frozen=True)
class Change:
    """The newest state of a project. stamp: grows with each change; sid: the tab's session."""

    stamp: int
    sid: str
    project: Project


_lock = threading.Lock()
_newest: dict[str, Change] = {}
_KEPT = 200


def newest(key: str) -> Change | None:
    """Return the last change made to a project since the server started, or None."""
    with _lock:
        return _newest.get(key)


def note(key: str, sid: str, project: Project, seen: int) -> Change | None:
    """Note a change by a tab that knows the changes up to `seen`.

    Returns what was noted; None, and nothing is noted, when another tab changed the project since.
    """
    with _lock:
        last = _newest.pop(key, None)
        if last and last.stamp > seen and last.sid != sid:
            _newest[key] = last
            return None
        change = Change(last.stamp + 1 if last else seen + 1, sid, project)
        _newest[key] = change
        while len(_newest) > _KEPT:
            del _newest[next(iter(_newest))]
        return change
