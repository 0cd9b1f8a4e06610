"""What in the data of a run puts its verdict in doubt: for page and command, from the run's data.

A leak makes a result better than it would be on new rows; a cell far outside makes it worse.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.data.custom.dataset_file import KIND
from core.data.sources.custom_source import OWN
from core.runs.files import read_json
from core.runs.verdict import Kind
from core.wings.findings.finding import DataFinding

DOUBTED: Mapping[str, tuple[Kind, ...]] = {
    "high": ("learned", "improving", "overfits", "short", "unstable"),
    "low": ("guessing", "underfits", "improving", "short", "unstable", "exploded"),
}
"""Verdicts that a finding puts in doubt, as it makes results better or worse than they would be."""
SUMMARY = "summary"
"""What a run notes among its data settings that is none."""
JUDGED = {kind for kinds in DOUBTED.values() for kind in kinds}
MOST = 2
"""Doubts beside a verdict; Data has all of them."""


def data_of_run(run_dir: Path) -> tuple[dict[str, Any], int]:
    """The data settings of a run and the seed of its split. Raises OSError, ValueError."""
    spec = read_json(run_dir / "spec.json")
    data, training = spec.get("data"), spec.get("training")
    seed = training.get("seed", 0) if isinstance(training, dict) else 0
    settings = {k: v for k, v in data.items() if k != SUMMARY} if isinstance(data, dict) else {}
    return settings, seed if isinstance(seed, int) else 0


def doubts(kind: str, findings: Sequence[DataFinding]) -> tuple[DataFinding, ...]:
    """The findings that put a verdict of this kind in doubt, the gravest first."""
    return tuple(f for f in findings if kind in DOUBTED.get(f.doubts, ()))[:MOST]


def sentence(finding: DataFinding, value: str = "") -> str:
    """A doubt beside a verdict. value: what the run reached, "" where that is not known."""
    if finding.doubts == "low":
        return f"A cause may be in the data: {finding.verdict}."
    reached = value.partition(" ±")[0]
    return f"{reached}, but {finding.verdict}." if reached else f"But {finding.verdict}."


def looked_at(data: Mapping[str, Any]) -> bool:
    """Whether this is data of one's own that is no Python; what Layerloom brings is sound."""
    return data.get("source") in OWN and data["source"] != KIND
