"""The results of a try as a row of JSON, and the rows on the Pareto front."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from core.tasks.metric_labels import better

MADE, REFUSED = "made", "refused"


@dataclass(frozen=True)
class Row:
    """One try. name: of its folder; "original" for the network as it is.

    state: made, or refused with `reason` and `hint`. drawing, file: name of what can be opened or
    downloaded, "" for none. size_bytes: of the file, of a drawing that of its weights. metric:
    name; value of this one on `samples` validation samples; before: the network's. latency_ms:
    medians by batch size ("1", "64"), beside_ms the network's in the same turns; one thread.
    peak_bytes: what a fresh process grows by as it loads the file and answers 64 samples, None
    where the system does not tell. difference: largest of any output value, None where outputs
    are not meant to be equal. changed: share of samples with another class, None without classes.
    """

    name: str
    way: str
    amount: float = 0.0
    epochs: int = 0
    state: str = MADE
    reason: str = ""
    hint: str = ""
    drawing: str = ""
    file: str = ""
    size_bytes: int = 0
    params: int = 0
    metric: str = ""
    value: float | None = None
    before: float | None = None
    samples: int = 0
    latency_ms: Mapping[str, float] = field(default_factory=lambda: {})
    beside_ms: Mapping[str, float] = field(default_factory=lambda: {})
    peak_bytes: int | None = None
    difference: float | None = None
    changed: float | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    weights: str = ""

    def json(self) -> dict[str, Any]:
        """As it is kept and as `layerloom shrink --json` prints it."""
        return asdict(self)


def read_row(value: Mapping[str, Any]) -> Row | None:
    """A row as it was kept; None for what is none."""
    known = {k: v for k, v in value.items() if k in Row.__dataclass_fields__}
    if not isinstance(known.get("name"), str) or not isinstance(known.get("way"), str):
        return None
    known["notes"] = tuple(known.get("notes", ()))
    return Row(**known)


def front(rows: Sequence[Row], cost: str) -> set[str]:
    """Names of the rows that no other beats in both metric and cost.

    cost: size_bytes, peak_bytes, or a batch size, whose time it is. Rows without either are left
    out.
    """
    points = [(row.name, cost_of(row, cost), _better(row)) for row in rows]
    known = [(name, c, v) for name, c, v in points if c is not None and v is not None]
    return {
        name
        for name, c, v in known
        if not any(a <= c and b >= v and (a < c or b > v) for _, a, b in known)
    }


def cost_of(row: Row, cost: str) -> float | None:
    """The cost of a row, None where it was not measured.

    Time is so many times the network's own, measured in turns with it: a machine that was busier
    in one try than in another does not count as a difference.
    """
    value = relative(row, cost) if cost.isdigit() else getattr(row, cost)
    return float(value) if value and row.state == MADE else None


def relative(row: Row, batch: str) -> float | None:
    """The time of a batch as so many times the network's own, None where it was not measured."""
    own = row.beside_ms.get(batch)
    return row.latency_ms[batch] / own if own else None


def _better(row: Row) -> float | None:
    """The metric of a row, turned so that higher is better."""
    if row.value is None:
        return None
    return -row.value if better(row.metric) == "lower" else row.value
