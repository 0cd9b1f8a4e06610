"""The part of each row by the settings of a project: one function for the run and for its numbers.

Errors name the column, what it holds and what to do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.common.errors import DataError, Unread
from core.data.facts.row_keys import RowKeys
from core.data.facts.row_parts import (
    before_gap,
    fold_groups,
    fold_times,
    split_groups,
    split_times,
    windows_in,
)
from core.data.sources.split_by import USUAL_WORDS, VALUES
from core.data.sources.split_settings import Parts
from core.files.messages import quote

SHOWN = 6
_PART_OF = {word: part for part, words in USUAL_WORDS.items() for word in words}
Rows = tuple[list[int], list[int], list[int]]


@dataclass(frozen=True)
class RowSplit:
    """How rows are parted. validation: its share. words: the part of each value of a column: train,
    validation or test, and with folds the number of one. proportional: whether classes are kept in
    proportion. seed: of the split. window: of a series, rows that each sample reads and predicts;
    () where a row is a sample."""

    parts: Parts
    validation: float
    proportional: bool
    seed: int
    words: tuple[tuple[str, str], ...] = ()
    window: tuple[int, ...] = ()

    def rows(self, keys: Sequence[Any], labels: list[int]) -> Rows:
        """The rows that are learned from, that validate and that test.

        keys: of each row its group, its time, or the value of the column. labels: classes, which
        are kept in proportion where groups are drawn; of a series whether all targets of the window
        that begins with a row are known, and then windows are returned, by their first rows.
        """
        every = list(range(len(keys)))
        if self.window:
            length, ahead = self.window
            known = [bool(label) for label in labels]
            train, validation, test = (
                windows_in(rows, known, length, ahead)
                for rows in self._times(list(keys), [], every)
            )
            return train, validation, test
        known = labels if self.proportional and labels else [0] * len(keys)
        by = {"group": self._groups, "time": self._times, "column": self._named}
        return by[self.parts.split.mode](list(keys), known, every)

    def _groups(self, keys: list[Any], labels: list[int], rest: list[int]) -> Rows:
        parts, whole, test = self.parts, len(rest), list[int]()
        if parts.test:
            rest, test = split_groups(keys, labels, rest, round(whole * parts.test), self.seed)
        if parts.folds:
            found = fold_groups(keys, labels, rest, parts.folds, parts.fold, self.seed)
        else:
            found = split_groups(keys, labels, rest, round(whole * self.validation), self.seed)
        return *found, test

    def _times(self, keys: list[Any], _labels: list[int], rest: list[int]) -> Rows:
        parts, whole, test, gap = self.parts, len(rest), list[int](), self.parts.split.gap
        if parts.test:
            rest, test = split_times(keys, rest, round(whole * parts.test))
            rest = before_gap(keys, rest, test, gap.rows, gap.days)
        if parts.folds:
            train, validation = fold_times(keys, rest, parts.folds, parts.fold)
        else:
            train, validation = split_times(keys, rest, round(whole * self.validation))
        return before_gap(keys, train, validation, gap.rows, gap.days), validation, test

    def _named(self, keys: list[Any], labels: list[int], every: list[int]) -> Rows:
        part_of, own = dict(self.words), str(self.parts.fold)
        named: dict[str, list[int]] = {}
        for row in every:
            named.setdefault(part_of[keys[row]], []).append(row)
        test, validation = named.pop("test", []), named.pop("validation", named.pop(own, []))
        train = sorted(row for rows in named.values() for row in rows)
        if not test and self.parts.test:
            count = round(len(train) * self.parts.test)
            train, test = split_groups([*every], labels, train, count, self.seed)
        if not validation and not self.parts.folds and len(train) > 1:
            count = round(len(train) * self.validation)
            train, validation = split_groups([*every], labels, train, count, self.seed)
        return train, validation, test


def row_split(
    parts: Parts,
    validation: float | None,
    proportional: bool,
    seed: int,
    facts: Mapping[str, Any],
    path: str,
) -> RowSplit:
    """How the rows of this data are parted. facts: what is known of the keys; path: of the file.

    seed: of the training. Raises DataError where a column names no parts.
    """
    words: tuple[tuple[str, str], ...] = ()
    if parts.split.mode == "column":
        words = named_parts(parts, {str(name): rows for name, rows in facts["values"]}, path)
    own = parts.split.seed
    window = tuple(facts.get("window", ()))
    own = seed if own is None else own
    return RowSplit(parts, validation or 0.0, proportional, own, words, window)


@lru_cache(maxsize=64)
def sizes(split: RowSplit, rows: RowKeys | None, whole: int) -> tuple[int, int, int]:
    """How many rows are in each part. rows: None for the order of `whole` rows. Raises Unread."""
    train, validation, test = _keys_and_rows(split, rows, whole)[1]
    return len(train), len(validation), len(test)


@lru_cache(maxsize=64)
def groups(split: RowSplit, rows: RowKeys | None, whole: int) -> tuple[int, int, int]:
    """How many different groups, times or values are in each part. Raises Unread."""
    keys, parts = _keys_and_rows(split, rows, whole)
    train, validation, test = (len({keys[row] for row in part}) for part in parts)
    return train, validation, test


@lru_cache(maxsize=64)
def border(split: RowSplit, rows: RowKeys | None, whole: int) -> tuple[float, float]:
    """The last time that is learned from and the first that validates; of windows, the times of
    what is predicted. Raises Unread."""
    keys, (train, validation, _) = _keys_and_rows(split, rows, whole)
    length, ahead = split.window or (0, 1)
    last = max(keys[row + length + ahead - 1] for row in train)
    return last, min(keys[row + length] for row in validation)


def _keys_and_rows(split: RowSplit, rows: RowKeys | None, whole: int) -> tuple[Sequence[Any], Rows]:
    """The key of each row, and the rows of each part. Raises Unread."""
    whole += sum(split.window) - bool(split.window)  # the rows that so many windows are cut of
    keys: Sequence[Any] = range(whole)
    labels: list[int] = [1] * whole if split.window else []
    if rows:
        try:
            keys, labels = rows.read()
        except (OSError, ValueError) as error:
            raise Unread(
                "What decides the split has not been read yet.", "Press Read on the Data page."
            ) from error
    if split.words:
        names = [word for word, _ in split.words]
        keys = [names[int(key)] for key in keys]
    return keys, split.rows(keys, labels)


def names_parts(values: Iterable[str]) -> bool:
    """Whether all values of a column are usual names of parts, such as train and validation."""
    return all(value.lower() in _PART_OF for value in values)


def named_parts(parts: Parts, values: Mapping[str, int], path: str) -> tuple[tuple[str, str], ...]:
    """The part that each value of a column names. values: with their rows, in the order they come.

    Raises DataError for values that name none.
    """
    split, where = parts.split, f"Column {parts.split.by} of {path}"
    given = dict(split.values)
    for value in given:
        if value not in values:
            raise DataError(
                f"data.{VALUES} names {quote(value)}, which column {split.by} of {path} does not "
                "hold.",
                f"It holds {_listed(values)}.",
            )
    usual = {} if given else _PART_OF
    found = {value: given.get(value, usual.get(value.lower(), "")) for value in values}
    if parts.test and "test" in found.values():
        raise DataError(
            f"data.test is {parts.test:g}, but {where[0].lower()}{where[1:]} names the test "
            "samples.",
            "Remove data.test.",
        )
    if parts.folds:
        return _named_folds(parts, found, where)
    if given:
        return tuple((value, part or "train") for value, part in found.items())
    if unknown := [value for value, part in found.items() if not part]:
        raise DataError(
            f"{where} holds {quote(unknown[0])} in {values[unknown[0]]:,} rows, which names no part"
            f" (it holds {_listed(values)}).",
            "Use the values train, validation and test, or say in "
            f'data.{VALUES} which values validate: {{"validation": [{quote(unknown[0])}]}}.',
        )
    return tuple(found.items())


def _named_folds(parts: Parts, found: Mapping[str, str], where: str) -> tuple[tuple[str, str], ...]:
    """The same where each value but those to test with is a fold, numbered in order."""
    own = _ordered(value for value, part in found.items() if part != "test")
    if len(own) != parts.folds:
        raise DataError(
            f"data.folds is {parts.folds}, but {where[0].lower()}{where[1:]} holds {len(own)} "
            f"values that are folds: {_listed(own)}.",
            f"Set data.folds to {len(own)}." if len(own) > 1 else "Choose another column.",
        )
    numbers = {value: str(number) for number, value in enumerate(own, 1)}
    return tuple((value, numbers.get(value, "test")) for value in found)


def _ordered(values: Any) -> list[str]:
    """Numbers by size, else words by the alphabet."""
    found = list(values)
    if all(value.isdecimal() for value in found):
        return sorted(found, key=lambda value: (int(value), value))
    return sorted(found)


def _listed(values: Any) -> str:
    names = [quote(value) for value in values]
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"


def check_sizes(
    split: RowSplit, found: tuple[int, int, int], facts: Mapping[str, Any], path: str
) -> None:
    """Raises DataError where a part that is needed is empty: what the column holds, what to do."""
    parts = split.parts
    needed = {"training": found[0], "validation": found[1]}
    needed |= {"test": found[2]} if parts.test else {}
    empty = [name for name, rows in needed.items() if not rows]
    if not empty and not _too_few_for_folds(parts, facts):
        return
    why = {"group": _few_groups, "time": _few_times, "column": _one_part}
    message, hint = why[parts.split.mode](parts, facts, path)
    what = f"{empty[0]} samples are left" if empty else "samples are left for some folds"
    raise DataError(f"No {what}: {message}", hint)


def _too_few_for_folds(parts: Parts, facts: Mapping[str, Any]) -> bool:
    """Whether another fold than this one would be empty."""
    if not parts.folds:
        return False
    least = parts.folds + bool(parts.test)
    return facts.get("groups", least) < least or facts.get("times", least + 1) < least + 1


Why = tuple[str, str]


def _few_groups(parts: Parts, facts: Mapping[str, Any], path: str) -> Why:
    count, (name, rows) = facts["groups"], facts["largest"]
    by = f"split by {parts.split.by}, {path} has"
    if count == 1:
        return (
            f"{by} one group, {quote(name)}, with all {rows:,} samples.",
            "Choose another column, or split at random.",
        )
    wanted = (parts.folds or 2) + bool(parts.test)
    return (
        f"{by} {count} groups, and {wanted} are needed"
        f"{f' for {parts.folds} folds' if parts.folds else ''}"
        f"{' and the test samples' if parts.test else ''}.",
        "Use fewer folds, leave out data.test, or choose another column.",
    )


def _few_times(parts: Parts, facts: Mapping[str, Any], path: str) -> Why:
    if "window" in facts:
        return _few_windows(parts, facts, path)
    gap, times = parts.split.gap, facts.get("times")
    by = f"column {parts.split.by} of {path}" if parts.split.by else f"the order of {path}"
    if times == 1:
        return f"{by} has the same time in every row.", "Choose another column, or split at random."
    wanted = (parts.folds + 1 if parts.folds else 2) + bool(parts.test)
    if times is not None and times < wanted:
        return (
            f"{by} has {times} different times, and {wanted} are needed.",
            "Use fewer folds, leave out data.test, or choose another column.",
        )
    if gap:
        return f"the gap of {gap.words} covers all that lies before.", "Make data.gap smaller."
    return f"{by} has too few rows for these shares.", "Choose a larger share, or fewer folds."


def _few_windows(parts: Parts, facts: Mapping[str, Any], path: str) -> Why:
    length, ahead = facts["window"]
    gap = f", and data.gap leaves out {parts.split.gap.words}" if parts.split.gap else ""
    return (
        f"{path} has {facts['times']:,} rows in time. A training window reads {length:,} of them "
        f"and predicts {ahead:,} more, and each later part needs {ahead:,}{gap}.",
        "Make data.window or data.ahead smaller, or choose other shares.",
    )


def _one_part(parts: Parts, facts: Mapping[str, Any], path: str) -> Why:
    values = _listed([value for value, _ in facts["values"]])
    return (
        f"column {parts.split.by} of {path} holds {values}.",
        f"Say in data.{VALUES} which values validate, or choose another column.",
    )
