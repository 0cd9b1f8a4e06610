"""Cross-validation: all folds for each value, compared by their means."""

import pytest

from core.common.errors import SweepError
from core.wings.sweep import folds


def row(trial: int, fold: int, value: float | None, **settings: object) -> dict[str, object]:
    return {"trial": trial, "value": value, "settings": {**settings, "data.fold": fold}}


def test_every_value_is_tried_on_each_fold():
    search, fixed, trials = folds.request(4, ["lr=0.1,0.01", "batch_size=16..32:16"], {"epochs": 2})
    assert search == ["lr=0.1,0.01", "batch_size=16..32:16", "data.fold=1,2,3,4"]
    assert fixed == {"epochs": 2, "data.folds": 4}
    assert trials == 16


def test_means_and_spreads_are_those_of_the_folds_and_the_best_mean_comes_first():
    rows = [row(1, 1, 0.9, lr=0.1), row(2, 2, 0.5, lr=0.1), row(3, 1, 0.8, lr=0.01),
            row(4, 2, 0.8, lr=0.01), row(5, 3, None, lr=0.01)]  # fmt: skip
    first, second = folds.summaries(rows, maximise=True)
    assert (first["settings"], first["mean"], first["spread"]) == ({"lr": 0.01}, 0.8, 0.0)
    assert second["mean"] == pytest.approx(0.7)
    assert second["spread"] == pytest.approx(0.2828427)
    assert folds.best_of(rows, [first, second]) == {**rows[2], "settings": {"lr": 0.01}}


def test_a_sweep_without_folds_has_no_means():
    assert folds.summaries([{"trial": 1, "value": 1.0, "settings": {"lr": 0.1}}], True) == []


@pytest.mark.parametrize(("count", "search", "message"), [
    (1, [], "--folds needs a whole number from 2 to 100 but receives 1."),
    (3, ["lr=0.1..0.2"], "lr=0.1..0.2 is a continuous range, but with folds every value is tried "
                         "on each fold."),
])  # fmt: skip
def test_what_cannot_be_counted_is_refused(count: int, search: list[str], message: str):
    with pytest.raises(SweepError) as error:
        folds.request(count, search, {})
    assert error.value.message == message
