"""The basis of a verdict: curves, settings and blocks of a run. No torch."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

from core.common.json_types import is_dict, is_list
from core.files.safe_path import open_file, read_file
from core.project import ProjectError, open_project
from core.runs.files import BASELINE, read_json
from core.runs.listing import ALIVE, RunView, view_run
from core.settings.network_facts import Network, facts_of
from core.tasks.metric_labels import better, counts_samples

Column = list[float | None]
PROJECT = "project.loom.json"


@dataclass(frozen=True)
class Facts:
    """A run as its verdict sees it.

    training: resolved settings. data: of the project. blocks: name to (block, settings). network:
    what its drawing is like. best: the epoch whose weights are kept, from 1; 0 where none is known.
    baseline: what a simple rule reaches, {} where there is none. epochs: columns of metrics, a
    value for each epoch. first: the loss of the first step. steps: made so far. live: whether it
    still trains. broken: it ended as loss or weights ceased to be finite numbers. origin: where the
    first of them arose (node, message, rate: whether a smaller learning rate may help), {} where
    that is not known. aims: words in the names of metrics.
    """

    training: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    blocks: Mapping[str, tuple[str, Mapping[str, Any]]] = field(
        default_factory=dict[str, tuple[str, Mapping[str, Any]]]
    )
    network: Network = field(default_factory=Network)
    best: int = 0
    baseline: Mapping[str, Any] = field(default_factory=dict[str, Any])
    epochs: Mapping[str, Sequence[float | None]] = field(default_factory=dict[str, Column])
    first: float | None = None
    steps: int = 0
    live: bool = False
    broken: str = ""
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any])
    warnings: Sequence[str] = ()
    aims: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def count(self) -> int:
        """How many epochs are complete."""
        return len(self.epochs.get("val_loss", ()))

    @property
    def metric(self) -> str:
        """What it is judged by, "val_accuracy"; "" where there is no rule to beat."""
        name = str(self.baseline.get("metric", ""))
        return name if name in self.epochs else ""

    @property
    def rule(self) -> float:
        """What the simple rule reaches."""
        return float(self.baseline.get("value", 0.0))

    @property
    def level(self) -> str:
        """What a run that is no better than the rule is as good as; "" for guessing."""
        return str(self.baseline.get("level", ""))

    @property
    def less(self) -> bool:
        """Whether a good network has little of the metric."""
        return better(self.metric) == "lower"

    def skill(self, value: float) -> float:
        """How far a value is from the rule (0) to perfect (1); below 0 it is worse."""
        if self.less:
            return 1 - value / self.rule if self.rule > 0 else 0.0
        return (value - self.rule) / (1 - self.rule) if self.rule < 1 else 0.0

    @property
    def standard_error(self) -> float:
        """The standard error of the skill, as few samples let an accuracy jump; else 0."""
        samples = self.effective
        if not samples or self.rule >= 1:
            return 0.0
        return (self.rule * (1 - self.rule) / samples) ** 0.5 / (1 - self.rule)

    def column(self, name: str) -> list[float]:
        """A metric by epoch; what was not finite is as bad as the worst that was."""
        values = self.epochs.get(name, ())
        finite = [value for value in values if value is not None]
        worst = max(finite, default=0.0)
        return [worst if value is None else value for value in values]

    def skills(self) -> list[float]:
        """The skill of each epoch."""
        return [self.skill(value) for value in self.column(self.metric)]

    @property
    def kept(self) -> int:
        """The index of the epoch whose weights are kept and shown on every page.

        Where the run does not say, that with the best metric; of several that of least loss.
        """
        if 0 < self.best <= self.count:
            return self.best - 1
        values, losses = self.column(self.metric), self.column("val_loss")
        value = min(values) if self.less else max(values)
        return min((i for i, v in enumerate(values) if v == value), key=lambda i: losses[i])

    @property
    def samples(self) -> int:
        """How many samples an accuracy counts, 0 where chance does not move the metric so."""
        counted = counts_samples(self.metric)
        return int(self.baseline.get("samples", 0) or 0) if counted else 0

    @property
    def counts(self) -> tuple[int, ...]:
        """Validation samples of each class, where each class counts the same."""
        return tuple(count for count in self.baseline.get("counts", ()) if count)

    @property
    def groups(self) -> int:
        """How many groups the samples are of, where data is split by group; else 0."""
        return int(self.baseline.get("groups", 0) or 0) if self.samples else 0

    @property
    def effective(self) -> float:
        """Of how many samples an accuracy would vary as much by chance; 0 where none counts them.

        A mean of recalls varies as its rarest class does: var = p (1 - p) sum(1 / n) / classes².
        Samples of one group are mostly right or wrong together, so that each group counts as one.
        """
        found = float(self.samples)
        if self.samples and self.counts:
            found = len(self.counts) ** 2 / sum(1 / count for count in self.counts)
        return min(found, self.groups or found)


def thirds(values: list[float]) -> tuple[list[float], list[float]]:
    """The middle and the last third of a curve, one value each at least."""
    size = max(1, len(values) // 3)
    return values[-2 * size : -size] or values[:1], values[-size:]


def smooth(values: Sequence[float]) -> list[float]:
    """The median of each value and its neighbours, from five values on: without single jumps."""
    if len(values) < 5:
        return list(values)
    middle = [median(values[i - 1 : i + 2]) for i in range(1, len(values) - 1)]
    return [middle[0], *middle, median(values[-3:])]


def read_facts(run_dir: Path, view: RunView | None = None) -> Facts:
    """Read the folder of a run. Raises OSError where it cannot be read."""
    view = view or view_run(run_dir)
    spec = read_json(run_dir / "spec.json")
    epochs, first = read_curves(run_dir / "metrics.jsonl")
    return Facts(
        training=spec.get("training", {}),
        data=spec.get("data", {}),
        blocks=blocks_of(run_dir / PROJECT),
        network=network_of(run_dir / PROJECT),
        best=_best_epoch(view),
        baseline=read_json(run_dir / BASELINE),
        epochs=epochs,
        first=first,
        steps=view.step,
        live=view.state in ALIVE,
        broken=view.message if view.exploded or _diverged(run_dir, view) else "",
        origin=view.origin or {},
        warnings=view.warnings,
        aims=view.aims,
    )


def _diverged(run_dir: Path, view: RunView) -> bool:
    """Whether the newest attempt failed as numbers were not finite."""
    if view.state != "failed":
        return False
    try:
        text = read_file(run_dir / "events.jsonl").decode("utf-8", "replace")
    except FileNotFoundError:
        return False
    return f'"attempt":{view.attempt},"kind":"diverged"' in text


def read_curves(path: Path) -> tuple[dict[str, Column], float | None]:
    """The columns of all epochs, and the loss of the first step. Steps are not parsed but once."""
    columns: dict[str, Column] = {}
    first: float | None = None
    try:
        file = open_file(path)
    except FileNotFoundError:
        return {}, None
    with file:
        for line in file:
            if b'"kind":"epoch"' in line[:64]:
                _append(columns, _record(line))
            elif first is None and b'"kind":"step"' in line[:64]:
                first = next(iter(_record(line).get("loss", ())), None)
    return columns, first


def _record(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:  # the last line, while it is being written
        return {}
    return found if is_dict(found) else {}


def _append(columns: dict[str, Column], record: Mapping[str, Any]) -> None:
    """Put the epochs of a record after those before; a column that comes late is padded."""
    before = max((len(column) for column in columns.values()), default=0)
    for name, values in record.items():
        if is_list(values):
            column = columns.setdefault(name, [None] * before)
            column.extend(v if isinstance(v, int | float) else None for v in values)


def _best_epoch(view: RunView) -> int:
    epoch = (view.best or {}).get("epoch")
    return epoch if isinstance(epoch, int) else 0


def network_of(path: Path) -> Network:
    """What the drawing of a run is like; of one that cannot be read nothing is known."""
    try:
        return _network(path, path.stat().st_mtime_ns)
    except (OSError, ProjectError):
        return Network()


@lru_cache(maxsize=200)
def _network(path: Path, changed_ns: int) -> Network:
    return facts_of(open_project(path).graph)


def blocks_of(path: Path) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """The blocks of the drawing that a run is of, without what is inside composites."""
    nodes = read_json(path).get("graph", {}).get("nodes", {})
    return {
        name: (str(node.get("block", "")), node.get("settings") or {})
        for name, node in nodes.items()
        if is_dict(node)
    }
