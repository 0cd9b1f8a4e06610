"""The topics of a course on PyTorch, each with its door here, who checks its figures, and drawings.

Run: python -m tests.wings.cards.bench.topics; kept in topics.md. A topic names its cards, commands
and templates; by whom a card is checked is read off the tests that ask for its values, and on which
drawings it ran off every_card.json. `missing` says what has no door.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from tests.wings.cards.bench.every_card import DRAWINGS, KEPT

HERE = Path(__file__).parent
TABLE = HERE / "topics.md"
HEAD = """# The topics of a course, and where they are

Written by `python -m tests.wings.cards.bench.topics`, which says how. A card is
`layerloom card NAME FILE`. Checked by: the files beside the cards' tests, where its numbers are
calculated in plain torch by another way. Drawings: on which of the six of
[every_card.md](every_card.md) a card of the topic ran; empty: not run yet, or no card.
"""


@dataclass(frozen=True)
class Topic:
    """A topic. cards: by name. command: a command, with what follows it. template: a drawing.

    tests: of what is no card, a path. missing: what cannot be done here.
    """

    title: str
    cards: tuple[str, ...] = ()
    command: str = ""
    template: str = ""
    tests: str = ""
    missing: str = ""


def _cards(title: str, *cards: str, missing: str = "") -> Topic:
    return Topic(title, cards, missing=missing)


TOPICS = (
    _cards("Shapes, strides and storage", "shapes-and-strides"),
    _cards("Views and copies", "views-and-copies"),
    _cards("Broadcasting", "broadcasting"),
    _cards("A tensor bench: slicing, gathering, products, memory shared with NumPy",
           "tensor-bench"),
    _cards("Leaves, requires_grad and the graph of a step", "leaves", "graph-of-a-step"),
    _cards("Backpropagation by hand", "one-neuron"),
    _cards("Gradients that add up", "accumulate"),
    _cards("detach and no_grad", "detach"),
    _cards("Hooks on modules", "hooks"),
    _cards("The order of hooks", "hook-order"),
    _cards("A hook that returns another gradient", "gradient-hooks"),
    _cards("An autograd Function of one's own", "own-function"),
    _cards("gradcheck, double backward and speed of one's own block", "gradcheck-of-a-block"),
    _cards("Convolution and BatchNorm as one Function", "conv-bn-function"),
    _cards("Activation checkpointing, with memory", "activation-checkpoints"),
    _cards("The engine's queue and counts, event by event", "engine-queue"),
    _cards("Jacobians", "jacobian"),
    _cards("Curvature", "curvature"),
    _cards("Forward-mode derivatives", "forward-mode"),
    _cards("Gradients of each sample", "per-sample-gradients"),
    _cards("Ensembles by vmap", "ensemble"),
    _cards("Networks as functions of their weights", "functional-call"),
    Topic("From blocks to a readable nn.Module", command="code FILE", tests="tests/core/source"),
    _cards("Modules, parameters and buffers as a tree, and what .to moves", "module-tree"),
    _cards("Initialisation", "initialisation"),
    _cards("Spectral norm; a parametrization of one's own, cached and removed", "spectral-norm",
           "custom-parametrization"),
    _cards("Pruning masks: local, global, iterative, permanent; a method of one's own",
           "pruning-masks", "custom-pruning"),
    _cards("Quantisation step by step", "quantisation-steps", "quantised-network"),
    _cards("LoRA as a parametrization", "lora",
           missing="as a setting of a run; weights of torchvision and timm"),
    _cards("Distillation by features, cosine and attention", "distillation"),
    Topic("Learning from a teacher run", command="train FILE --set teacher=RUN",
          tests="tests/core/prepare"),
    Topic("Transfer learning and layer-wise rates", command="train FILE --set start_from=RUN",
          tests="tests/core/prepare"),
    _cards("fx: a table of calls, an interpreter and a pass", "fx-table", "fx-interpreter"),
    _cards("Convolution and BatchNorm folded", "conv-bn-fusion"),
    _cards("Graph breaks", "graph-breaks"),
    _cards("torch.compile's modes and kernels", "compile-modes", "inductor-kernels"),
    _cards("torch.export and AOTInductor", "export-graph", "aotinductor"),
    Topic("ONNX, TorchScript and other formats, compared", command="export RUN --format onnx",
          tests="tests/core/export"),
    _cards("An operator of one's own, with opcheck", "custom-operator"),
    _cards("Kernels for CPU, meta and autograd in place of a block", "operator-kernels",
           "cpp-operator"),
    _cards("The dispatcher's table, and what PrivateUse1 is for", "dispatcher-table"),
    _cards("Control flow in graphs; fork and wait", "cond", "fork-wait"),
    _cards("Memory layout, precision and threads; autocast", "layout-precision-threads",
           "mixed-precision"),
    _cards("Attention, by backend; a cache of keys and values", "sdpa-backends", "key-value-cache"),
    _cards("Loaders with workers", "loader-workers"),
    _cards("Texts of different lengths", "jagged-texts"),
    _cards("Two traces of a profiler compared: idle, compute, other", "two-traces"),
    _cards("A training loop by hand", "loop-by-hand"),
    _cards("Checkpoints, and saving in five forms", "checkpoint-by-hand", "saving-forms"),
    _cards("Samplers and iterable data", "samplers", "iterable-workers"),
    _cards("Gradient clipping", "gradient-clipping"),
    _cards("Schedules of the learning rate", "lr-schedules"),
    _cards("TensorBoard", "tensorboard-of-it"),
    Topic("Looking inside: feature maps, saliency, Grad-CAM", command="look RUN --what gradcam",
          tests="tests/core/insight"),
    Topic("Recurrent networks on texts", template="lstm_text", tests="tests/core/engine"),
    Topic("Transformers; rotary positions, SwiGLU, grouped queries, sliding windows, experts",
          template="llama_text", tests="tests/core/engine"),
    Topic("Generative networks", template="vae_digits", tests="tests/core/engine"),
    Topic("Search for settings", command="sweep FILE --search KEY=VALUES --trials N",
          tests="tests/wings/sweep"),
    _cards("DistributedDataParallel explained: sampler, buckets, ring", "distributed-sampler",
           "gradient-buckets", "ring-all-reduce"),
    Topic("Training on several processes and machines, sharded", tests="tests/wings/launch",
          command="train FILE --nproc N --sharding fsdp", missing="DeepSpeed"),
    _cards("Parallel models: tensor parallel and a pipeline", "tensor-parallel",
           "pipeline-parallel"),
    Topic("Serving a network", command="serve RUN", tests="tests/wings/serve"),
    Topic("Smaller networks for deployment, in one table", command="shrink RUN",
          tests="tests/wings/shrink"),
    Topic("Phones and small boards", command="export RUN --format executorch",
          tests="tests/wings/native", missing="projects for Android and iOS"),
    Topic("Sound: folders of recordings, a microphone", command="train FILE",
          tests="tests/core/data", missing="video; a camera"),
    Topic("Detection and segmentation in many classes", template="unet_digits",
          tests="tests/core/tasks", missing="boxes"),
)  # fmt: skip
"""In the order of a course."""


def checked_by(card: str) -> list[str]:
    """The tests beside the cards' that ask for the values of a card."""
    asks = re.compile(rf'(?:values|subject|output)\(\s*"{card}"')
    files = sorted(HERE.parent.glob("test_*.py"))
    return [file.name for file in files if asks.search(file.read_text("utf-8"))]


