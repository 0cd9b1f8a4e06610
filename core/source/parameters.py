"""Arguments of a generated class: what differs between the uses of a composite, and where.

A value is an argument of its own, a number inside a list, or what the drawing calculates from
the composite's settings ("=channels * 4").
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, cast

from blocks.parametrize import FUNCTION_NAMES
from core.graph.expression import ExpressionError, Tree, evaluate, is_expression, parse
from core.source.literal import literal
from core.source.scope import Scope
from core.source.statement import Text

Key = tuple[str, int, str]
"""Identifies one literal: (use id, repetition, argument name)."""
Vector = tuple[Any, ...]
"""One value per instance."""
Column = TypeVar("Column", bound=Sequence[Any])
FIRST = ("in_channels", "in_features", "input_size", "embed_dim", "num_features")
GEOMETRY = re.compile(r"(kernel_size|stride|padding|dilation)(_?\d+)?\Z")
SIZED = re.compile(r"(channels|features|units|width|heads|size|dim)\d*\Z")


def same(a: Any, b: Any) -> bool:
    """Whether two values are written alike."""
    return type(a) is type(b) and a == b


def alike(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether two vectors are written alike."""
    return all(same(x, y) for x, y in zip(a, b, strict=True))


def is_sized(name: str, value: Any = 0) -> bool:
    """Whether an argument is a size that everybody gives; groups are, where there are some."""
    if name.endswith("groups"):
        return value != 1
    return bool(SIZED.search(name)) and "kernel" not in name


def apart(a: str, b: str) -> bool:
    """Whether two arguments mean different things, though their numbers may agree: a stride is no
    padding. A dilation is what keeps the size with the same padding."""
    kinds = {m[1] if (m := GEOMETRY.search(name)) else "" for name in (a, b)}
    return len(kinds - {""}) == 2 and kinds != {"padding", "dilation"}


def constant(vector: Sequence[Any]) -> bool:
    """Whether all instances have the same value."""
    return all(same(v, vector[0]) for v in vector)


def differing(columns: Sequence[Column]) -> list[Column]:
    """The columns that are not constant, equal ones once."""
    columns_left: list[Column] = []
    for column in columns:
        if not constant(column) and not any(alike(column, other) for other in columns_left):
            columns_left.append(column)
    return columns_left


class Formula(NamedTuple):
    """What the drawing calculates: its values, how, and the values of what it is made of."""

    vector: Vector
    tree: Tree
    settings: Mapping[str, Vector]


