"""Quantisation to 8 bits, step by step."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import Sentence, compared, ladder
from core.wings.cards.weights.limits import without_own_weights

CARD = Card(
    name="quantisation-steps",
    topic="Weights",
    title="Quantisation, step by step",
    why="An observer notes the smallest and the largest value; scale and zero point map that range "
    "to 256 whole numbers, for a whole tensor or for each channel of it.",
    question="How many times as large is the error of the weights with one scale for each tensor "
    "as with one for each channel?",
    numbers=(
        Number("ratio", "Error per tensor, divided by error per channel", "times"),
        Number("by_tensor", "Difference of the outputs, weights per tensor"),
        Number("by_channel", "Difference of the outputs, weights per channel"),
        Number("against_torch", "Largest difference to torch's own functions"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Weights",
            ("rows",),
            "Observed range, scale and zero point of a tensor; then the error (root mean square) "
            "with one scale per tensor and with one per channel.",
            ("weight", "range", "scale", "zero point", "per tensor", "per channel"),
        ),
        CardPicture(
            "table",
            "Outputs of the layers for this batch",
            ("outputs",),
            "A range above 0 alone, as behind a ReLU, moves the zero point to -128.",
            ("layer", "range", "scale", "zero point", "error"),
        ),
        CardPicture(
            "bars",
            "Error of each weight",
            ("names", "per_tensor", "per_channel"),
            "Root mean square of the difference between a weight and its 8 bits.",
            ("per tensor", "per channel"),
        ),
    ),
    references=(
        (
            "torch.fake_quantize_per_tensor_affine",
            "https://docs.pytorch.org/docs/stable/generated/"
            "torch.fake_quantize_per_tensor_affine.html",
        ),
        ("torchao", "https://docs.pytorch.org/ao/stable/"),
        ("Jacob et al. (2018)", "https://arxiv.org/abs/1712.05877"),
    ),
    findings=(
        *ladder(
            "ratio",
            (
                1.1,
                "The channels of these weights have alike ranges, so a scale for each gains "
                "little.",
            ),
            (
                inf,
                "A scale for each channel pays off here: a channel of small weights no longer "
                "shares the steps of one with large weights.",
            ),
            undefined="No weight has an error, so there is nothing to compare.",
        ),
        *compared(
            ("by_channel", "by_tensor"),
            lambda values: values["by_channel"] < values["by_tensor"],
            "The outputs of the network are nearer with a scale for each channel, too.",
            "The outputs of the network do not come nearer by it.",
        ),
        Sentence(
            "{full} bytes of weights become {small}, with a scale of 4 bytes for each tensor.",
            ("full", "small"),
            lambda values: values["small"] > 0,
        ),
    ),
    after="Rounding moves a value by half a scale at most, so one far outlier makes all steps of "
    "its tensor coarse. The range always holds 0, which is mapped exactly: padding and ReLU need "
    "it.",
    find_problem=without_own_weights,
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=4, copies=8, batches=3),
)
