"""No errors means that it runs: the written source is built and run once, and a fault of the
writer is told as ours."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from core.analyse import analyse
from core.analyse.run_once import run_once
from core.graph import Composite, Graph
from tests.core.drawing import END, IMAGE, chain, draw


def twice(block: str, setting: str, values: tuple[Any, Any]) -> Graph:
    """Two uses of a composite around one block, whose setting differs between them."""
    settings = {setting: "=value"}
    inner = chain(("start", "Input"), ("one", (block, settings)), ("done", "Output"))
    uses = [
        (name, ("Part", {"value": v})) for name, v in zip(("first", "second"), values, strict=True)
    ]
    start = ("features", ("Input", {"shape": (4,)}))
    part = Composite({"value": values[0]}, inner)
    return chain(start, *uses, END, composites={"Part": part})


@pytest.mark.parametrize(
    ("block", "setting", "values", "annotation"),
    [
        ("to", "dtype", ("float64", "float32"), "dtype: torch.dtype"),
        ("tensor", "data", ("[0.5, 1]", "[1, 2]"), "data: list[float] | list[int]"),
        ("tensor", "data", ("[[1, 2]]", "[[3, -4]]"), "data: list[list[int]]"),
        ("tensor", "data", ("0.5", "True"), "data: bool | float"),
    ],
)
def test_what_differs_between_uses_is_an_argument_that_python_knows(
    block: str, setting: str, values: tuple[Any, Any], annotation: str
):
    report = analyse(twice(block, setting, values))
    assert report.source is not None
    assert f"def __init__(self, {annotation}) -> None:" in report.source
    assert run_once(report).ok


def test_a_long_calculation_that_is_wrapped_stays_one_number():
    """A size that is written where it is used, in a line that is too long for it."""
    nodes = {
        "features_of_a_long_and_telling_name": ("Input", {"shape": (30, 4)}),
        "length_of_the_sequence_that_comes": ("size", {"dim": 1}),
        "pieces": ("calculate", {"expression": "((a) + 10000000000 - 10000000000) // 3"}),
        "rows": ("reshape", {"shape": (-1, 3, 1, 4)}),
        "done": "Output",
    }
    edges = [
        "features_of_a_long_and_telling_name -> length_of_the_sequence_that_comes",
        "length_of_the_sequence_that_comes -> pieces.a",
        "features_of_a_long_and_telling_name -> rows.input",
        "pieces -> rows.shape.2",
        "rows -> done",
    ]
    report = run_once(analyse(draw(nodes, edges)))
    assert [error.message for error in report.errors] == []
    assert [(name, str(s)) for name, s in report.outputs] == [("done", "(N, 3, 10, 4)")]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("self.fc1(x)", "self.fc2(x)", "fc1 has no error, but the source that Layerloom wrote does "
         "not run (line 14: AttributeError: 'Network' object has no attribute 'fc2'"),
        ("(784, 10)", "(783, 10)", "fc1 has no error, but the source that Layerloom wrote does "
         "not run (line 14: RuntimeError: "),
        ("self.fc1(x)", "self.fc1(x", "The source that Layerloom wrote does not run (AuditError: "
         "the source is not Python: '(' was never closed (<unknown>, line 14))."),
    ],
)  # fmt: skip
def test_a_source_that_does_not_run_is_reported_as_our_fault(right: str, wrong: str, message: str):
    report = analyse(chain(IMAGE, ("flat", ("flatten", {"start_dim": 1})),
                           ("fc1", ("Linear", {"out_features": 10})), END))  # fmt: skip
    assert report.source is not None
    assert right in report.source
    ran = run_once(replace(report, source=report.source.replace(right, wrong)))
    assert not ran.ok
    assert ran.source is None
    (error,) = ran.errors
    assert error.code == "source_does_not_run"
    assert error.message.startswith(message)
    assert error.message.endswith(" This is a fault of Layerloom, not of the drawing.")


def test_what_the_meta_device_cannot_run_is_run_on_a_few_values():
    nodes = {"features": ("Input", {"shape": (4,)}), "places": "nonzero", "done": "Output"}
    report = analyse(draw(nodes, ["features -> places.input", "places -> done"]))
    assert report.ok
    assert run_once(report).ok


def test_the_run_leaves_the_random_numbers_of_others_alone():
    graph = chain(("features", ("Input", {"shape": (4,)})), ("places", "nonzero"), END)
    torch.manual_seed(3)
    before = torch.get_rng_state()
    run_once(analyse(graph))
    assert torch.equal(torch.get_rng_state(), before)
