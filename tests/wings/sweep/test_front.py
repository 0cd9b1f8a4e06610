"""The picture of a front, and the benchmark's figure of how much a front covers."""

import base64
import re
from typing import Any

import pytest

from app.wings.sweep import front
from app.wings.sweep.service import SweepView
from core.wings.sweep.files import SweepRequest
from tests.wings.sweep.bench.structure import area

REQUEST = SweepRequest("", "", ("a.kept=true,false",), 4)
ACCURACY = {"name": "val_accuracy", "words": "validation accuracy", "kind": "metric"}
PARAMS = {"name": "params", "words": "parameters", "kind": "cost", "unit": ""}


def trial(number: int, accuracy: float | None, params: float) -> dict[str, Any]:
    values = {"val_accuracy": accuracy, "params": params}
    return {"trial": number, "value": accuracy, "values": values}


def drawn(*objectives: Any, best: tuple[int, ...] = (1, 2)) -> str:
    trials = (trial(1, 0.9, 10_000), trial(2, 0.6, 100), trial(3, 0.5, 1_000), trial(4, None, 10))
    view = SweepView("s", "finished", REQUEST, trials=trials, objectives=objectives, front=best)
    return front.picture(view)


def inside(image: str) -> str:
    found = re.search(r"base64,([^\"]+)", image)
    assert found is not None
    return base64.b64decode(found[1]).decode()


def test_trials_are_points_and_those_of_the_front_are_joined() -> None:
    svg = inside(drawn(ACCURACY, PARAMS))
    at = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg)]
    assert at == [(546.0, 14.0), (78.0, 158.0), (312.0, 206.0)]  # 100 to 10,000 by powers of ten
    assert 'points="78.0,158.0 546.0,14.0"' in svg
    assert re.findall(r">([^<>]+)</text>", svg) == [
        "90.0%", "50.0%", "100", "10,000", "parameters", "1", "2"
    ]  # fmt: skip


def test_the_picture_says_what_it_shows() -> None:
    words = "validation accuracy against parameters. On the front: trials 1, 2."
    assert f'alt="{words}"' in drawn(ACCURACY, PARAMS)


def test_one_objective_has_no_picture() -> None:
    assert drawn(ACCURACY, best=()) == ""


@pytest.mark.parametrize(
    ("points", "covered"),
    [
        ([(0.5, 1_000)], 0.5),
        ([(0.5, 10_000)], 0.25),
        ([(0.5, 1_000), (1.0, 10_000)], 0.75),
        ([(1.0, 10_000), (0.4, 31_623)], 0.5),
    ],
)
def test_a_front_covers_accuracy_over_powers_of_ten(
    points: list[tuple[float, float]], covered: float
) -> None:
    assert area(points) == pytest.approx(covered, abs=1e-4)
