"""The small pictures on the Train form: their numbers, their steps, their words."""

import base64
import re

from app.pages.shared import svg_plots
from app.pages.train import lr


def drawing(image: str) -> str:
    return base64.b64decode(image.split("base64,")[1].split('"')[0]).decode()


def test_a_line_says_its_range_and_what_stands_below_it() -> None:
    image = svg_plots.line([0, 1, 2], [0.5, 3.25, 1], "Loss", [(0, "0"), (2, "2 steps")], marks=[1])
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawing(image))
    assert sorted(texts) == ["0", "0.5", "2 steps", "3.25"]
    assert drawing(image).count("stroke-dasharray") == 1
    assert 'alt="Loss"' in image


def test_a_line_that_never_moves_says_its_value_once() -> None:
    image = svg_plots.line([0, 1], [2.0, 2.0], "Rate", [])
    assert re.findall(r"<text[^>]*>([^<]*)</text>", drawing(image)) == ["2"]


def test_a_rate_that_stays_for_an_epoch_is_drawn_as_stairs() -> None:
    places, (rates,) = lr.staircase([0.0, 1.0, 2.0], [[0.1, 0.01, 0.01]])
    assert places == [0.0, 1.0, 1.0, 2.0]
    assert rates == [0.1, 0.1, 0.01, 0.01]


def test_a_schedule_that_does_nothing_is_described_so() -> None:
    words = lr.describe([0.0, 1.0, 2.0], [0.001, 0.001, 0.001])
    assert words == "Stays at 0.001: the schedule has no effect in so few epochs."
    assert lr.describe([0.0, 1.0], [0.1, 0.01]) == "Starts at 0.1, ends at 0.01."


def test_what_is_right_lies_on_the_diagonal() -> None:
    image = svg_plots.dots([0.0, 5.0, 10.0], [0.0, 2.0, 10.0], "Said against right")
    assert drawing(image).count("<circle") == 3
    places = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawing(image))
    line = re.search(r'<polyline points="([\d. ,]+)"', drawing(image))
    assert line is not None
    assert line.group(1) == " ".join(",".join(places[i]) for i in (0, 2))
    assert float(places[1][1]) > (float(places[0][1]) + float(places[2][1])) / 2  # said too low


def test_a_number_beside_an_axis_is_short_enough_to_stand_there_whole() -> None:
    image = svg_plots.line([0.0, 1.0], [0.000999, 0.00999], "", [])
    assert sorted(re.findall(r"<text[^>]*>([^<]*)</text>", drawing(image))) == [
        "0.00999",
        "9.99e-4",
    ]
    large = svg_plots.line([0.0, 1.0], [-123456.0, 0.0], "", [])
    assert ">-1.23e5</text>" in drawing(large)
