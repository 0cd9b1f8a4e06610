"""Merge of values: a change of one side is taken, different changes of both are a conflict."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast

from core.files.messages import quote
from core.wings.merge.order import order_of

LONGEST = 120


class Missing:
    """The type of MISSING, for a value that is absent."""

    def __bool__(self) -> bool:
        return False


MISSING = Missing()

OWNED = {
    "block": ("settings",),
    "optimizer": ("optimizer_settings",),
    "loss": ("loss_settings", "settings"),
}
"""Keys that name a kind of thing, and the keys of its settings."""
UNSPOKEN = ("settings", "extra")


@dataclass(frozen=True)
class MergeConflict:
    """One conflict: both sides changed something; a sentence and the three values.

    place: a block, composite or part of the project, and what about it ("conv1.out_channels").
    base, ours, theirs: JSON values; None where there was none.
    """

    place: str
    message: str
    base: Any = None
    ours: Any = None
    theirs: Any = None


@dataclass
class MergeLog:
    """The conflicts and remarks of a merge. remarks: decisions that are no conflict.

    theirs: messages of the conflicts in which theirs is taken; either: of those in which it can be.
    """

    conflicts: list[MergeConflict] = field(default_factory=lambda: [])
    remarks: list[str] = field(default_factory=lambda: [])
    theirs: Collection[str] = ()
    either: set[str] = field(default_factory=lambda: set())

    def conflict(
        self, path: str, message: str, base: Any = None, ours: Any = None, theirs: Any = None
    ) -> None:
        """Add a conflict; the same sentence only once."""
        conflict = MergeConflict(path, message, _plain(base), _plain(ours), _plain(theirs))
        if all(conflict.message != other.message for other in self.conflicts):
            self.conflicts.append(conflict)

    def choose(
        self, path: str, message: str, base: Any = None, ours: Any = None, theirs: Any = None
    ) -> bool:
        """Add a conflict in which either side can be taken. Return whether theirs is."""
        self.conflict(path, message, base, ours, theirs)
        self.either.add(message)
        return message in self.theirs

    def differ(self, path: Sequence[str], base: Any, ours: Any, theirs: Any) -> bool:
        """Add a conflict: both set one thing. Return whether theirs is taken."""
        head, *rest = (part for part in path if part not in UNSPOKEN)
        subject = f"{head}: {'.'.join(rest)}" if rest else head
        return self.choose(
            ".".join((head, *rest)),
            f"{subject} is {written(ours)} in ours and {written(theirs)} in theirs "
            f"({written(base)} before).",
            base,
            ours,
            theirs,
        )


def _plain(value: Any) -> Any:
    return None if value is MISSING else value


def written(value: Any) -> str:
    """Write a value for a sentence."""
    if value is MISSING:
        return "not set"
    if not isinstance(value, Mapping | list | tuple):
        return quote(value)
    text = json.dumps(value, ensure_ascii=False)
    text = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def same(one: Any, other: Any) -> bool:
    """Whether two values are written alike: 1, 1.0 and true are three values."""
    if one is MISSING or other is MISSING:
        return one is other
    return json.dumps(one) == json.dumps(other)


def is_map(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is an object of JSON."""
    return isinstance(value, Mapping)


def merge_value(log: MergeLog, path: Sequence[str], base: Any, ours: Any, theirs: Any) -> Any:
    """Take what only one side changed; objects key by key; else add a conflict and take ours."""
    if same(ours, base):
        return theirs
    if same(theirs, base) or same(ours, theirs):
        return ours
    before: Any = {} if base is MISSING else base
    if is_map(ours) and is_map(theirs) and is_map(before) and _one_kind(ours, theirs):
        return merge_map(log, path, before, ours, theirs)
    if (
        _entries(before)
        and _entries(ours)
        and _entries(theirs)
        and (len(before) == len(ours) == len(theirs))
    ):
        return _merge_entries(log, path, before, ours, theirs)
    return theirs if log.differ(path, base, ours, theirs) else ours


def _one_kind(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """A schedule or transform of another name has other settings: nothing to be mixed."""
    return same(ours.get("name"), theirs.get("name"))


def _entries(value: Any) -> TypeGuard[Sequence[Mapping[str, Any]]]:
    return isinstance(value, tuple | list) and all(map(is_map, cast(Sequence[Any], value)))


def _merge_entries(
    log: MergeLog,
    path: Sequence[str],
    base: Sequence[Any],
    ours: Sequence[Any],
    theirs: Sequence[Any],
) -> tuple[Any, ...]:
    *head, last = path
    return tuple(
        merge_value(log, (*head, f"{last}[{index}]"), *three)
        for index, three in enumerate(zip(base, ours, theirs, strict=True))
    )


def merge_map(
    log: MergeLog,
    path: Sequence[str],
    base: Mapping[str, Any],
    ours: Mapping[str, Any],
    theirs: Mapping[str, Any],
) -> dict[str, Any]:
    """Merge objects key by key; a key that names a kind (block, loss) goes with its settings."""
    held = _held(log, path, base, ours, theirs)
    merged: dict[str, Any] = {}
    for key in dict.fromkeys((*base, *ours, *theirs)):
        three = [version.get(key, MISSING) for version in (base, ours, theirs)]
        merged[key] = three[held[key]] if key in held else merge_value(log, (*path, key), *three)
    keys = {key for key, value in merged.items() if value is not MISSING}
    order, _ = order_of(list(base), list(ours), list(theirs), keys)
    return {key: merged[key] for key in order}


def _held(
    log: MergeLog,
    path: Sequence[str],
    base: Mapping[str, Any],
    ours: Mapping[str, Any],
    theirs: Mapping[str, Any],
) -> dict[str, int]:
    """Keys with settings of their own that go together: 1 takes those of ours, 2 of theirs.

    One side made it another thing, and the other set the old one.
    """
    held: dict[str, int] = {}
    for kind, owned in OWNED.items():
        keys = [kind, *(key for key in owned if key in base or key in ours or key in theirs)]
        was, mine, yours = ([v.get(key, MISSING) for key in keys] for v in (base, ours, theirs))
        if not same(mine[0], yours[0]) and not _alike(mine, was) and not _alike(yours, was):
            side = 2 if _choose_kind(log, path, keys, (was, mine, yours)) else 1
            held |= dict.fromkeys(keys, side)
    return held


def _choose_kind(
    log: MergeLog, path: Sequence[str], keys: Sequence[str], values: Sequence[Sequence[Any]]
) -> bool:
    head = ".".join(part for part in path if part not in UNSPOKEN)
    texts = [" with ".join(written(v) for v in version if v) for version in values]
    subject = f"{' and '.join(keys)} {'are' if len(keys) > 1 else 'is'}"
    message = f"{head}: {subject} {texts[1]} in ours and {texts[2]} in theirs ({texts[0]} before)."
    return log.choose(f"{head}.{keys[0]}", message, *map(_parts, values))


def _alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return all(same(a, b) for a, b in zip(one, other, strict=True))


def _parts(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(None if value is MISSING else value for value in values)
