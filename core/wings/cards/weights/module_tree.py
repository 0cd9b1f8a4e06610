"""Modules, parameters and buffers as a tree."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared

CARD = Card(
    name="module-tree",
    topic="Weights",
    title="Modules, parameters, buffers, and .to()",
    why="A network is a tree of modules. Each holds parameters, which train, buffers, which are "
    "kept with them, and children; .to() walks the tree and converts both.",
    question="How many tensors of this network does model.to(torch.float64) convert?",
    numbers=(
        Number("converted", "Tensors converted"),
        Number("modules", "Modules, the network among them"),
        Number("before", "State before", "bytes"),
        Number("after", "State after", "bytes"),
    ),
    pictures=(
        CardPicture(
            "table",
            "The tree",
            ("tree",),
            "Each module by its path, with what it holds itself; the tensors of its children "
            "stand in their own rows.",
            ("module", "class", "children", "parameters", "buffers"),
        ),
        CardPicture(
            "table",
            "What .to(torch.float64) does",
            ("rows",),
            "Each tensor of the state, and a tensor that is only an attribute.",
            ("tensor", "kind", "before", "after", "same object"),
        ),
    ),
    references=(
        ("torch.nn.Module", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"),
        ("Modules", "https://docs.pytorch.org/docs/stable/notes/modules.html"),
    ),
    findings=(
        *compared(
            ("whole",),
            lambda values: values["whole"] > 0,
            "{whole} tensors hold whole numbers or yes and no, as the counter of a BatchNorm, and "
            "keep their type: .to(dtype) converts floating-point tensors only.",
        ),
        *compared(
            ("parameters", "same"),
            lambda values: 0 < values["parameters"] == values["same"],
            "Each of the {parameters} parameters is the object it was, with other numbers inside, "
            "so an optimiser that was made before still holds it.",
        ),
        *compared(
            ("buffers", "renewed"),
            lambda values: values["renewed"] > 0,
            "{renewed} of {buffers} buffers are new tensors: a variable that holds an old one "
            "does not follow.",
        ),
    ),
    after="A tensor that is only an attribute is in neither list: .to() leaves it, and "
    "state_dict() does not save it. register_buffer puts it there.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=0, copies=4, batches=0),
)
