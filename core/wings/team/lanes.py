"""Places of cards in rows and lanes, sources first, with room for the wires that pass them by.

A card stands in one row; a wire to a card further down runs in a lane of its own between them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

Wire = tuple[str, str]


@dataclass(frozen=True)
class Lanes:
    """rows, lanes: of each card; lanes go from 0. passing: the lane in which the wires of a card
    that pass others by run, and the rows from which to which. upward: wires against the order."""

    rows: Mapping[str, int]
    lanes: Mapping[str, int]
    passing: Mapping[str, tuple[int, int, int]]
    upward: frozenset[Wire]


def in_lanes(names: Sequence[str], wires: Iterable[Wire]) -> Lanes:
    """Give each card a row below all that feed it, and a lane. A circle is cut at one wire."""
    wires = [w for w in dict.fromkeys(wires) if w[0] in set(names) and w[1] in set(names)]
    upward = frozenset(_upward(names, wires))
    down = [wire for wire in wires if wire not in upward]
    rows = _rows(names, down)
    lanes, passing = _lanes(names, down, rows)
    used = [*lanes.values(), *(lane for lane, _, _ in passing.values())]
    left = min(used, default=0)
    return Lanes(
        rows,
        {name: lane - left for name, lane in lanes.items()},
        {name: (lane - left, first, last) for name, (lane, first, last) in passing.items()},
        upward,
    )


def _upward(names: Sequence[str], wires: Sequence[Wire]) -> Iterator[Wire]:
    """Wires that close a circle, seen from the first card on."""
    after = _after(wires)
    state: dict[str, bool] = {}  # False while a card is on the way, True when it is left
    for start in names:
        if start in state:
            continue
        state[start] = False
        way = [(start, iter(after[start]))]
        while way:
            name, following = way[-1]
            target = next(following, None)
            if target is None:
                state[name] = True
                way.pop()
            elif target not in state:
                state[target] = False
                way.append((target, iter(after[target])))
            elif not state[target]:
                yield name, target


def _after(wires: Sequence[Wire]) -> dict[str, list[str]]:
    after: dict[str, list[str]] = defaultdict(list)
    for source, target in wires:
        after[source].append(target)
    return after


def _rows(names: Sequence[str], wires: Sequence[Wire]) -> dict[str, int]:
    """The length of the longest way to each card; cards without any wire come first."""
    after, waiting = _after(wires), dict.fromkeys(names, 0)
    for _, target in wires:
        waiting[target] += 1
    rows = dict.fromkeys(names, 0)
    ready = [name for name in names if not waiting[name]]
    for name in ready:
        for target in after[name]:
            rows[target] = max(rows[target], rows[name] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return rows


def _lanes(
    names: Sequence[str], wires: Sequence[Wire], rows: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, tuple[int, int, int]]]:
    after, before = _after(wires), _after([(target, source) for source, target in wires])
    taken: dict[int, set[int]] = defaultdict(set)
    lanes: dict[str, int] = {}
    passing: dict[str, tuple[int, int, int]] = {}
    for row in range(max(rows.values(), default=-1) + 1):
        here = [name for name in names if rows[name] == row]
        for name in here:
            feeding = [lanes[source] for source in before[name]]
            wanted = round(sum(feeding) / len(feeding)) if feeding else 0
            straight = [lane for lane in feeding if lane not in taken[row]]
            lanes[name] = _free(straight[0] if straight else wanted, [row], taken)
        for name in here:
            last = max((rows[target] for target in after[name]), default=row) - 1
            if last > row:
                alone = all(rows[target] > row + 1 for target in after[name])
                first = lanes[name] if alone else lanes[name] + 1
                lane = _free(first, range(row + 1, last + 1), taken)
                passing[name] = lane, row + 1, last
    return lanes, passing


def _free(wanted: int, rows: Sequence[int], taken: dict[int, set[int]]) -> int:
    """The nearest lane that is free in all of these rows; it is taken now."""
    for step in count():
        for lane in (wanted + step, wanted - step):
            if all(lane not in taken[row] for row in rows):
                for row in rows:
                    taken[row].add(lane)
                return lane
    raise AssertionError("there is always a free lane")
