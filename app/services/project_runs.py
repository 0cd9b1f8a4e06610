"""The runs of a project: one rule for My work, Train, Compare, Look inside and bundles.

A run stores the name of its project and its id in the workbench: a file or a draft. That id decides
as long as the file or draft exists. Without it, the name of the project decides, or one of its
former names.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.services import paths
from app.services.document import Document
from core.project.drafts import has_draft
from core.project.former_names import former_names, names_since
from core.runs.listing import RunView

DRAFTS = ("new-", "run-")
"""Prefixes of the ids of unsaved projects: new ones, and drawings of runs."""


@dataclass(frozen=True)
class Owner:
    """A project as runs may name it. ids: its file and its draft; saved: whether it has a file."""

    ids: frozenset[str]
    name: str
    saved: bool


def owns(owner: Owner, view: RunView, names: Mapping[str, str] | None = None) -> bool:
    """Whether a run is of a project. names: next names of renamed projects, else read here."""
    if view.document in owner.ids:
        return True
    if not owner.name:
        return False
    if view.project_name != owner.name:
        known = former_names() if names is None else names
        if owner.name not in names_since(view.project_name, known):
            return False
    if view.document.startswith(DRAFTS):
        return owner.saved and not has_draft(view.document)
    return not view.document or _is_deleted(view.document)


def own_runs(document: Document, views: Sequence[RunView]) -> list[RunView]:
    """The runs of an open project, in the order that runs are given in.

    The drawing of a run has that run, and the others of its project.
    """
    run, named = document.begun
    ids = frozenset({document.address, document.doc_id, named or document.doc_id})
    owner = Owner(ids, document.project.name, document.path is not None)
    names = former_names()
    return [view for view in views if (run and view.dir.name == run) or owns(owner, view, names)]


def is_run_of(document: Document, view: RunView) -> bool:
    """Whether a run is one of an open project."""
    return bool(own_runs(document, [view]))


def _is_deleted(document: str) -> bool:
    """Whether the file of a run was in the workspace and no longer exists."""
    outside = document.startswith("~")
    return not outside and "\0" not in document and not (paths.workspace() / document).is_file()


def runs_of(owners: Sequence[Owner], views: Sequence[RunView]) -> list[tuple[RunView, ...]]:
    """The runs of each of many projects, in the order that runs are given in."""
    names, indices_by_word = former_names(), defaultdict[str, list[int]](list)
    for number, view in enumerate(views):
        for word in {
            f"id {view.document}",
            *(f"name {name}" for name in names_since(view.project_name, names)),
        }:
            indices_by_word[word].append(number)
    found: list[tuple[RunView, ...]] = []
    for owner in owners:
        words = [f"name {owner.name}", *(f"id {each}" for each in owner.ids)]
        near = sorted({number for word in words for number in indices_by_word.get(word, ())})
        found.append(tuple(views[n] for n in near if owns(owner, views[n], names)))
    return found
