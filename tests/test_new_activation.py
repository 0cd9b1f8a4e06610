"""A new activation is one declaration: every part of the program that treats activations knows it.

PyTorch has no activation that the catalogue lacks, so the test declares one of a function of torch.
"""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from app.pages.data import fit
from blocks import CATALOGUE, Block
from blocks.activation import HIDDEN, SQUASHING, activation
from core.analyse import analyse, analyse_project, build
from core.data.facts.settings import read_settings
from core.insight.weight_views import flattened_shape
from core.project import Project
from core.runs import remedies
from core.runs.verdict_facts import Facts
from tests.core.drawing import chain

IMAGE = ("image", ("Input", {"shape": (1, 4, 4)}))
ARCTAN = replace(
    activation(
        "Arctan",
        "Squeezes every value between -π/2 and π/2.",
        r"y = \arctan x",
        traits=tuple(dict.fromkeys((*SQUASHING, *HIDDEN))),
        span=(-1.6, 1.6),
    ),
    init="",
    forward="torch.atan({input})",
)


@pytest.fixture(autouse=True)
def arctan(monkeypatch: pytest.MonkeyPatch) -> Block:
    """The declaration, in the catalogue for one test."""
    monkeypatch.setitem(CATALOGUE, "Arctan", ARCTAN)
    return ARCTAN


def network(*more: tuple[str, Any]) -> Project:
    """A Linear whose activation is the new one, before a second Linear and whatever comes then."""
    first = (
        IMAGE,
        ("flat", ("flatten", {"start_dim": 1})),
        ("fc1", ("Linear", {"out_features": 8})),
    )
    middle = (("arc1", "Arctan"), ("fc2", ("Linear", {"out_features": 4})))
    return Project(graph=chain(*first, *middle, *more, ("logits", "Output")))


def test_it_is_drawn_built_and_run() -> None:
    report = analyse(network().graph)
    assert report.ok
    assert "x = torch.atan(x)" in (report.source or "")
    assert build(report.source or "") is not None


def test_a_layer_behind_it_is_fitted_to_the_data() -> None:
    edits = fit.fit_edits(network(("arc2", "Arctan")).graph, read_settings({"source": "iris"}))
    assert {"op": "set", "node": "fc2", "settings": {"out_features": 3}} in edits


def test_filters_are_laid_out_as_the_picture_in_front_of_it() -> None:
    graph = chain(IMAGE, ("flat", ("flatten", {"start_dim": 1})), ("arc1", "Arctan"),
                  ("fc1", ("Linear", {"out_features": 3})), ("logits", "Output"))  # fmt: skip
    opened: Any = SimpleNamespace(project=Project(graph=graph), report=analyse(graph))
    assert flattened_shape(opened, "fc1") == (1, 4, 4)


def test_three_of_it_in_a_row_are_a_cause_with_a_remedy() -> None:
    facts = Facts({}, blocks={f"arc{k}": ("Arctan", {}) for k in (1, 2, 3)})
    causes = [cause.remedy.changes for cause in remedies.causes(facts)]
    assert {"arc1.block": "ReLU", "arc2.block": "ReLU", "arc3.block": "ReLU"} in causes


def test_a_warning_says_what_it_cuts_off_right_before_the_output() -> None:
    drawn = network(("arc2", "Arctan"))
    project = replace(drawn, training={"loss": "CrossEntropyLoss"})
    warning = next(w for w in analyse_project(project).warnings if w.code == "output_cut_off")
    assert warning.message == (
        "arc2 is an Arctan right before the Output and outputs only values from -1.6 to 1.6, but "
        "CrossEntropyLoss needs scores, which can be any number."
    )
