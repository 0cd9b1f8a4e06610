"""LoRA on the weights of the drawing."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.drawing import Drawing
from core.wings.cards.sentence import compared
from core.wings.cards.weights.limits import with_outputs, without_own_weights


def _nothing_to_adapt(drawing: Drawing) -> str:
    """Why no weight can be changed by a narrow product, "" where one can."""
    if why := without_own_weights(drawing):
        return why
    if with_outputs(drawing):
        return ""
    return "It needs a Linear or a convolution, and this drawing has none: add a Linear."


CARD = Card(
    name="lora",
    topic="Weights",
    title="LoRA: training a narrow change of each weight",
    why="LoRA freezes a weight and trains a product of two narrow matrices that is added to it: "
    "rank * (rows + columns) numbers instead of rows * columns.",
    question="With rank 4, how many percent of the numbers does it train that full fine-tuning "
    "trains?",
    numbers=(
        Number("share", "Numbers trained with rank 4, of all", "%"),
        Number("reached", "Loss after 30 steps with rank 4"),
        Number("lowest", "Loss after 30 steps of all weights"),
        Number("difference", "Largest difference of the outputs by merging"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Loss of the batch",
            ("steps", "first", "second", "third", "every"),
            "The loss of this batch by step of AdamW, from the same weights.",
            ("rank 1", "rank 2", "rank 4", "all weights"),
            ("step", "loss"),
        ),
        CardPicture(
            "table",
            "What was trained",
            ("rows",),
            "Numbers that were trained, and the loss after the last step.",
            ("change", "numbers", "loss"),
        ),
    ),
    references=(
        ("Hu et al. (2021)", "https://arxiv.org/abs/2106.09685"),
        (
            "Parametrizations tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/parametrizations.html",
        ),
    ),
    findings=(
        *compared(
            ("reached", "lowest", "begin"),
            lambda values: values["reached"] <= values["lowest"],
            "Rank 4 reaches {reached} here, no worse than all weights with {lowest}; both begin "
            "at {begin}.",
            "Rank 4 reaches {reached} here, all weights {lowest}; both begin at {begin}.",
        ),
        *compared(
            ("share",),
            lambda values: values["share"] < 100,
            "It trains {share} % of the numbers.",
            "It trains more numbers than all weights have, {share} %: these layers are too narrow "
            "for rank 4 to save anything.",
        ),
        *compared(
            ("difference",),
            lambda values: values["difference"] < 1e-4,
            "Merged into the weights, the change costs nothing later: the outputs differ by "
            "{difference}.",
            "Merged into the weights, the outputs differ by {difference}.",
        ),
    ),
    after="Weights of Linear blocks and convolutions are changed here; all else is frozen. "
    "Choose a run to fine-tune what it learned.",
    find_problem=_nothing_to_adapt,
    cost=lambda _drawing, _part: Cost(passes=380, copies=16),
    limit_s=180.0,
)
