"""Faults planted in sound texts and series, each in several ways."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.wings.findings.planted import Planted, ordered, put
from tests.wings.findings.texts import series, texts


@dataclass(frozen=True)
class InTime:
    """A fault, and what the settings of a dropped file are changed to; None takes one away."""

    planted: Planted
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


def text_copies(rng: Any) -> list[InTime]:
    """Texts that come again, some in capitals or with other blanks."""
    found: list[InTime] = []
    for share in (0.1, 0.2, 0.3, 0.5, 1.0):
        table = texts(rng, 200)
        again = ordered(table, [*range(200), *range(round(200 * share))])
        again["text"][200:] = [f" {text.upper()}  " for text in again["text"][200:]]
        found.append(InTime(Planted(f"copies: {share:g}", "copies", again)))
    return found


def stamps(rng: Any) -> list[InTime]:
    """A text that names its own class."""
    forms: Mapping[str, Callable[[str, str], str]] = {
        "before": lambda text, kind: f"{kind}: {text}",
        "behind": lambda text, kind: f"{text} ({kind})",
        "a hashtag": lambda text, kind: f"{text} #{kind}",
        "a field": lambda text, kind: f"category={kind}; {text}",
        "in capitals": lambda text, kind: f"[{kind.upper()}] {text}",
    }
    found: list[InTime] = []
    for name, form in forms.items():
        table = texts(rng, 160)
        pairs = zip(table["text"], table["label"], strict=True)
        said = [form(text, kind) for text, kind in pairs]
        found.append(InTime(Planted(f"label: {name}", "leak", {**table, "text": said})))
    return found


def shuffled(rng: Any) -> list[InTime]:
    """Rows in any order, read as they stand."""
    found: list[InTime] = []
    for count in (60, 120, 240, 400, 800):
        table = series(rng, count, working_days=count == 240)
        table = ordered(table, rng.permutation(count))
        planted = Planted(f"shuffled: {count} rows", "time", table, ("day",), target="level")
        found.append(InTime(planted, {"date_column": None}))
    return found


def gaps(rng: Any) -> list[InTime]:
    """Days that are missing."""
    found: list[InTime] = []
    for first, many in ((50, 3), (100, 9), (150, 30), (20, 100), (280, 5)):
        kept = [row for row in range(300) if not first <= row < first + many]
        table = ordered(series(rng), kept)
        planted = Planted(f"gap: {many} days", "gap", table, ("day",), (first + 1,), "level")
        found.append(InTime(planted))
    return found


def futures(rng: Any) -> list[InTime]:
    """The target of a later row as a column."""
    found: list[InTime] = []
    for name, rows, change in (
        ("tomorrow", 1, lambda v: v),
        ("in feet", 1, lambda v: round(3.28 * v, 2)),
        ("minus", 1, lambda v: -v),
        ("rounded", 2, lambda v: round(v, 1)),
        ("next week", 5, lambda v: v),
    ):
        table = series(rng)
        level = table["level"]
        later = [change(v) for v in [*level[rows:], *level[-1:] * rows]]
        planted = Planted(f"future: {name}", "leak", put(table, name, later), (name,),
                          target="level")  # fmt: skip
        found.append(InTime(planted, {"ahead": rows}))
    return found


MAKERS: Mapping[str, Callable[[Any], list[InTime]]] = {
    "copies of texts": text_copies,
    "the label named in the text": stamps,
    "a series shuffled in time": shuffled,
    "gaps in a series": gaps,
    "a future value as a column": futures,
}
"""Kinds of faults of texts and series, and what plants them."""


def every(seed: int) -> list[tuple[str, InTime]]:
    """All of them, with their kinds."""
    return [(kind, each) for kind, make in MAKERS.items()
            for each in make(np.random.default_rng(seed))]  # fmt: skip
