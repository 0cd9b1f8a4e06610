"""What the Data page finds in a data set, and what it shows of what a network will see."""

import json

import pytest

from app.services import data_previews, previews

pytestmark = pytest.mark.slow  # torch is imported here


def test_pictures_have_a_range_and_the_moments_of_what_is_learned_from() -> None:
    found = data_previews.preview_data(json.dumps({"source": "digits"}), 0)
    (brightness,) = found.columns
    assert (brightness["column"], brightness["lowest"], brightness["highest"]) == (
        "brightness", 0.0, 1.0,
    )  # fmt: skip
    assert brightness["mean"] == pytest.approx(0.305, abs=0.003)
    assert brightness["deviation"] == pytest.approx(0.376, abs=0.003)
    assert sum(brightness["spread"]) == 1797 * 64


def test_each_of_some_classes_has_a_full_column_of_pictures() -> None:
    assert [data_previews.pictures_of(classes) for classes in (2, 7, 10, 40)] == [24, 28, 30, 24]
    found = data_previews.preview_data(json.dumps({"source": "digits"}), 0)
    assert [label for _, label in found.pictures] == [*"0123456789"] * 3


def test_a_number_that_is_to_be_predicted_has_its_range_before_the_columns() -> None:
    found = data_previews.preview_data(json.dumps({"source": "diabetes"}), 0)
    assert [row["column"] for row in found.columns[:2]] == [
        "disease progression after one year", "age",
    ]  # fmt: skip
    assert (found.columns[0]["lowest"], found.columns[0]["highest"]) == (25.0, 346.0)


def test_moments_of_a_column_leave_out_what_validates() -> None:
    halves = [data_previews.preview_data(json.dumps({"source": "wine", "validation": 0.5}), seed)
              for seed in (0, 1)]  # fmt: skip
    first, second = (look.columns[0] for look in halves)
    assert (first["lowest"], first["highest"]) == (second["lowest"], second["highest"])
    assert first["mean"] != second["mean"]


def test_a_picture_is_shown_with_its_noise_and_as_it_is_without() -> None:
    plain = data_previews.variations(json.dumps({"source": "digits"}), (1, 8, 8), 0)
    assert all(len(set(row)) == 1 for row in plain)
    given = {"source": "digits", "noise": 0.3, "target": "input"}
    noisy = data_previews.variations(json.dumps(given), (1, 8, 8), 0)
    assert [len(set(row)) for row in noisy] == [5] * 6
    assert [row[0] for row in noisy] == [row[0] for row in plain]


def test_noise_is_as_strong_as_the_normalised_pictures_it_is_added_to() -> None:
    """Digits deviate by 0.376: of normalised ones, a noise of 1 is as a noise of 0.376 of others"""
    _, plain = data_previews._clean({"source": "digits", "noise": 1.0}, (1, 8, 8))
    _, normal = data_previews._clean(
        {"source": "digits", "noise": 1.0, "normalize": True}, (1, 8, 8)
    )
    assert float(plain) == 1.0
    assert float(normal) == pytest.approx(0.376, abs=0.003)


def test_a_table_is_shown_by_the_names_of_its_columns() -> None:
    found = previews.preview("iris")
    assert found.columns == ("class", "sepal_length", "sepal_width", "petal_length", "petal_width")
