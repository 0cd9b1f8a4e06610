"""A card on a project with a test part or folds draws its batch from the training samples."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.analyse import analyse_project, report_json
from core.project import open_project
from core.wings.cards.catalogue import CARDS
from core.wings.cards.drawing import Drawing
from core.wings.cards.text import BEGIN, card_text

ROOT = Path(__file__).parents[3]
TURNED = [{"name": "RandomRotation", "degrees": 10}]


@pytest.mark.parametrize(("template", "data", "count"), [
    ("mlp_iris", {"test": 0.2}, 90),
    ("mlp_iris", {"folds": 5}, 120),
    ("regression_diabetes", {"test": 0.1}, 310),
    ("gpt_text", {"test": 0.1}, 1500),
    ("lenet_digits", {"test": 0.1, "transform": TURNED}, 1258),
])  # fmt: skip
def test_the_lines_above_a_card_make_its_batch(template: str, data: dict[str, Any], count: int):
    project = open_project(ROOT / "projects" / f"{template}.loom.json")
    project = replace(project, data={**project.data, **data})
    drawing = Drawing(project, report_json(analyse_project(project)))
    card = CARDS["shapes-and-strides"]
    above = card_text(card, drawing).text.partition(BEGIN)[0]
    room: dict[str, Any] = {"__name__": "card"}
    exec(compile(above, "card", "exec"), room)
    assert len(room["x"]) == len(room["y"]) == card.batch
    learned = room.get("train_x", room.get("train"))
    assert len(learned[0] if isinstance(learned, list) else learned) == count
