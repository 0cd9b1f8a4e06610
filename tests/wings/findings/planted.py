"""Tables with a fault planted in them, and the finding that has to name it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

Rows = dict[str, list[Any]]
CITIES = ("Bergen", "Cork", "Graz", "Lyon", "Porto")
KINDS = ("ash", "birch", "cedar", "elm", "fir")


@dataclass(frozen=True)
class Planted:
    """A table and its fault. kind, columns: of the finding; rows: of the file, () for any. leak:
    whether the validation score is too good. target: the column to predict."""

    name: str
    kind: str
    table: Rows
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    target: str = "label"


def people(rng: Any, count: int = 240, classes: int = 2, numbers: bool = False) -> Rows:
    """A sound table: measures and a city, and a label or an amount that partly follows them."""
    age = rng.integers(18, 90, count)
    height = rng.normal(172, 9, count).round(1)
    income = np.exp(rng.normal(7.5, 0.5, count)).round()
    city = rng.integers(0, len(CITIES), count)
    signal = age / 20 + (height - 172) / 9 + (city == 2) + rng.normal(0, 1.2, count)
    table: Rows = {
        "age": age.tolist(),
        "height": height.tolist(),
        "income": income.astype(int).tolist(),
        "city": [CITIES[i] for i in city],
    }
    if numbers:
        return {**table, "amount": (1000 + 150 * signal).round(2).tolist()}
    edges = np.quantile(signal, np.linspace(0, 1, classes + 1)[1:-1])
    return {**table, "label": [KINDS[i] for i in np.searchsorted(edges, signal)]}


def put(table: Rows, name: str, values: Any) -> Rows:
    """The table with another column before the last one."""
    *front, last = table
    cells = [v.item() if hasattr(v, "item") else v for v in values]
    return {**{c: table[c] for c in front}, name: cells, last: table[last]}


def ordered(table: Rows, order: Any) -> Rows:
    """The rows in another order, or some of them."""
    return {name: [cells[i] for i in order] for name, cells in table.items()}


def codes(rng: Any) -> list[Planted]:
    """Columns that are the class in other words."""
    found: list[Planted] = []
    for name, classes, code in (
        ("species_id", 3, lambda k: KINDS.index(k) + 1),
        ("code", 4, lambda k: k[:2].upper()),
        ("name", 3, lambda k: f"{k} tree"),
        ("negative", 2, lambda k: int(k == "ash")),
        ("group", 5, lambda k: f"g{KINDS.index(k) * 7}"),
        ("paid", 2, lambda k: "yes" if k == "ash" else "no"),
    ):
        table = people(rng, classes=classes)
        table = put(table, name, [code(k) for k in table["label"]])
        found.append(Planted(f"code: {name}", "leak", table, (name,)))
    return found


def siblings(rng: Any) -> list[Planted]:
    """A class in several columns of 0 and 1."""
    found: list[Planted] = []
    for classes, target in ((3, 2), (3, 0), (4, 3), (5, 1), (5, 4)):
        table = people(rng, classes=classes)
        kinds = table.pop("label")
        marks = {f"is_{KINDS[i]}": [int(k == KINDS[i]) for k in kinds] for i in range(classes)}
        chosen = f"is_{KINDS[target]}"
        others = {name: cells for name, cells in marks.items() if name != chosen}
        whole = {**table, **others, chosen: marks[chosen]}
        found.append(
            Planted(f"one-hot: {classes} columns", "one_hot", whole, (*others,), target=chosen)
        )
    return found


def currencies(rng: Any) -> list[Planted]:
    """The number that is predicted, in another unit."""
    found: list[Planted] = []
    for name, unit in (
        ("amount_eur", lambda v: round(0.92 * v, 2)),
        ("cents", lambda v: round(100 * v)),
        ("fahrenheit", lambda v: round(1.8 * v + 32, 1)),
        ("minus", lambda v: -v),
        ("log_amount", lambda v: round(float(np.log(v)), 4)),
    ):
        table = people(rng, numbers=True)
        table = put(table, name, [unit(v) for v in table["amount"]])
        found.append(Planted(f"unit: {name}", "leak", table, (name,), target="amount"))
    return found


def formulas(rng: Any) -> list[Planted]:
    """A number that a calculation gives."""
    found: list[Planted] = []
    for name, parts, calculation in (
        ("sum", ("net", "tax"), lambda a, b: a + b),
        ("difference", ("revenue", "cost"), lambda a, b: a - b),
        ("product", ("price", "pieces"), lambda a, b: a * b),
        ("quotient", ("metres", "seconds"), lambda a, b: a / b),
        ("sum of large", ("north", "south"), lambda a, b: a + b),
    ):
        table = people(rng, numbers=True)
        first, second = rng.uniform(50, 150, (2, 240)).round(1) * (100 if "large" in name else 1)
        table = put(put(table, parts[0], first), parts[1], second)
        table["amount"] = calculation(first, second).tolist()
        found.append(Planted(f"formula: {name}", "formula", table, parts, target="amount"))
    return found


def row_numbers(rng: Any) -> list[Planted]:
    """Numbers that only count, of rows that are sorted by class."""
    found: list[Planted] = []
    for name, classes, gaps, start, down in (
        ("sample", 3, True, 2, False),
        ("record", 2, True, 5000, False),
        ("entry", 4, True, 1, True),
        ("position", 5, True, 100, False),
        ("line", 3, True, 10, True),
    ):
        table = people(rng, classes=classes)
        table = ordered(table, np.argsort(table["label"], kind="stable"))
        steps = rng.integers(1, 4 if gaps else 2, 240)
        numbers = start + np.cumsum(steps)
        table = put(table, name, numbers[::-1] if down else numbers)
        found.append(Planted(f"row number: {name}", "row_number", table, (name,)))
    return found


def groups(rng: Any) -> list[Planted]:
    """Several rows of each patient, who have the outcome in common."""
    found: list[Planted] = []
    for name, many, each, word in (
        ("patient", 30, 8, False),
        ("speaker", 25, 10, True),
        ("subject_id", 40, 6, False),
        ("plot", 24, 10, True),
        ("customer", 60, 4, False),
        ("sample_name", 30, 8, True),
    ):
        owner = np.repeat(np.arange(many), each)
        outcome, trait = rng.integers(0, 2, many), rng.normal(0, 1, (many, 3))
        table: Rows = {
            f"m{i}": (trait[owner, i] + rng.normal(0, 0.05, len(owner))).round(3).tolist()
            for i in range(3)
        }
        table["label"] = [KINDS[outcome[i]] for i in owner]
        numbers = rng.permutation(np.arange(1000, 1000 + many))
        owners = [f"{name[:2]}-{numbers[i]}" if word else int(numbers[i]) for i in owner]
        table = ordered(put(table, name, owners), rng.permutation(len(owner)))
        found.append(Planted(f"group: {name}", "group", table, (name,)))
    return found


def copies(rng: Any) -> list[Planted]:
    """Rows that come several times, as a rare class is filled up."""
    found: list[Planted] = []
    for share, classes in ((0.1, 2), (0.2, 3), (0.5, 2), (1.0, 2), (0.3, 5)):
        table = people(rng, classes=classes)
        more = rng.choice(240, int(240 * share), replace=False)
        table = ordered(table, rng.permutation([*range(240), *more]))
        found.append(Planted(f"copies: {share:g}", "copies", table))
    return found


def near_copies(rng: Any) -> list[Planted]:
    """Rows that come again with a little noise."""
    found: list[Planted] = []
    for times, noise in ((1, 0.001), (2, 0.002), (1, 0.003), (3, 0.001), (2, 0.004)):
        rows = rng.normal(0, 1, (150, 5))
        label = (rows[:, 0] + rng.normal(0, 1, 150) > 0).astype(int)
        whole = np.concatenate(
            [rows, *(rows + rng.normal(0, noise, rows.shape) for _ in range(times))]
        )
        table: Rows = {f"x{i}": whole[:, i].round(5).tolist() for i in range(5)}
        table["label"] = [KINDS[i] for i in np.tile(label, times + 1)]
        table = ordered(table, rng.permutation(len(whole)))
        found.append(Planted(f"near copies: {noise:g}", "near_copies", table))
    return found


def series(rng: Any) -> list[Planted]:
    """Rows with a time, whose split is random."""
    found: list[Planted] = []
    for name, shuffled, step in (
        ("date", False, timedelta(days=1)),
        ("day", True, timedelta(days=1)),
        ("timestamp", False, timedelta(hours=1)),
        ("month", False, timedelta(days=31)),
        ("when", False, timedelta(days=7)),
    ):
        count = 240
        walk = np.cumsum(rng.normal(0, 1, count)) + 50
        hours = step < timedelta(days=1)
        begin = datetime(2022, 1, 1) if hours else date(2003, 1, 1)
        times = [begin + step * i for i in range(count)]
        table: Rows = {
            name: [f"{t:%Y-%m-%d %H:%M}" if hours else str(t) for t in times],
            "wind": rng.normal(5, 2, count).round(1).tolist(),
            "level": walk.round(2).tolist(),
        }
        order = rng.permutation(count) if shuffled else range(count)
        found.append(
            Planted(f"time: {name}", "time", ordered(table, order), (name,), target="level")
        )
    return found


def typos(rng: Any) -> list[Planted]:
    """A cell or two far outside a column."""
    found: list[Planted] = []
    for column, value, many in (
        ("height", 17200000.0, 1),
        ("age", 420, 1),
        ("height", 1.72, 2),
        ("income", 250000000, 1),
        ("height", -1810.0, 1),
    ):
        table = people(rng)
        places = sorted(rng.choice(240, many, replace=False).tolist())
        for place in places:
            table[column][place] = value
        rows = tuple(place + 2 for place in places)
        found.append(Planted(f"typo: {column} {value:g}", "outlier", table, (column,), rows))
    return found


def sentinels(rng: Any) -> list[Planted]:
    """Numbers that stand for a missing value."""
    found: list[Planted] = []
    for column, value, share in (
        ("height", -999, 0.1),
        ("age", 999, 0.05),
        ("height", 9999, 0.02),
        ("income", -1, 0.1),
        ("age", -99, 0.2),
    ):
        table = people(rng)
        places = np.flatnonzero(rng.uniform(size=240) < share)
        for place in places:
            table[column][place] = value
        rows = tuple(int(place) + 2 for place in places[:20])
        found.append(Planted(f"sentinel: {column} {value}", "sentinel", table, (column,), rows))
    return found


def codes_as_numbers(rng: Any) -> list[Planted]:
    """Codes with a zero in front, and words among numbers."""
    table = people(rng)
    postal = put(table, "zip", [f"{n:05d}" for n in rng.integers(1000, 99000, 240)])
    ward = put(table, "ward", [f"{n:02d}" for n in rng.integers(1, 20, 240)])
    phone = put(table, "area_code", [f"0{n}" for n in rng.choice([20, 30, 161, 2041], 240)])
    doors = put(table, "doors", [*rng.integers(1, 30, 210), *["many"] * 30])
    stops = put(table, "stops", [*rng.integers(1, 40, 190), *["several"] * 50])
    return [
        Planted("code: zip", "code", postal, ("zip",)),
        Planted("code: ward", "code", ward, ("ward",)),
        Planted("code: area_code", "code", phone, ("area_code",)),
        Planted("words: doors", "words", doors, ("doors",)),
        Planted("words: stops", "words", stops, ("stops",)),
    ]


def classes(rng: Any) -> list[Planted]:
    """Names of one class in several spellings, and classes of two rows."""
    found: list[Planted] = []
    for name, change in (
        ("case", str.upper),
        ("title", str.title),
        ("blanks", lambda word: f"{word[:2]} {word[2:]}"),
    ):
        table = people(rng, classes=3)
        if name == "blanks":
            table["label"] = [f"{w[:2]}-{w[2:]}" for w in table["label"]]
            change = lambda word: word.replace("-", " ")  # noqa: E731
        for place in rng.choice(240, 30, replace=False):
            table["label"][place] = change(table["label"][place])
        found.append(Planted(f"spelling: {name}", "spelling", table, ("label",)))
    cities = people(rng)
    for place in rng.choice(240, 30, replace=False):
        cities["city"][place] = cities["city"][place].lower()
    found.append(Planted("spelling: city", "spelling", cities, ("city",)))
    for many in (1, 3):
        table = people(rng, classes=3)
        places = sorted(rng.choice(240, many, replace=False).tolist())
        for place in places:
            table["label"][place] = "yew"
        rows = tuple(place + 2 for place in places)
        found.append(Planted(f"rare: {many} rows", "rare_class", table, ("label",), rows))
    return found


MAKERS: Mapping[str, Callable[[Any], list[Planted]]] = {
    "the class in other words": codes,
    "one-hot siblings": siblings,
    "the number in another unit": currencies,
    "a calculation": formulas,
    "row numbers, sorted by class": row_numbers,
    "rows of one patient on both sides": groups,
    "copies": copies,
    "near copies": near_copies,
    "time, split at random": series,
    "typos": typos,
    "codes for missing": sentinels,
    "codes as numbers, words among them": codes_as_numbers,
    "class names, rare classes": classes,
}
"""Kinds of faults of tables, and what plants them."""


def write(table: Rows, path: Any) -> None:
    """Write a table as CSV."""
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
