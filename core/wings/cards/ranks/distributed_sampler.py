"""Which rank reads which sample."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import Sentence, compared

CARD = Card(
    name="distributed-sampler",
    topic="Several processes",
    title="Who reads which sample: DistributedSampler",
    why="Each rank (process) reads its own share of the samples. All shuffle with the same seed "
    "and the epoch, so that shares fit together without a message.",
    question="14 samples are divided among 4 ranks. How many samples are read twice in an epoch?",
    numbers=(
        Number("twice", "Samples read twice in an epoch"),
        Number("left_out", "Samples left out with drop_last"),
        Number("moved", "Samples that change rank in the next epoch, with set_epoch"),
        Number("stuck", "Places that stay the same in the next epoch, without set_epoch"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Samples of each rank, epoch by epoch",
            ("rows",),
            "The numbers of the samples in the order in which a rank reads them.",
            ("epoch", "rank", "with set_epoch(epoch)", "without"),
        ),
    ),
    references=(
        (
            "DistributedSampler",
            "https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler",
        ),
    ),
    findings=(
        Sentence(
            "Each rank must make equally many steps, so {twice} samples are read again to fill the "
            "last round: {slots} places for {samples} samples.",
            ("twice", "slots", "samples"),
            lambda values: values["twice"] > 0,
        ),
        *compared(
            ("stuck", "slots"),
            lambda values: values["stuck"] == values["slots"],
            "Without set_epoch each epoch has the same order: all {slots} places stay as they are.",
            "Without set_epoch {stuck} of {slots} places stay as they are.",
        ),
    ),
    after="An average over a validation set counts the repeated samples twice, so it is a little "
    "off with several ranks.",
    drawn=False,
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=0, copies=1, batches=0),
)
