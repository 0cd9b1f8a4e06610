"""The history of a project: kept versions and commits in one list, and what changed in each."""

import getpass
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.common.errors import ProjectError
from core.files.home import account
from core.project import Project
from core.project.changes import changed_lines
from core.wings.team import commits, version_store
from core.wings.team.commits import Commit
from core.wings.team.compared import compare, words
from core.wings.team.version_store import Version

FEWEST = 4
"""Characters that name a version at least."""
FIRST = "the first version"
FEW_LINES, LONGEST = 2, 100
"""Up to so many lines and characters, what changed is said in full."""


@dataclass(frozen=True)
class PastVersion:
    """A version of a project in its history: one that was kept, or a commit."""

    project: Path
    of: Version | Commit

    @property
    def kind(self) -> str:
        """What it is: version or commit."""
        return "commit" if isinstance(self.of, Commit) else "version"

    def open(self) -> Project:
        """Its project. Raises ProjectError."""
        return _opened(self)


@lru_cache(maxsize=32)
def _opened(moment: PastVersion) -> Project:
    if isinstance(moment.of, Commit):
        return commits.open_commit(moment.project, moment.of)
    return version_store.open_version(moment.project, moment.of)


def history(project: Path) -> list[PastVersion]:
    """All versions of a project's file, newest first."""
    project = project.resolve()
    found = [*version_store.list_versions(project), *commits.commits_of(project)]
    found.sort(key=lambda each: each.when_s, reverse=True)
    return [PastVersion(project, each) for each in found]


def before(moments: list[PastVersion], moment: PastVersion) -> PastVersion | None:
    """The version before one, of its kind; None for the first."""
    of_kind = [each for each in moments if each.kind == moment.kind]
    after = of_kind[of_kind.index(moment) + 1 :]
    return after[0] if after else None


def what_changed(moments: list[PastVersion], moment: PastVersion) -> str:
    """What changed in a version since the one before it, in a line."""
    return _words(before(moments, moment), moment)


@lru_cache(maxsize=2048)
def _words(old: PastVersion | None, new: PastVersion) -> str:
    if old is None:
        return FIRST
    try:
        was, now = old.open(), new.open()
    except ProjectError as error:
        return str(error)
    lines = changed_lines(was, now)
    in_full = "; ".join(lines)
    short = 0 < len(lines) <= FEW_LINES and len(in_full) < LONGEST
    return in_full if short else words(compare(was, now))


def find(project: Path, name: str) -> PastVersion:
    """The version of an id, the beginning of one, or a name. Raises ProjectError."""
    moments = history(project)
    kept_ones = [each for each in moments if isinstance(each.of, Version) and name]
    named = [each for each in kept_ones if each.of.name == name]
    by_id = [each for each in moments if len(name) >= FEWEST and _whole(each).startswith(name)]
    found = named or by_id
    if len({_whole(each) for each in found}) != 1:
        count = "several versions" if found else "no version"
        raise ProjectError(
            project.name,
            f"has {count} called {name}.",
            "`layerloom history FILE` lists all.",
        )
    return found[0]


def _whole(moment: PastVersion) -> str:
    return moment.of.commit if isinstance(moment.of, Commit) else moment.of.text


@lru_cache(maxsize=64)
def who(folder: Path) -> str:
    """Who works in a folder: the account of a class, else the name that git has, else the login."""
    if name := account() or commits.user_name(folder):
        return name
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
