"""Settings of a composite: the values in which drafts of the same skeleton differ.

A number inside a list, an index or an expression counts by itself; a size that is always the same
multiple of another is computed from it.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from blocks import Block
from core.graph.names import check_id
from core.source.parameters import alike, apart, constant, differing, same
from core.wings.importing.draw.draft import Draft

SettingKey = tuple[str, str, int]
"""A node of a draft, one of its settings, and which item of it; -1 for the whole."""
Vector = list[Any]

TEXTS = {
    "calculate": ("expression", r"\d+"),
    "getitem": ("index", r"-?\d+"),
    "setitem": ("index", r"-?\d+"),
}
"""Blocks with a text in which letters may stand for numbers."""
HIDDEN = {"out_channels": "hidden_channels", "out_features": "hidden_features"}
PLAIN = {"shape": "features", "normalized_shape": "features"} | dict.fromkeys("abcd", "size")
SIZES = frozenset(
    {
        *HIDDEN,
        *PLAIN,
        "groups",
        "hidden_size",
        "embed_dim",
        "num_heads",
        "d_model",
        "dim_feedforward",
        "num_features",
    }
)
TIMES = range(2, 9)
"""Ratios of sizes that people choose; other ratios are coincidences."""
ENOUGH = 3
"""Different sizes that must show a ratio."""


@dataclass
class CompositeSettings:
    """Settings with a value per draft, and the expressions that replace them inside the drafts."""

    drafts: Sequence[Draft]
    attributes: Sequence[Mapping[str, Any]]
    settings: dict[str, Vector] = field(default_factory=lambda: {})
    holes: dict[tuple[str, str], Any] = field(default_factory=lambda: {})

    def __post_init__(self) -> None:
        for name, node in self.drafts[0].nodes.items():
            if node.block and node.block.name in TEXTS:
                lift_numbers(self.drafts, name, node.block)
        groups = _grouped(self._varying())
        texts: dict[int, str] = {}
        bases = [_base(index, groups) for index in range(len(groups))]
        measures = {base[0] for base in bases if base}
        for index, (keys, vector) in enumerate(groups):
            if bases[index] is None:
                chosen = self._name(keys, vector, index in measures)
                self.settings[chosen] = vector
                texts[index] = f"={chosen}"
        for (keys, _), base, index in zip(groups, bases, itertools.count()):
            text = f"{texts[base[0]]} * {base[1]}" if base else texts[index]
            for key in keys:
                self._fill(key, text)

    def _fill(self, key: SettingKey, text: str) -> None:
        node, setting, item = key
        if item < 0:
            self.holes[node, setting] = text
            return
        now = self.holes.get((node, setting), self.drafts[0].nodes[node].settings[setting])
        self.holes[node, setting] = tuple(text if i == item else v for i, v in enumerate(now))

    def _varying(self) -> Iterator[tuple[SettingKey, Vector]]:
        first = self.drafts[0]
        for name, node in first.nodes.items():
            for setting in node.settings:
                vector = [d.nodes[name].settings[setting] for d in self.drafts]
                if constant(vector):
                    continue
                columns = _columns(vector, setting in SIZES)
                if columns is None:
                    yield (name, setting, -1), vector
                    continue
                for item, column in enumerate(columns):
                    if not constant(column):
                        yield (name, setting, item), column

    def _name(self, keys: list[SettingKey], vector: Vector, measure: bool) -> str:
        ends = {*self.drafts[0].nodes, *self.drafts[0].inputs}
        return next(
            name
            for name in self._candidates(keys, vector, measure)
            if name not in self.settings and name not in ends and not check_id(name)
        )

    def _candidates(self, keys: list[SettingKey], vector: Vector, measure: bool) -> Iterator[str]:
        """Names for a setting: the model's own attribute if the forward uses it, else the block's.

        measure: whether other sizes are multiples of this one.
        """
        if any(self._is_called(node, setting) for node, setting, _ in keys):
            for name, value in self.attributes[0].items():
                if same(value, vector[0]) and all(
                    same(a.get(name), v) for a, v in zip(self.attributes, vector, strict=True)
                ):
                    yield name
        nodes = self.drafts[0].nodes
        ordered = sorted(keys, key=lambda p: (p[1] not in HIDDEN, p[1] in PLAIN))
        if measure and ordered[0][1] in HIDDEN:
            yield ordered[0][1].removeprefix("out_")
        for _, setting, _ in ordered:
            last = [name for name, d in nodes.items() if setting in d.settings][-1]
            ends = any(p[:2] == (last, setting) for p in ordered)
            yield setting if ends and setting in HIDDEN else (HIDDEN | PLAIN).get(setting, setting)
        node, setting, _ = ordered[0]
        yield HIDDEN.get(setting, PLAIN.get(setting, setting))
        plain = PLAIN.get(setting, setting)
        yield f"{node}_{plain}"[:40]
        yield from (f"{plain}_{i}" for i in range(2, 1000))

    def _is_called(self, node: str, setting: str) -> bool:
        block = self.drafts[0].nodes[node].block
        declared = block.setting(setting) if block else None
        return block is not None and declared is not None and (declared.call or not block.init)


def _columns(vector: Vector, sizes: bool) -> list[Vector] | None:
    """Lists of sizes taken apart into one column per entry; None for anything else."""
    lengths = {len(cast(tuple[Any, ...], v)) if isinstance(v, tuple) else 0 for v in vector}
    if len(lengths) > 1 or 0 in lengths:
        return None
    columns: list[Vector] = [list(column) for column in zip(*vector, strict=True)]
    return columns if sizes or len(differing(columns)) == 1 else None


Group = tuple[list[SettingKey], Vector]


def _grouped(varying: Iterator[tuple[SettingKey, Vector]]) -> list[Group]:
    """Settings with equal values in all drafts, together."""
    result: list[Group] = []
    for key, vector in varying:
        keys = next(
            (
                p
                for p, other in result
                if alike(vector, other) and not any(apart(key[1], here[1]) for here in p)
            ),
            None,
        )
        if keys is None:
            result.append(([key], vector))
        else:
            keys.append(key)
    return result


def _base(index: int, groups: Sequence[Group]) -> tuple[int, int] | None:
    """The smallest size of which this one is always the same multiple, and the factor."""
    if not _is_size(groups[index]):
        return None
    multiples = [
        (other, times)
        for other, group in enumerate(groups)
        if other != index and _is_size(group) and (times := _times(groups[index][1], group[1]))
    ]
    free = [
        (o, t)
        for o, t in multiples
        if not any(_times(groups[o][1], g[1]) for g in groups if g is not groups[o] and _is_size(g))
    ]
    return free[0] if free else None


def _is_size(group: Group) -> bool:
    keys, vector = group
    return all(type(v) is int and v > 0 for v in vector) and any(p[1] in SIZES for p in keys)


def _times(vector: Vector, base: Vector) -> int:
    if not all(type(v) is int and v > 0 for v in base) or len(set(base)) < ENOUGH:
        return 0
    times = vector[0] // base[0]
    exact = all(v == times * b for v, b in zip(vector, base, strict=True))
    return times if exact and times in TIMES else 0


def lift_numbers(drafts: Sequence[Draft], name: str, block: Block) -> None:
    """Replace numbers in a node's text that differ between drafts by letters."""
    setting, number = TEXTS[block.name]
    texts = [str(d.nodes[name].settings[setting]) for d in drafts]
    rest = [re.sub(number, "#", text) for text in texts]
    numbers = [[int(n) for n in re.findall(number, text)] for text in texts]
    if len(set(texts)) == 1 or len(set(rest)) > 1:
        return
    columns: list[Vector] = [list(column) for column in zip(*numbers, strict=True)]
    letters = [c for c in "abcd" if c not in rest[0]]
    odd = differing(columns)
    if len(odd) > len(letters):
        return
    letter_columns = dict(zip(letters, odd, strict=False))
    shown = [
        next((c for c, v in letter_columns.items() if v == column), str(column[0]))
        for column in columns
    ]
    text = rest[0].replace("#", "{}").format(*shown)
    for index, draft in enumerate(drafts):
        values = {letter: vector[index] for letter, vector in letter_columns.items()}
        draft.nodes[name].settings |= {setting: text, **values}