@dataclass
class Parameters:
    """The arguments of one class: their values per instance, the places they fill, defaults.

    inline: chains that are written inside this class, per instance.
    """

    scopes: Sequence[Scope]
    inline: Sequence[Sequence[Scope]]
    rows: Sequence[tuple[Key, Vector]]
    vectors: dict[str, Vector] = field(default_factory=lambda: {})
    holes: dict[Key, Text] = field(default_factory=lambda: {})

    def __post_init__(self) -> None:
        first = self.scopes[0]
        self.settings = {
            n: tuple(s.setting_values.get(n) for s in self.scopes) for n in first.setting_values
        }
        self.formulas = [f for group in (self.scopes, *self.inline) for f in _formulas(group)]
        self.ids = {use.id for use in first.uses} | {name for name, _ in first.inputs}
        for key, vector in self.rows:
            if not constant(vector):
                self.holes[key] = self._items(key, vector) or self._text(key, vector)

    @property
    def defaults(self) -> dict[str, Any]:
        """Arguments that need not be given: the composite's own defaults, sizes apart.

        One that a single use has is no default.
        """
        defaults = self.scopes[0].defaults
        known = {
            name: defaults[setting]
            for name, vector in self.vectors.items()
            for setting, values in self.settings.items()
            if alike(vector, values) and setting in defaults
        }
        return {
            name: value
            for name, value in known.items()
            if not is_sized(name, value) and sum(same(value, v) for v in self.vectors[name]) > 1
        }

    def ordered(self) -> dict[str, Vector]:
        """Arguments in the order a person gives them: what comes in first, defaults last."""
        late = self.defaults
        names = sorted(
            self.vectors,
            key=lambda n: (n in late, not is_sized(n), not n.startswith(("in_", "input"))),
        )
        return {name: self.vectors[name] for name in names}

    def _items(self, key: Key, vector: Vector) -> Text | None:
        """A list in which the same one number differs, written number by number."""
        lengths = {len(cast(Vector, v)) if isinstance(v, tuple) else 0 for v in vector}
        if len(lengths) > 1 or 0 in lengths:
            return None
        if self._known(key, vector) or self._wanted(key, vector):
            return None
        columns = [tuple(column) for column in zip(*cast(Any, vector), strict=True)]
        odd = differing(columns)
        if len(odd) > 1 and not all(self._has_vector(column) for column in odd):
            return None
        return tuple(literal(c[0]) if constant(c) else self._text(key, c) for c in columns)

    def _has_vector(self, vector: Vector) -> bool:
        vectors = [
            *self.vectors.values(),
            *self.settings.values(),
            *(f.vector for f in self.formulas),
        ]
        return any(alike(vector, other) for other in vectors)

    def _known(self, key: Key, vector: Vector) -> str:
        return self._alike(key, vector, self.vectors)

    def _wanted(self, key: Key, vector: Vector) -> str:
        return self._alike(key, vector, self.settings)

    def _alike(self, key: Key, vector: Vector, among: Mapping[str, Vector]) -> str:
        names = (n for n, v in among.items() if alike(v, vector) and not apart(n, key[2]))
        return next(names, "")

    def _text(self, key: Key, vector: Vector) -> str:
        """What stands for a value: an argument, or what is calculated from arguments."""
        if name := self._known(key, vector):
            return name
        wanted = self._wanted(key, vector)
        formula = next((f for f in self.formulas if alike(f.vector, vector)), None)
        if not wanted and formula is not None:
            return self._written(formula.tree, formula.settings)
        return self._new(key, vector, wanted or self._argument(key, vector))

    def _argument(self, key: Key, vector: Vector) -> str:
        names = [k[2] for k, v in self.rows if alike(v, vector)]
        name = next((n for n in FIRST if n in names), key[2])
        return name.rpartition(":")[2]

    def _new(self, key: Key, vector: Vector, wanted: str) -> str:
        last = key[2].rpartition(":")[2]
        candidates = [wanted, f"{key[0]}_{last}", *(f"{wanted}_{i}" for i in range(2, 1000))]
        taken = {*self.ids, *self.vectors, *FUNCTION_NAMES}
        name = next(n for n in candidates if n not in taken)
        self.vectors[name] = vector
        return name

    def _written(self, tree: Tree, settings: Mapping[str, Vector], inside: bool = False) -> str:
        if isinstance(tree, int):
            return str(tree)
        if isinstance(tree, str):
            vector = settings[tree]
            if constant(vector):
                return literal(vector[0])
            return self._text(("", 0, tree), vector)
        sign, left, right = tree
        sides = [self._written(side, settings, True) for side in (left, right)]
        text = f"{sides[0]} {sign} {sides[1]}"
        return f"({text})" if inside else text


def _formulas(scopes: Sequence[Scope]) -> Iterator[Formula]:
    """What the drawing calculates from the composite's settings, with its values."""
    settings = {n: tuple(s.setting_values.get(n) for s in scopes) for n in scopes[0].setting_values}
    for use in scopes[0].uses:
        for raw in use.raw.values():
            for part in cast(tuple[Any, ...], raw) if isinstance(raw, tuple) else (raw,):
                tree = parse(part) if is_expression(part) else ""
                if isinstance(tree, str):
                    continue
                try:
                    vector = tuple(evaluate(cast(str, part), s.setting_values) for s in scopes)
                except ExpressionError:
                    continue  # reported at the setting
                yield Formula(vector, tree, settings)


def names_in(text: Text, parameters: Mapping[str, Any]) -> list[str]:
    """The names of the arguments that a text uses."""
    parts = [text] if isinstance(text, str) else list(text)
    words = [word for part in parts for word in re.findall(r"[A-Za-z_]\w*", part)]
    return [word for word in dict.fromkeys(words) if word in parameters]


def of_self(text: Text, parameters: Mapping[str, Any]) -> Text:
    """A text of the forward, where the arguments of the class are attributes of self."""

    def mine(part: str) -> str:
        return re.sub(r"[A-Za-z_]\w*", lambda m: "self." * (m[0] in parameters) + m[0], part)

    if isinstance(text, tuple):
        return tuple(mine(part) for part in text)
    return f"({mine(text)})" if " " in text else mine(text)
