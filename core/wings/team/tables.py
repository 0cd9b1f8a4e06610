"""What stands beside the drawing of two versions: settings, costs, shapes, as rows of text."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.project.changes import shown
from core.wings.team.compared import TwoVersions, named
from core.wings.team.side_by_side import NOTHING, SideBySide, VersionCost, number


@dataclass(frozen=True)
class DiffRow:
    """A row: what it is about, in the old version and in the new one."""

    name: str
    was: str
    now: str

    @property
    def arrow(self) -> str:
        """Old and new as one text; once where they are equal."""
        return self.now if self.was == self.now else f"{self.was} → {self.now}"


@dataclass(frozen=True)
class DiffTable:
    """Rows with a title above them."""

    title: str
    rows: tuple[DiffRow, ...]


def tables(compared: TwoVersions, costs: SideBySide | None) -> list[DiffTable]:
    """All tables that have a row. costs: None where nothing was analysed."""
    settings = tuple(
        DiffRow(name, shown(was), shown(now)) for name, (was, now) in compared.settings.items()
    )
    found = [DiffTable("Settings of data and training", settings)]
    if costs:
        totals = (
            DiffRow(name, number(was), number(now)) for name, (was, now) in costs.totals.items()
        )
        blocks = (DiffRow(row.name, _cost(row.was), _cost(row.now)) for row in costs.rows)
        found.append(DiffTable("Cost for one sample", tuple(totals)))
        found.append(DiffTable("Blocks with another shape or cost", tuple(blocks)))
    return [table for table in found if table.rows]


def remarks(compared: TwoVersions, costs: SideBySide | None) -> Iterator[str]:
    """Sentences on what no row says."""
    if compared.beside:
        yield f"Also different: {named(compared.beside)}."
    for version, error in zip(("old", "new"), costs.errors if costs else (), strict=False):
        if error:
            yield f"Costs of the {version} version are unknown: {error}"


def _cost(cost: VersionCost | None) -> str:
    if cost is None:
        return NOTHING
    parts = [cost.shape] if cost.shape else []
    parts += [f"{cost.params:,} parameters"] if cost.params else []
    parts += [f"{cost.mult_adds:,} multiply-adds"] if cost.mult_adds else []
    return ", ".join(parts) or NOTHING
