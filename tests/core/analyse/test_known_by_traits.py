"""Blocks that lists of names used to leave out are treated as the blocks they are like."""

from typing import Any

import pytest

from core.analyse import analyse_project
from core.project import Project
from core.runs.remedies import advice, causes
from core.runs.verdict_facts import Facts
from core.settings.network_facts import facts_of
from tests.core.drawing import chain

Block = tuple[str, dict[str, Any]]
CONV3 = ("Conv3d", {"out_channels": 2, "kernel_size": 1})


def warned(shape: tuple[int, ...], *blocks: Block, loss: str = "CrossEntropyLoss") -> list[str]:
    """The codes and blocks of the warnings of a chain."""
    named = [(f"b{number}", block) for number, block in enumerate(blocks, 1)]
    graph = chain(("image", ("Input", {"shape": shape})), *named, ("out", "Output"))
    report = analyse_project(Project(graph=graph, training={"loss": loss}))
    return [f"{warning.code} {warning.node}" for warning in report.warnings]


def test_two_convolutions_of_volumes_in_a_row_are_one() -> None:
    assert "no_activation b2" in warned((1, 4, 4, 4), CONV3, CONV3)
    assert "no_activation b3" not in warned((1, 4, 4, 4), CONV3, ("ReLU", {}), CONV3)


@pytest.mark.parametrize(
    ("activation", "loss", "code"),
    [
        ("Softmin", "CrossEntropyLoss", "activation_before_loss"),
        ("Hardsigmoid", "BCEWithLogitsLoss", "activation_before_loss"),
        ("GELU", "CrossEntropyLoss", "output_cut_off"),
        ("SELU", "CrossEntropyLoss", "output_cut_off"),
    ],
)
def test_an_activation_before_the_loss_is_noticed(activation: str, loss: str, code: str) -> None:
    linear, settings = ("Linear", {"out_features": 3}), {"dim": 1} if code[0] == "a" else {}
    block = (activation, settings if activation == "Softmin" else {})
    assert f"{code} b2" in warned((4,), linear, block, loss=loss)


def test_a_stack_of_encoders_counts_as_many_layers_as_its_stages_drawn_one_by_one() -> None:
    sequence = ("tokens", ("Input", {"shape": (5, 8)}))
    heads = {"nhead": 2, "batch_first": True}
    stack = ("enc", ("TransformerEncoder", {**heads, "num_layers": 3}))
    stages = [(f"e{k}", ("TransformerEncoderLayer", heads)) for k in range(3)]
    assert facts_of(chain(sequence, stack, ("out", "Output"))).layers == 12
    assert facts_of(chain(sequence, *stages, ("out", "Output"))).layers == 12


def test_every_dropout_that_drops_too_much_is_a_cause() -> None:
    for name in ("FeatureAlphaDropout", "StochasticDepth"):
        found = causes(Facts({}, blocks={"drop1": (name, {"p": 0.9})}))
        assert {"drop1.p": 0.2} in [cause.remedy.changes for cause in found]


def test_an_inverse_hyperbolic_cosine_says_which_numbers_it_needs() -> None:
    assert advice("a1", "acosh") == (
        "a1 (acosh) needs numbers from 1 up. Put a clamp before it, or leave it out; "
        "no learning rate fixes it."
    )
