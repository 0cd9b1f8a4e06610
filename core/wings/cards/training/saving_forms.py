"""A network in five forms of files."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared
from core.wings.cards.weights.limits import without_weights

CARD = Card(
    name="saving-forms",
    topic="Training, by hand",
    title="One network saved in five forms",
    why="A file may hold the whole module, its tensors, these with the state of the optimiser, or "
    "a program. Each needs something else to be loaded, and only some run code on loading.",
    question="AdamW keeps two numbers for each weight. How many times as large is a checkpoint "
    "with the optimiser as the state_dict alone?",
    numbers=(
        Number("larger", "Checkpoint with optimiser, divided by state_dict", "times"),
        Number("least", "Smallest file", "bytes"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Size of each file",
            ("names", "sizes"),
            "Bytes on the disk after an optimiser step.",
        ),
        CardPicture(
            "table",
            "What loading takes and gives",
            ("rows",),
            "Time and growth of the peak memory in a new process; what torch.load gives with "
            "weights_only, its default; what the form's own reader gives without the source.",
            ("file", "bytes", "load ms", "memory", "weights_only", "without the source"),
        ),
    ),
    references=(
        (
            "Saving and loading models",
            "https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html",
        ),
        (
            "torch.load and weights_only",
            "https://docs.pytorch.org/docs/stable/notes/serialization.html",
        ),
        ("safetensors", "https://github.com/huggingface/safetensors"),
    ),
    findings=(
        *compared(
            ("smallest", "least"),
            lambda values: values["least"] > 0,
            "The smallest file is {smallest} with {least} bytes.",
        ),
        *compared(
            ("refused",),
            lambda values: bool(values["refused"]),
            "torch.load with weights_only refuses {refused}.",
            "torch.load with weights_only refuses none of them.",
        ),
        *compared(
            ("lost",),
            lambda values: bool(values["lost"]),
            "Where the source of the network is missing, {lost} cannot be loaded.",
            "All forms can be loaded where the source of the network is missing.",
        ),
    ),
    after="A pickle may run any code when it is loaded, which weights_only rules out: a whole "
    "module is loaded only after its classes are allowed by safe_globals. A dict of "
    "tensors needs the source to become a network again; torch.export's program brings its own "
    "operations along.",
    find_problem=without_weights,
    packages=("safetensors",),
    cost=lambda _drawing, _part: Cost(passes=10, copies=12),
)