def drawings_of(card: str, kept: dict[str, dict[str, dict[str, str]]]) -> set[str]:
    """The drawings of the six on which a card ran, all its sentences true."""
    cells = kept.get(card, {}).get("cells", {})
    return {drawing for drawing, cell in cells.items() if "/" in cell}


def written() -> str:
    """The table."""
    kept = json.loads(KEPT.read_text("utf-8"))
    lines = ["| | topic | door | checked by | drawings | no door |", "|---" * 6 + "|"]
    for number, topic in enumerate(TOPICS, 1):
        doors = [*topic.cards, *([f"`layerloom {topic.command}`"] if topic.command else []),
                 *([f"template {topic.template}"] if topic.template else [])]  # fmt: skip
        tests = sorted({file for card in topic.cards for file in checked_by(card)})
        ran = {each for card in topic.cards for each in drawings_of(card, kept)}
        seen = ", ".join(name for drawing, name in DRAWINGS.items() if drawing in ran)
        checks = ", ".join([*tests, *([f"{topic.tests}/"] if topic.tests else [])])
        cells = (str(number), topic.title, ", ".join(doors), checks, seen, topic.missing)
        lines.append("| " + " | ".join(cells) + " |")
    without = sum(not (topic.cards or topic.command or topic.template) for topic in TOPICS)
    partly = sum(bool(topic.missing) for topic in TOPICS) - without
    last = f"{len(TOPICS)} topics: {without} without a door, {partly} with a part that has none."
    return "\n".join([HEAD, *lines, "", last]) + "\n"


if __name__ == "__main__":
    TABLE.write_text(written(), "utf-8")
