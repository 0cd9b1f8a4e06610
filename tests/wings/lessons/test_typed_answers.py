"""What a student types is read in every usual way, and nothing else is."""

import pytest

from core.wings.lessons.typed_answers import (
    difference,
    not_a_count,
    not_a_shape,
    read_count,
    read_shape,
)


@pytest.mark.parametrize("text", ["1210", "1,210", "1 210", "1.210", " 1210 ", "1'210"])
def test_a_number_is_read_however_its_digits_are_grouped(text: str) -> None:
    assert read_count(text) == 1210


@pytest.mark.parametrize("text", ["", "1.5", "-3", "12 apples", "1,21", "1e3", "٣", "9" * 200])
def test_what_is_no_whole_number_is_none(text: str) -> None:
    assert read_count(text) is None


@pytest.mark.parametrize(
    "text",
    ["(N, 6, 26, 26)", "N,6,26,26", "6, 26, 26", "6x26x26", "[6, 26, 26]", "6 × 26 × 26",
     "n x 6 x 26 x 26", "6 26 26", "(6, 26, 26,)"],
)  # fmt: skip
def test_a_shape_is_read_with_and_without_its_batch(text: str) -> None:
    assert read_shape(text) == [6, 26, 26]


@pytest.mark.parametrize("text", ["", "N", "(N)", "six", "6, -26", "6.5", "6, 26 = 26", "6," * 99])
def test_what_is_no_shape_is_none(text: str) -> None:
    assert read_shape(text) is None


def test_a_wrong_shape_is_corrected_without_giving_the_right_one() -> None:
    assert difference([6, 28, 28], [6, 26, 26]) == "28 × 28 is not right."
    assert difference([5, 26, 28], [6, 26, 26]) == "5 and 28 are not right."
    assert difference([5, 26, 26], [6, 26, 26]) == "5 is not right."
    assert difference([26, 26], [6, 26, 26]) == "The shape has 3 sizes after N; yours has 2."


def test_what_cannot_be_read_is_answered_with_how_to_write_it() -> None:
    assert not_a_shape("(16, N)") == "The batch size N comes first: (N, 16)."
    assert not_a_shape("6 x 28 x 28 x N") == "The batch size N comes first: (N, 6, 28, 28)."
    assert not_a_shape("sixteen") == (
        "This cannot be read as a shape. Write the batch size N first, as in (N, 8, 14, 14)."
    )
    assert not_a_count("16 + 1") == "Type the result of 16 + 1, a whole number."
    assert not_a_count("seventeen") == ("This is not a whole number. Type digits only, as in 1024.")
