"""No group, no time and no row is on two sides, whatever the shares, folds and seeds."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.facts.row_split import RowSplit
from core.data.sources.split_by import Gap, Split
from core.data.sources.split_settings import Parts

LESS = settings(max_examples=80, deadline=None)
ROWS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=2, max_size=80)
TIMES = st.lists(st.integers(0, 30).map(float), min_size=2, max_size=80)
SEEDS, SHARES = st.integers(0, 50), st.sampled_from([0.1, 0.2, 0.3, 0.45])


def group(seed: int, share: float, **parts: Any) -> RowSplit:
    asked = Parts(**parts, split=Split("group", "patient"))
    return RowSplit(asked, share, True, seed)


def in_time(share: float = 0.2, gap: Gap = Gap(), **parts: Any) -> RowSplit:  # noqa: B008
    return RowSplit(Parts(**parts, split=Split("time", "day", gap=gap)), share, False, 0)


@LESS
@given(ROWS, SEEDS, SHARES, SHARES)
def test_each_row_is_on_one_side_and_no_group_on_two(
    rows: list[tuple[int, int]], seed: int, share: float, test: float
):
    keys, labels = [f"p{key}" for key, _ in rows], [label for _, label in rows]
    split = group(seed, share, test=test)
    parts = split.rows(keys, labels)
    assert sorted(row for part in parts for row in part) == list(range(len(rows)))
    sides = [{keys[row] for row in part} for part in parts]
    assert not sides[0] & sides[1]
    assert not (sides[0] | sides[1]) & sides[2]
    assert split.rows(keys, labels) == parts
    assert split.rows([int(key[1:]) for key in keys], labels) == parts  # a name is only a name
    assert parts[0] or len(set(keys)) == 1


@LESS
@given(ROWS, SEEDS, st.integers(2, 6))
def test_each_group_validates_in_one_fold(rows: list[tuple[int, int]], seed: int, folds: int):
    keys, labels = [key for key, _ in rows], [label for _, label in rows]
    found = [group(seed, 0, folds=folds, fold=k).rows(keys, labels) for k in range(1, folds + 1)]
    validated = sorted(row for _, validation, _ in found for row in validation)
    assert validated == list(range(len(rows)))
    for train, validation, _ in found:
        assert not {keys[row] for row in train} & {keys[row] for row in validation}
    assert sum(1 for _, validation, _ in found if validation) == min(folds, len(set(keys)))


@LESS
@given(TIMES, SHARES, SHARES, st.integers(0, 4), st.sampled_from([0.0, 2.0]))
def test_what_is_learned_from_lies_before_what_validates_and_that_before_the_test(
    times: list[float], share: float, test: float, rows: int, days: float
):
    split = in_time(share, Gap(0 if days else rows, days), test=test)
    train, validation, tested = split.rows(times, [])
    for before, after in ((train, validation), (validation, tested), (train, tested)):
        if before and after:
            last, first = max(times[row] for row in before), min(times[row] for row in after)
            assert last < first - days
            between = [row for row in range(len(times)) if last < times[row] < first]
            assert len(between) >= (0 if days else rows)
    used = [*train, *validation, *tested]
    assert len(used) == len(set(used))
    assert rows or days or sorted(used) == list(range(len(times)))


@LESS
@given(TIMES, st.integers(2, 5))
def test_folds_in_time_validate_one_after_the_other(times: list[float], folds: int):
    found = [in_time(folds=folds, fold=k).rows(times, []) for k in range(1, folds + 1)]
    enough = len(set(times)) > folds
    for k, (train, validation, _) in enumerate(found):
        assert not {times[row] for row in train} & {times[row] for row in validation}
        if enough:
            assert train
            assert validation
            assert max(times[row] for row in train) < min(times[row] for row in validation)
            later = [row for _, others, _ in found[k + 1 :] for row in others]
            assert not set(later) & {*train, *validation}
    validated = [row for _, validation, _ in found for row in validation]
    assert len(validated) == len(set(validated))


def test_groups_of_one_size_are_parted_by_the_share_and_the_classes():
    keys = [row // 10 for row in range(400)]  # 40 patients of 10 rows, every fourth is ill
    labels = [int(key % 4 == 0) for key in keys]
    for seed in range(5):
        train, validation, test = group(seed, 0.2, test=0.1).rows(keys, labels)
        assert (len(train), len(validation), len(test)) == (280, 80, 40)
        assert sum(labels[row] for row in validation) == 20
        assert sum(labels[row] for row in test) == 10
    parts = [group(seed, 0.2).rows(keys, labels)[1] for seed in range(5)]
    assert len({tuple(part) for part in parts}) == 5


def test_a_group_that_is_larger_than_the_share_is_learned_from():
    keys = ["large"] * 60 + [f"small{row // 4}" for row in range(40)]
    for seed in range(10):
        train, validation, _ = group(seed, 0.2).rows(keys, [0] * 100)
        assert "large" in {keys[row] for row in train}
        assert len(validation) == 20


def test_where_every_group_is_larger_than_the_share_the_nearest_validates():
    keys = ["a"] * 50 + ["b"] * 30 + ["c"] * 40
    for seed in range(10):
        _, validation, _ = group(seed, 0.1).rows(keys, [0] * 120)
        assert {keys[row] for row in validation} == {"b"}


def test_rows_of_days_that_differ_are_cut_at_the_share_to_the_row():
    assert in_time(0.3, test=0.1).rows([float(row) for row in range(10)], []) == (
        [0, 1, 2, 3, 4, 5],
        [6, 7, 8],
        [9],
    )
    assert in_time(0.3, Gap(rows=2)).rows([float(9 - row) for row in range(10)], []) == (
        [9, 8, 7, 6, 5],
        [2, 1, 0],
        [],
    )


def test_rows_of_one_hour_are_left_out_whole_by_a_gap_in_hours():
    hours = [18262 + row / 24 for row in range(48)]
    train, validation, _ = in_time(0.25, Gap(days=3 / 24)).rows(hours, [])
    assert (train[-1], validation[0]) == (32, 36)  # 33, 34 and 35 are the three hours
