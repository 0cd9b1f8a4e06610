"""Which rows are in which part where more than chance decides it: groups, times, or a column.

The run, the numbers of samples on a page and the training script all call these functions; scripts
hold them word for word. They need the standard library only. `rows` are indices of samples; groups,
times and labels go by them.
"""

from collections import Counter
from random import Random


def members_of(groups: list[object], rows: list[int]) -> dict[object, list[int]]:
    """The rows of each group, in the order in which the groups come."""
    found: dict[object, list[int]] = {}
    for row in rows:
        found.setdefault(groups[row], []).append(row)
    return found


def counted(labels: list[int], rows: list[int]) -> dict[int, int]:
    """How many rows have each label, and under -1 how many there are."""
    return {-1: len(rows), **Counter(labels[row] for row in rows)}


def weights_of(every: dict[int, int]) -> dict[int, float]:
    """What a row too many costs, by its label and by the size: a rare label more."""
    return {label: 1 / count**2 for label, count in every.items()}


def gain(
    own: tuple[tuple[int, int], ...],
    left: dict[int, float],
    weights: dict[int, float],
) -> float:
    """How much nearer to the rows of each label that are left to add a part comes by some."""
    return sum(weights[label] * n * (2 * left[label] - n) for label, n in own)


def sided(
    groups: list[object],
    rows: list[int],
    chosen: set[object],
) -> tuple[list[int], list[int]]:
    """The rows of all other groups, and those of the chosen ones."""
    first = [row for row in rows if groups[row] not in chosen]
    return first, [row for row in rows if groups[row] in chosen]


def split_groups(
    groups: list[object],
    labels: list[int],
    rows: list[int],
    count: int,
    seed: int,
) -> tuple[list[int], list[int]]:
    """Part rows in two, about `count` in the second: no group in both, labels in proportion.

    Groups are drawn at random, first those that fit into what is left to add, then those
    that come nearer to it than going without: one at least, and never all.
    """
    members, every = members_of(groups, rows), counted(labels, rows)
    weights, names, chosen = weights_of(every), list(members), set[object]()
    left = {label: number * count / len(rows) for label, number in every.items()}
    Random(seed).shuffle(names)
    larger: dict[tuple[tuple[int, int], ...], list[object]] = {}
    for name in names:
        own = tuple(counted(labels, members[name]).items())
        if len(chosen) + 1 < len(names) and all(n <= left[label] for label, n in own):
            chosen.add(name)
            left |= {label: left[label] - n for label, n in own}
        else:
            larger.setdefault(own, []).append(name)
    while len(chosen) + 1 < len(names):
        own = max(larger, key=lambda own: gain(own, left, weights))
        if chosen and gain(own, left, weights) <= 0:
            break
        chosen.add(larger[own].pop())
        left |= {label: left[label] - n for label, n in own}
        larger = larger if larger[own] else {k: v for k, v in larger.items() if v}
    return sided(groups, rows, chosen)


def fold_groups(
    groups: list[object],
    labels: list[int],
    rows: list[int],
    folds: int,
    fold: int,
    seed: int,
) -> tuple[list[int], list[int]]:
    """Part rows in two, in the second those of a fold, counted from 1.

    Every group is in one fold; folds are about as large, with labels in proportion.
    """
    members, weights = members_of(groups, rows), weights_of(counted(labels, rows))
    names, chosen = list(members), set[object]()
    Random(seed).shuffle(names)
    names.sort(key=lambda name: -len(members[name]).bit_length())  # large ones first
    filled: list[Counter[int]] = [Counter() for _ in range(folds)]
    for name in names:
        own = counted(labels, members[name])
        rows_of = list(own.items())
        loads = [sum(weights[k] * each[k] * n for k, n in rows_of) for each in filled]
        place = loads.index(min(loads))
        filled[place].update(own)
        chosen |= {name} if place == fold - 1 else set()
    return sided(groups, rows, chosen)


def cuts_of(times: list[float], ordered: list[int]) -> list[int]:
    """Places between rows of different times, of rows that are ordered by time."""
    pairs = zip(ordered[1:], ordered, strict=False)
    return [i for i, (row, last) in enumerate(pairs, 1) if times[row] != times[last]]


def split_times(
    times: list[float],
    rows: list[int],
    count: int,
) -> tuple[list[int], list[int]]:
    """Part rows in two, the latest, about `count`, in the second; no time is in both.

    The second is empty where all rows have the same time.
    """
    ordered = sorted(rows, key=lambda row: times[row])
    cuts = cuts_of(times, ordered) or [len(ordered)]
    cut = min(cuts, key=lambda place: abs(len(ordered) - count - place))
    return ordered[:cut], ordered[cut:]


def fold_times(
    times: list[float],
    rows: list[int],
    folds: int,
    fold: int,
) -> tuple[list[int], list[int]]:
    """Part rows in two, the second a fold after the first; what is later is in neither.

    Rows are cut into one block more than there are folds, about as large; the first block
    is only learned from.
    """
    ordered = sorted(rows, key=lambda row: times[row])
    cuts, last, edges = cuts_of(times, ordered), -1, list[int]()
    for number in range(1, folds + 1):
        wanted = len(ordered) * number / (folds + 1)
        later = folds - number  # that need a place each, too
        places = range(last + 1, len(cuts) - later)
        last = min(places, key=lambda k: abs(cuts[k] - wanted), default=len(cuts))
        edges.append(cuts[last] if last < len(cuts) else len(ordered))
    edges.append(len(ordered))
    return ordered[: edges[fold - 1]], ordered[edges[fold - 1] : edges[fold]]


def before_gap(
    times: list[float],
    before: list[int],
    after: list[int],
    rows: int,
    days: float,
) -> list[int]:
    """What is left of the rows before others: without the last `rows`, or those of `days`.

    Both are ordered by time. Rows of one time go together.
    """
    if not before or not after:
        return before
    kept, first = max(0, len(before) - rows), times[after[0]]
    last = times[before[kept]] if kept < len(before) else first
    rounded = 1e-9 if days else 0.0  # of a day: hours are fractions of one
    return [row for row in before if times[row] < min(last, first - days - rounded)]


def windows_in(
    rows: list[int],
    known: list[bool],
    length: int,
    ahead: int,
) -> list[int]:
    """The windows whose `ahead` targets all lie in a part, by the first row of each.

    rows: of the part, one after the other; the `length` rows that a window reads may lie before
    it. known: of each window, whether all its targets are.
    """
    first, last = max([*rows[:1], length]), (rows[-1] if rows else -1) - ahead + 1
    return [row - length for row in range(first, last + 1) if known[row - length]]
