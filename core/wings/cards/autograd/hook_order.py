"""The order in which hooks are called."""

from core.wings.cards.autograd.limits import inner
from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import Sentence

CARD = Card(
    name="hook-order",
    topic="Autograd",
    title="The order of hooks",
    why="Modules, tensors and nodes of the graph have hooks of their own; in one step they are "
    "called in an order that torch defines.",
    question="How many of the hooks that are called in the backward pass find no weight.grad yet?",
    numbers=(
        Number("early", "Hooks of the backward pass that find no weight.grad"),
        Number("calls", "Calls of hooks in the step"),
    ),
    pictures=(
        CardPicture(
            "table",
            "One step, event by event",
            ("rows",),
            "Each call in its order, with the length (norm) of the gradient that the hook is "
            "given, and whether weight.grad is there.",
            ("event", "hook", "gradient", "weight.grad"),
        ),
    ),
    references=(
        (
            "Backward hooks execution",
            "https://docs.pytorch.org/docs/stable/notes/autograd.html#backward-hooks-execution",
        ),
        (
            "Tensor.register_post_accumulate_grad_hook",
            "https://docs.pytorch.org/docs/stable/generated/"
            "torch.Tensor.register_post_accumulate_grad_hook.html",
        ),
    ),
    findings=(
        Sentence(
            "The first hook of the backward pass is the {first}, the last the {last}.",
            ("first", "last"),
            lambda values: bool(values["first"]),
        ),
        Sentence(
            "The first that finds the gradient in weight.grad is the {finished}.",
            ("finished",),
            lambda values: bool(values["finished"]),
        ),
    ),
    after="AccumulateGrad is the node that adds a gradient to weight.grad. Code that reads or "
    "sends finished gradients, as an optimiser inside of the backward pass, belongs into "
    "register_post_accumulate_grad_hook.",
    parts=inner,
    without_part="It needs two blocks with weights, one behind the other, and this drawing has "
    "fewer.",
    cost=lambda _drawing, _part: Cost(passes=4, copies=3, batches=1),
)
