"""The network in two stages on two processes."""

from blocks import CATALOGUE, has
from core.wings.cards.autograd.limits import one_tensor
from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.drawing import Drawing
from core.wings.cards.graphs.limits import untraceable
from core.wings.cards.sentence import compared


def _cuts(drawing: Drawing) -> tuple[str, ...]:
    """Blocks that all values pass on their way, with weights before them or in them and behind."""
    whole = [n for n, part in drawing.parts.items() if part.block in CATALOGUE and "." not in n]
    return tuple(n for n in whole if one_tensor(drawing, n) and _divides(drawing, n))


def _undivided(drawing: Drawing) -> str:
    """Why torch.fx cannot divide a network into stages, "" where it can."""
    nodes = drawing.report["nodes"]
    stored = next((path for path, node in nodes.items() if has(node["block"], "stored")), "")
    if stored:
        return f"A stage needs layers, and {stored} is a tensor that belongs to no layer."
    return untraceable(drawing)


def _divides(drawing: Drawing, name: str) -> bool:
    graph, report = drawing.project.graph, drawing.report
    starts = {end["node"] for end in report["inputs"]} - {name}
    before, waiting = set(starts), list(starts)
    while waiting:
        targets = {edge.target for edge in graph.out_of(waiting.pop())} - before - {name}
        before |= targets
        waiting += targets
    if before & {end["node"] for end in report["outputs"]}:
        return False
    sides = before | {name}, set(graph.nodes) - before - {name}
    return all(_weights(drawing, side) for side in sides)


def _weights(drawing: Drawing, names: set[str]) -> int:
    nodes = drawing.report["nodes"]
    return sum(nodes[name]["params"] for name in names if name in nodes)


CARD = Card(
    name="pipeline-parallel",
    topic="Several processes",
    title="The network in two stages: a pipeline",
    why="The first process has the blocks up to one of yours, the second all others. Micro-batches "
    "follow each other, so that both processes have something to do.",
    question="How many bytes do the two processes send in a step, forwards and backwards?",
    numbers=(
        Number("sent", "Sent in a step", "bytes"),
        Number("every", "Gradients that data parallel training would send", "bytes"),
        Number("idle", "Time that a process waits, with stages of equal length", "%"),
        Number("difference", "Largest difference of a gradient from one process"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Whose gradient is where",
            ("rows",),
            "The process that has each weight after a real step of two processes with gloo.",
            ("weight", "rank", "bytes"),
        ),
    ),
    references=(
        (
            "torch.distributed.pipelining",
            "https://docs.pytorch.org/docs/stable/distributed.pipelining.html",
        ),
        ("Huang et al. (2019)", "https://arxiv.org/abs/1811.06965"),
    ),
    findings=(
        *compared(
            ("sent", "every"),
            lambda values: values["sent"] < values["every"],
            "A step sends {sent} bytes, less than the {every} of all gradients.",
            "A step sends {sent} bytes, no less than the {every} of all gradients: another block "
            "to cut at may pass less on.",
        ),
        *compared(
            ("difference",),
            lambda values: values["difference"] < 1e-5,
            "The gradients are those of one process, within {difference}.",
            "The gradients differ from those of one process by {difference}.",
        ),
    ),
    after="With n micro-batches and two stages, 1 / (n + 1) of the time is spent waiting; here n "
    "is 4. Layers whose result depends on the whole batch, as BatchNorm in training, see a "
    "micro-batch only.",
    parts=_cuts,
    without_part="It needs a block that all values pass, with weights before and behind it, and "
    "there is none.",
    find_problem=_undivided,
    cost=lambda _drawing, _part: Cost(passes=12, copies=8, batches=3),
)
