"""What a template reaches on the data of a run: when that is said, and what the run lacks."""

from typing import Any

import pytest

from core.data import read_settings
from core.project.templates import load_template
from core.runs.references import figure, recorded, reference_for, short_of
from core.runs.verdict import judge
from core.runs.verdict_facts import Facts
from core.settings.network_facts import facts_of
from tests.bench.first_networks import project_of
from tests.bench.first_shapes import SHAPES, TEMPLATES

DIGITS = {"metric": "val_accuracy", "value": 0.1, "rule": "always predicting “3”", "samples": 360}


def facts(source: str, shape: str, values: list[float], **more: Any) -> Facts:
    """A run of a shape whose accuracy was these, 300 steps long."""
    graph = SHAPES[shape](source)
    assert graph is not None
    drawn = project_of({}, graph).graph
    losses = [1 - value for value in values]
    given = {
        "training": {"lr": 0.01, "epochs": len(values), "scheduler": {"name": "OneCycleLR"}},
        "data": {"source": source},
        "blocks": {name: (node.block, node.settings) for name, node in drawn.nodes.items()},
        "network": facts_of(drawn),
        "baseline": DIGITS,
        "epochs": {"val_accuracy": values, "val_loss": losses, "train_loss": losses},
        "first": 2.3,
        "steps": 300,
    }
    return Facts(**{**given, **more})


def test_every_embedded_data_set_has_a_reference_of_its_template() -> None:
    assert {source: row["template"] for source, row in recorded().items()} == TEMPLATES
    for source, row in recorded().items():
        assert load_template(row["template"]).data["source"] == source
        assert 0.4 < (1 - row["value"] if row["metric"] == "val_ler" else row["value"]) <= 1
        assert row["steps"] > 100


def test_the_reason_is_in_numbers_and_in_blocks_that_are_lacking() -> None:
    verdict = judge(facts("digits", "embedding and mean", [0.68] * 8))
    assert (verdict.kind, verdict.template) == ("learned", "lenet_digits")
    assert verdict.title == "Learned; the template reaches 98.6%"
    assert verdict.reason.endswith(
        "The template “LeNet on digits” reaches 98.6%. "
        "This network averages over all positions (mean1), so their order is lost. "
        "The template has convolution (Conv2d), which this network does not have. "
        "It has 5 layers with weights, this network 2."
    )


def test_less_than_half_of_the_templates_way_is_too_little() -> None:
    verdict = judge(facts("digits", "one hidden layer", [0.5] * 8))
    assert (verdict.kind, verdict.title) == ("underfits", "Learned too little")
    assert "reaches 98.6%." in verdict.reason


def test_within_three_points_nothing_is_reported() -> None:
    assert short_of(facts("digits", "CNN", [0.957] * 8)) is None
    assert short_of(facts("digits", "CNN", [0.955] * 8)) is not None
    few = {**DIGITS, "samples": 30}  # of which one alone is more than three points
    assert short_of(facts("digits", "CNN", [0.94] * 8, baseline=few)) is None


def test_below_the_templates_own_range_over_seeds_only() -> None:
    """R² of 88 samples differs by four points from split to split."""
    assert (recorded()["diabetes"]["value"], recorded()["diabetes"]["least"]) == (0.4669, 0.4478)
    rule = {"metric": "val_r2", "value": 0.0, "rule": "always predicting the mean", "samples": 88}
    for r2, falls_short in ((0.42, False), (0.41, True)):
        columns = {"val_r2": [r2] * 8, "val_loss": [0.6] * 8, "train_loss": [0.6] * 8}
        run = facts("diabetes", "GRU", [0.0], baseline=rule, epochs=columns)
        assert (short_of(run) is not None) is falls_short


def test_it_is_held_against_the_epoch_whose_weights_are_kept() -> None:
    values = [0.9, 0.99, 0.9, 0.9]
    assert short_of(facts("digits", "CNN", values)) is None
    short = short_of(facts("digits", "CNN", values, best=4))
    assert short is not None
    assert short.reached == 0.9


@pytest.mark.parametrize(
    "data",
    [{"target": "image"}, {"limit": 300}, {"noise": 0.5}, {"source": "CSV"}, {"source": "MNIST"}],
)
def test_what_is_of_other_data_is_not_compared(data: dict[str, Any]) -> None:
    assert reference_for({"source": "digits"}) is not None
    assert reference_for({"source": "digits", "validation": 0.3, "normalize": True}) is not None
    assert reference_for({"source": "digits", **data}) is None


def test_a_run_that_trains_is_not_compared_yet() -> None:
    assert short_of(facts("digits", "CNN", [0.5] * 8, live=True)) is None


def test_a_network_that_treats_each_place_by_itself_is_described_as_such() -> None:
    r2 = {"val_r2": [0.74] * 8, "val_loss": [0.3] * 8, "train_loss": [0.3] * 8}
    short = short_of(facts("waves", "linear", [0.0], epochs=r2))
    assert short is not None
    assert "No block of this network looks at more than one position at a time." in short.text
    assert "The template has recurrence (LSTM), which this network does not have." in short.text


def test_a_recurrence_read_at_its_end_alone_is_described_as_such() -> None:
    short = short_of(facts("dates", "GRU", [0.51] * 8))
    assert short is not None
    assert "predicts from its last state only." in short.text
    assert "attention (scaled_dot_product_attention)" in short.text


def test_fewer_steps_are_named() -> None:
    short = short_of(facts("dates", "CNN", [0.9] * 8, steps=100))
    assert short is not None
    assert "It makes 400 steps, this run made 100." in short.text


def test_figures_are_read_as_people_read_them() -> None:
    assert figure("val_accuracy", 0.9861) == "98.6%"
    assert figure("val_ler", 0.0084) == "0.8% label error rate"
    assert figure("val_r2", 0.9154) == "R² 0.915"


def test_the_settings_of_a_reference_can_be_read() -> None:
    for row in recorded().values():
        read_settings(load_template(row["template"]).data)
