"""A prediction beside what came out: only a right one is called right."""

import pytest

from core.wings.cards.guess import compare_guess, shown


@pytest.mark.parametrize(("guess", "value", "right", "says"), [
    (6.0, 6, True, "Your guess is 6, the value is 6: right."),
    (3.0, 6, False, "Your guess is 3, the value is 6: 3 too low."),
    (12.0, 10, False, "Your guess is 12, the value is 10: 2 too high."),
    (2.3, 2.3026, True, "Your guess is 2.3, the value is 2.303: right."),
    (2.0, 2.3026, False, "Your guess is 2, the value is 2.303: close, 13% off."),
    (1.0, 2.5, False, "Your guess is 1, the value is 2.5: wrong by a factor of 2.5."),
    (3.0, 7840, False, "Your guess is 3, the value is 7,840: wrong by a factor of 2,600. "
     "What would explain that?"),
    (-1.0, 2.5, False, "Your guess is -1, the value is 2.5. What would explain that?"),
])  # fmt: skip
def test_only_a_right_prediction_is_right(guess: float, value: float, right: bool, says: str):
    comparison = compare_guess(guess, value)
    assert (comparison.right, comparison.text) == (right, says)


def test_whole_numbers_are_written_in_full() -> None:
    assert [shown(v) for v in (12544.0, 813432, 0.0235123)] == ["12,544", "813,432", "0.02351"]
