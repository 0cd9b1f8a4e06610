"""Two projects compared: differences of graph and settings, and what only stands elsewhere."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.graph.difference import Difference
from core.project import Project
from core.project.base_names import path, scopes, under_base_names
from core.project.changes import Settings, beside, changes

BESIDE = {
    "name": "the name",
    "about": "the description",
    "notes": "the notes",
    "specialised": "what an import decided",
    "extra": "keys that this version of Layerloom does not know",
}
NEAR = 1.0
"""Pixels of the canvas by which a block may stand elsewhere and has not moved."""


@dataclass(frozen=True)
class TwoVersions:
    """Two projects and what differs. before: the old one, where blocks have the names of the new.

    former: new to old names of blocks in the main graph. moved: paths of blocks that stand
    elsewhere, where not all of that graph do. beside: names of other parts that differ.
    """

    old: Project
    new: Project
    before: Project
    graph: Difference
    settings: Settings
    former: Mapping[str, str]
    moved: tuple[str, ...]
    beside: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether nothing differs, places on the canvas included."""
        return not (self.graph or self.settings or self.moved or self.beside)


def compare(old: Project, new: Project) -> TwoVersions:
    """Compare two projects, by the names of the new one."""
    graph, settings = changes(old, new)
    before, names = under_base_names(new, old)
    others = tuple(part for part in beside(old, new) if part != "layout")
    moved = tuple(_moved(before, new))
    return TwoVersions(old, new, before, graph, settings, names.nodes.get("", {}), moved, others)


def words(compared: TwoVersions) -> str:
    """How much differs, in one line: 2 added, 1 removed, 3 changed."""
    found = compared.graph
    counts = {
        "added": len(found.added),
        "removed": len(found.removed),
        "changed": len(found.changed),
        "renamed": len(found.renamed),
        "moved": len(compared.moved),
        "wires added": len(found.wires_added),
        "wires removed": len(found.wires_removed),
        "settings changed": len(compared.settings),
    }
    listed = [f"{count} {what}" for what, count in counts.items() if count]
    return ", ".join(map(_one, listed)) or _otherwise(compared)


def _one(text: str) -> str:
    return text.replace("s ", " ", 1) if text.startswith("1 ") else text


def _otherwise(compared: TwoVersions) -> str:
    return f"only {named(compared.beside)}" if compared.beside else "nothing differs"


def named(beside: Sequence[str]) -> str:
    """Parts of a project beside its drawing and settings, in words."""
    return ", ".join(BESIDE[part] for part in beside)


def _moved(before: Project, new: Project) -> Iterator[str]:
    """Blocks that stand elsewhere. A graph that was shifted as a whole has not moved."""
    for scope, graph in scopes(new).items():
        steps: dict[str, tuple[float, float]] = {}
        for name in (path(scope, node) for node in graph.nodes):
            if name in before.layout and name in new.layout:
                (x, y), (was_x, was_y) = new.layout[name], before.layout[name]
                steps[name] = round(x - was_x), round(y - was_y)
        common, count = next(iter(Counter(steps.values()).most_common(1)), ((0, 0), 0))
        dx, dy = common if 2 * count > len(steps) else (0, 0)
        yield from (name for name, (x, y) in steps.items() if max(abs(x - dx), abs(y - dy)) > NEAR)
