"""A metric is written alike wherever it stands: by `core.tasks.metric_labels`, and only there."""

from pathlib import Path

import pytest

from app.cli.progress import number
from app.pages.compare.labels import cells_of
from app.pages.train.run import best_checkpoint
from core.export.result import Quality
from core.runs import curve_chart, references
from core.tasks.metric_labels import measure_words, phrase, plain, short, shown, with_deviation


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("val_accuracy", 0.9972, "99.7%"),
        ("val_f1", 0.93, "93.0%"),
        ("train_digit_f1", 0.5, "50.0%"),
        ("val_coverage", 0.9, "90.0%"),
        ("val_mae", 44.1234, "44.12"),
        ("val_loss", 0.020512, "0.02051"),
        ("test_accuracy", None, "not finite"),
    ],
)
def test_shares_are_written_in_per_cent_and_others_with_four_digits(key, value, text):
    assert shown(key, value) == text


def test_a_metric_is_named_without_its_part():
    assert measure_words("val_mae") == "mean absolute error"
    assert measure_words("accuracy") == "accuracy"
    assert measure_words("val_digit_f1") == "F1 of digit"


def test_f1_is_in_per_cent_on_every_page_and_in_every_command():
    assert Quality("val_f1", 0.93, 0.925, None, 9, {}).words() == "F1 92.5% (torch 93.0%)"
    assert "validation F1: **93.0%**" in best_checkpoint({"metric": "val_f1", "value": 0.93})
    assert cells_of("best val_f1", [0.93]) == ["93.0%"]
    assert references.figure("val_f1", 0.93) == "93.0% F1"
    assert number("val_f1", 0.93) == "93.00%"


def test_an_export_names_the_error_as_the_train_page_does():
    words = Quality("val_mae", 44.1, 44.2, None, 9, {}).words()
    assert words == "mean absolute error 44.2 (torch 44.1)"


def test_curve_chart_have_words_and_per_cent():
    svg = curve_chart.draw([1, 2], {"train_accuracy": [0.5, 0.75], "val_accuracy": [0.5, 1.0]})
    assert ">accuracy</text>" in svg
    assert ">100%</text>" in svg
    assert ">validation 100.0%</text>" in svg
    assert ">mean absolute error</text>" in curve_chart.draw([1], {"val_mae": [3.0]})


def test_shares_and_others_are_written_with_deviations_bounds_and_names():
    assert with_deviation("val_f1", 0.9725, 0.003) == "97.25% ± 0.3%"
    assert with_deviation("val_loss", 0.41234, 0.0211) == "0.4123 ± 0.021"
    assert [short("val_iou", 0.95), short("lr", 0.5), short("val_f1", 0.93333, 4)] == [
        "95%",
        "0.5",
        "93.33%",
    ]
    assert phrase("val_f1", "93.0%", "F1") == "93.0% F1"
    assert phrase("val_r2", "0.91", "R²") == "R² 0.91"


def test_only_the_declaration_of_metrics_decides_which_are_in_per_cent():
    root = Path(__file__).parents[3]
    rooms = (path for room in ("app", "core") for path in (root / room).rglob("*.py"))
    deciding = [str(path.relative_to(root)) for path in rooms if "is_share(" in path.read_text()]
    assert deciding == ["core/tasks/metric_labels.py"]


def test_a_number_in_thousands_has_all_its_whole_digits() -> None:
    values = (0.02049, 628.34, 999.7, 1037.25, -24950.0, 3e9)
    assert [plain(value) for value in values] == [
        "0.0205", "628", "1,000", "1,037", "-24,950", "3e+09",
    ]  # fmt: skip
    assert shown("val_mae", 24950.4) == "24,950"
