"""Drawings are framed and outputs read alike by Python and by an exported page.

`app/canvas/frontend/tests/readouts.test.ts` reads the same cases for `core/export/web/readouts.js`.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from core.data.builtin.handwriting import framed, height_of
from core.export.web.page import RULES, script_of
from core.samples.contract import FILLER_WORDS
from core.samples.inputs import MASKED
from core.samples.outputs import ANSWERS, answers
from core.tasks.readout import COVER
from core.tasks.registry import KINDS

Json = dict[str, Any]
CASES = json.loads((Path(__file__).parent / "readouts.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES["framed"], ids=lambda case: case["name"])
def test_handwriting_is_framed_as_the_page_frames_it(case: Json) -> None:
    ink = torch.zeros(case["surface"])
    for top, low, left, right, brightness in case["strokes"]:
        ink[top:low, left:right] = brightness
    rows = torch.tensor(case["rows"])
    size = (len(case["rows"]), len(case["rows"][0]))
    assert torch.allclose(framed(ink, size, case["source"])[0, 0], rows, atol=1e-4)


@pytest.mark.parametrize("case", CASES["outputs"], ids=lambda case: case["name"])
def test_an_output_is_answered_as_the_page_shows_it(case: Json) -> None:
    output = torch.tensor(case["data"], dtype=torch.float32).reshape(case["dims"])
    interface = {"inputs": [], "outputs": [{"name": "out", **case["spec"]}]}
    (answer,) = answers(interface, [], [0], [output])
    reading, names = case["reading"], case["spec"].get("classes", [])
    if "shares" in reading:
        given = answer["out"]["probabilities"]
        assert [given[name] for name in names] == pytest.approx(reading["shares"], abs=1e-6)
        chosen = answer["out"].get("labels", [answer["out"].get("class")])
        assert chosen == [names[k] for k in reading["chosen"]]
    elif "values" in reading:
        found = {"value", "values", "picture", "mask"} & answer["out"].keys()
        flat = torch.tensor(answer["out"][found.pop()], dtype=torch.float64).flatten()
        assert flat.tolist() == pytest.approx(reading["values"], abs=1e-6)
    else:
        assert answer["out"] == reading


def test_every_form_that_a_kind_names_has_a_case_and_an_answer() -> None:
    forms = {kind.readout.web for kind in KINDS.values() if kind.readout.web}
    assert forms == ANSWERS.keys()
    tried = {case["spec"]["kind"] for case in CASES["outputs"]}
    assert forms - tried == {"tokens"}  # a text is read with its input, by a server


def test_the_page_takes_its_signs_and_the_ink_from_python() -> None:
    assert RULES == {
        "cover": "\u2588",
        "visible": {" ": "\u2423", "\n": "\u23ce", "\0": "end"},
        "ink": 0.1,
        "fillers": FILLER_WORDS,
        "deep": (0.0, 65535.0),
        "pixels": 50_000_000,
    }
    assert script_of("server.js").count("const RULES = ") == 1
    assert MASKED == COVER  # a server folder has it word for word and imports nothing of ours


def test_handwriting_of_digits_is_known_by_its_data() -> None:
    assert [height_of(name) for name in ("digits", "MNIST", "FashionMNIST")] == [0.94, 20 / 28, 0.0]
