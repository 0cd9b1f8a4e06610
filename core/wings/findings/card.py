"""The data card: what in a data set leads to a wrong model. One function for page and command.

Runs torch for the split of the project; it executes nothing that a project brings along.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.data.custom.dataset_file import KIND
from core.data.facts.settings import DataSettings, read_settings
from core.wings.findings.cell_values import find_cells
from core.wings.findings.class_names import find_classes
from core.wings.findings.finding import DataFinding
from core.wings.findings.leaks import find_leaks
from core.wings.findings.picture_findings import picture_findings
from core.wings.findings.picture_view import view_pictures
from core.wings.findings.series_findings import series_findings
from core.wings.findings.shared_rows import find_copies, find_groups, owners_of
from core.wings.findings.table_view import TableView, view_table
from core.wings.findings.text_findings import text_findings
from core.wings.findings.text_view import view_texts
from core.wings.findings.time_order import find_time

OWN_PYTHON = "A Dataset in Python is not checked: its code runs in a training only."
NOT_LOOKED = (
    "Tables, series, texts with a class each and folders of pictures of your own are checked; this "
    "is none of them."
)


@dataclass(frozen=True)
class DataCard:
    """What was looked at, and what was noticed, the gravest first. samples: of the data set;
    looked: a sentence where only a part of it, or nothing, was looked at."""

    source: str
    things: str
    samples: int
    findings: tuple[DataFinding, ...] = ()
    looked: str = ""

    def json(self) -> dict[str, Any]:
        """The card as `layerloom data --json` writes it."""
        return {
            "ok": True,
            "source": self.source,
            "samples": self.samples,
            "things": self.things,
            "looked": self.looked,
            "findings": [finding.json() for finding in self.findings],
        }


def data_card(data: Mapping[str, Any], seed: int = 0) -> DataCard:
    """The findings on a project's data, by its own settings, target and split.

    seed: of the training, which decides a random split. Raises DataError where it cannot be read,
    Unread where it was not read yet.
    """
    if data.get("source") == KIND:
        return DataCard(KIND, "samples", 0, looked=OWN_PYTHON)
    settings = read_settings(data, seed)
    source, custom = settings.source, settings.custom
    card = DataCard(source.name, source.things, source.total)
    if source.name == "ImageFolder":
        pictures = view_pictures(data, seed)
        return replace(card, findings=picture_findings(pictures), looked=pictures.note)
    if source.masked:
        return replace(card, looked=shares_of_pixels(settings))
    if custom and custom.texts:
        texts = view_texts(data, seed)
        return replace(card, findings=text_findings(texts), looked=texts.note)
    if custom and custom.series:
        return replace(card, findings=series_findings(data, seed))
    if source.kind != "table":
        return replace(card, looked=NOT_LOOKED)
    view = view_table(data, seed)
    learns = data.get("target", source.targets[0]) == source.targets[0]
    return replace(card, findings=table_findings(view, learns), looked=view.note)


def _label_leaks(view: TableView, taken: tuple[str, ...]) -> list[DataFinding]:
    """The leaks of each label, whose verdicts say of which one they are."""
    return [
        replace(finding, verdict=f"{finding.verdict} for {each.target}" * bool(finding.verdict))
        for each in view.by_label
        for finding in find_leaks(each, taken)
    ]


def shares_of_pixels(settings: DataSettings) -> str:
    """The share of all pixels that each class of the masks has, as a sentence."""
    layout = settings.layout
    whole = max(1, sum(layout["pixels"]) + layout["void"])
    counts = [*zip(settings.source.classes, layout["pixels"], strict=True)]
    counts += [("without a class", layout["void"])] if layout["void"] else []
    return f"Pixels: {', '.join(f'{name} {count / whole:.1%}' for name, count in counts)}."


def table_findings(view: TableView, learns: bool = True) -> tuple[DataFinding, ...]:
    """The findings on a table. learns: whether its target is what the network predicts."""
    if not learns:
        return tuple([*find_copies(view), *find_cells(view)])
    copies, time = find_copies(view), find_time(view)
    apart = replace(view, owners=owners_of(view)) if copies else view
    if groups := find_groups(apart, by_name=bool(copies)):
        copies = []  # which follow from the groups
        apart = replace(view, owners=owners_of(view, groups[0].columns[0]))
    taken = tuple(name for finding in (*time, *groups) for name in finding.columns)
    looks: tuple[Callable[[TableView], list[DataFinding]], ...] = (find_cells, find_classes)
    looks = looks[:1] if view.labels else looks
    rest = [finding for look in looks for finding in look(view)]
    leaks = _label_leaks(apart, taken) if view.labels else find_leaks(apart, taken)
    return tuple([*leaks, *groups, *time, *copies, *rest])
