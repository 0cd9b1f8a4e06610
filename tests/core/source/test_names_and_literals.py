"""Names, numbers and prose of a project stand in the source as what they are, and nothing more."""

import pytest
import torch

from core.analyse import analyse, build
from core.graph import Composite
from core.source.audit import audit
from core.source.literal import literal, prose, quote
from core.source.model import class_name_of
from tests.core.drawing import END, IMAGE, chain, draw


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("LeNet on digits", "LeNetOnDigits"),
        ("3D net", "Net3DNet"),
        ("", "Net"),
        ("Tensor", "NetTensor"),
        ("none", "NetNone"),
        ("true", "NetTrue"),
        ("Dataset", "NetDataset"),
        ('"""; import os', "ImportOs"),
        ("Überfluß", "Berflu"),
    ],
)
def test_a_class_name_is_made_of_the_projects_name(name: str, expected: str):
    assert class_name_of(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("tensor", "Tensor2"), ("f", "F2"), ("none", "None2"), ("image", "Image2")],
)
def test_a_composite_hides_no_name_that_the_source_or_a_script_uses(name: str, expected: str):
    part = draw({"inp": "Input", "unit": "normalize", "soft": "ReLU", "out": "Output"},
                ["inp -> unit", "unit -> soft", "soft -> out"])  # fmt: skip
    graph = chain(IMAGE, ("first", name), ("relu1", "ReLU"), ("second", name), END,
                  composites={name: Composite({}, part)})  # fmt: skip
    module = build(str(analyse(graph, "Hidden").source))
    assert type(module.first).__name__ == expected
    assert module(torch.rand(2, 1, 28, 28)).shape == (2, 1, 28, 28)


def test_a_hostile_name_stays_inside_the_docstring():
    graph = chain(IMAGE, ("relu1", "ReLU"), END)
    source = analyse(graph, 'a"""\nimport os\n\\').source or ""
    assert source.startswith("\"\"\"a''' import os /: (N, 1, 28, 28)")
    audit(source)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (3, "3"),
        (-0.5, "-0.5"),
        (float("inf"), 'float("inf")'),
        ((2, 3), "(2, 3)"),
        ((2,), "(2,)"),
        (None, "None"),
        ('a"b\n', '"a\\"b\\n"'),
    ],
)
def test_literals_are_written_plainly(value: object, text: str):
    assert literal(value) == text
    assert eval(text, {"float": float}) == value


def test_nothing_else_is_a_literal():
    with pytest.raises(TypeError, match="a set cannot be written into source"):
        literal({1})


def test_prose_is_one_line_without_quotes():
    assert prose('a "b"\n\u202ec\\') == "a 'b' c/"
    assert quote("é") == '"\\xe9"'
