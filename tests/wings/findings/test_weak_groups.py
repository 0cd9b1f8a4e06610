"""Groups on which a network is much worse are named, and by chance hardly any."""

from typing import Any

import numpy as np
import pytest

from core.wings.findings.table_view import TableView, view_table
from core.wings.findings.weak_groups import groups_of
from tests.wings.findings.planted import people


@pytest.fixture
def view(read: Any) -> TableView:
    return view_table(read(people(np.random.default_rng(1))), 0)


def test_a_city_where_half_is_wrong_is_named_with_its_count(view: TableView) -> None:
    (city,) = (column for column in view.columns if column.name == "city")
    cork = city.values == city.words.index("Cork")
    right = np.ones(len(cork), bool)
    right[np.flatnonzero(cork)[::2]] = False
    first, *others = groups_of(view, view.rows.tolist(), right)
    assert first.sentence == (
        "Where city is Cork, 49.0% of 49 predictions are correct, elsewhere 100.0%."
    )
    assert [group.value for group in others] == ["Bergen", "Graz", "Lyon", "Porto"]
    assert [group.weak for group in (first, *others)] == [True, False, False, False, False]


def test_chance_is_that_of_fishers_exact_test_for_all_groups_together(view: TableView) -> None:
    from scipy.stats import fisher_exact

    (city,) = (column for column in view.columns if column.name == "city")
    right = np.random.default_rng(3).uniform(size=len(city.values)) < 0.8
    for group in groups_of(view, view.rows.tolist(), right):
        inside = city.values == city.words.index(group.value)
        table = [[right[inside].sum(), (~right[inside]).sum()],
                 [right[~inside].sum(), (~right[~inside]).sum()]]  # fmt: skip
        wanted = min(1.0, 5 * fisher_exact(table, "less").pvalue)
        assert group.p_value == pytest.approx(wanted)


def test_a_network_that_is_equally_good_everywhere_is_hardly_ever_doubted(view: TableView) -> None:
    rng, places = np.random.default_rng(4), view.rows.tolist()
    doubted = [
        any(group.weak for group in groups_of(view, places, rng.uniform(size=len(places)) < 0.8))
        for _ in range(60)
    ]
    assert sum(doubted) <= 1


def test_rows_that_were_not_looked_at_and_small_groups_count_nowhere(view: TableView) -> None:
    places = [*view.rows.tolist()[:12], 10_000]
    assert groups_of(view, places, np.ones(13, bool)) == []
