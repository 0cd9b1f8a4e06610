"""What the History page does: two versions as one drawing, going back to one, naming one."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from app.pages.shared.project_facts import when
from app.process.pool import PoolError
from app.services import paths
from app.services.document import Document, analyse
from app.services.project_runs import own_runs
from core.project import Project, open_project
from core.runs import listing
from core.runs.listing import RunView
from core.wings.team import version_store
from core.wings.team.compared import compare, words
from core.wings.team.history import PastVersion, before, who
from core.wings.team.ink import Ground
from core.wings.team.side_by_side import SideBySide, side_by_side
from core.wings.team.svg import Figure, drawing_alone
from core.wings.team.tables import DiffTable, remarks, tables
from core.wings.team.version_store import Version

BEFORE = "The version before"
MOST_RUNS = 50


@dataclass(frozen=True)
class Drawn:
    """Two versions to show. problem: why there are no costs, "" where there are."""

    figure: Figure
    problem: str = ""

    @property
    def title(self) -> str:
        """Both versions in a line."""
        return self.figure.title

    @property
    def words(self) -> str:
        """How much differs."""
        return words(self.figure.compared)

    @cached_property
    def tables(self) -> list[DiffTable]:
        """What stands beside the drawing."""
        return tables(self.figure.compared, self.figure.costs)

    @cached_property
    def remarks(self) -> list[str]:
        """Sentences on what no row says."""
        problem = [self.problem] if self.problem else []
        return [*remarks(self.figure.compared, self.figure.costs), *problem]

    def picture(self, ground: Ground) -> str:
        """The drawing as SVG, "" where it is the same."""
        return drawing_alone(self.figure, ground)


@dataclass(frozen=True)
class Side:
    """One of two projects that are compared. title: in a list; name: in a few letters."""

    title: str
    name: str
    when_s: float
    open: Callable[[], Project]


def side(moment: PastVersion, title: str = "") -> Side:
    """A version as one of two."""
    return Side(title, moment.of.id, moment.of.when_s, moment.open)


def others(document: Document, moments: list[PastVersion], chosen: PastVersion) -> list[Side]:
    """What a version may be compared with: the one before, the project now, runs, all others."""
    old = before(moments, chosen)
    first = side(old, BEFORE) if old else Side("Nothing", "nothing", 0.0, Project)
    now = Side("The project now", "now", math.inf, lambda: document.project)
    runs = own_runs(document, listing.list_runs(paths.runs_dir()))
    rest = [each for each in moments if each not in (old, chosen)]
    return [
        first,
        now,
        *(_run_side(view) for view in runs[:MOST_RUNS]),
        *(side(each, f"{when(each.of.when_s)} · {each.of.name or each.of.id}") for each in rest),
    ]


def _run_side(view: RunView) -> Side:
    file = view.dir / "project.loom.json"
    return Side(f"Run {view.dir.name}", view.dir.name, view.created_s, lambda: open_project(file))


def drawn(one: Side, other: Side) -> Drawn:
    """Two projects, the older one first. Raises ProjectError where one cannot be read."""
    old, new = sorted((one, other), key=lambda each: each.when_s)
    pair = old.open(), new.open()
    compared, names = compare(*pair), (old.name, new.name)
    if not pair[0].graph.nodes:  # nothing was there before the first version
        return Drawn(Figure(compared, names))
    try:
        costs: SideBySide | None = side_by_side(compared, analyse(pair[0]), analyse(pair[1]))
    except PoolError as error:
        return Drawn(Figure(compared, names), f"Shapes and costs are unknown: {error}")
    return Drawn(Figure(compared, names, costs))


def name(document: Document, moment: PastVersion, words: str) -> None:
    """Give a version a name. Raises OSError."""
    if isinstance(moment.of, Version):
        version_store.name_version(moment.project, moment.of, words, who(moment.project.parent))


def go_back(document: Document, moment: PastVersion) -> None:
    """Save a version again, as the newest one; what is not saved yet is saved first.

    Raises ProjectError where the version cannot be read or the file cannot be saved; what was
    drawn is a version then, or one step of undo away.
    """
    old = moment.open()
    if not document.session.saved:
        document.save()
    document.replace(replace(old, revision=""))
    document.save()
