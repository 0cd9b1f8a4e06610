"""The part of a training file that makes batches: its loader, and the sampler behind it."""

from collections.abc import Mapping
from typing import Any

from core.script.excerpt import excerpt
from core.script.learning import Learning
from core.source.literal import literal

BATCHES = excerpt("core.data.batches.epochs", "EpochBatches")
LOADER = (
    "from collections.abc import Iterator",
    "from torch.utils.data import DataLoader, Sampler, TensorDataset",
)
"""What the batches need to be imported."""
ORDERS = {
    "shuffle": "RandomSampler",
    "sequential": "SequentialSampler",
    "balanced": "WeightedRandomSampler",
}
"""Samplers of torch by the setting."""


def imports(
    lines: tuple[str, ...], training: Mapping[str, Any], shuffled: bool, iterates: bool = False
) -> tuple[str, ...]:
    """The import lines that data and batches need. lines: those of the run's usual batches.

    iterates: whether the data needs Iterator, too.
    """
    names = {ORDERS[training["sampler"]]} if _sampled(training) else set[str]()
    if shuffled:
        names &= {ORDERS["balanced"]}
        lines = tuple(line.replace(", Sampler", "") for line in lines)
    if shuffled and not iterates:
        fewer = (line.replace(", Iterator", "") for line in lines)
        lines = tuple(line for line in fewer if not line.endswith("import Iterator"))
    return tuple(_with(line, names) for line in lines)


def _with(line: str, names: set[str]) -> str:
    head = "from torch.utils.data import "
    if not names or not line.startswith(head):
        return line
    return head + ", ".join(sorted({*line.removeprefix(head).split(", "), *names}))


def _sampled(training: Mapping[str, Any]) -> bool:
    """Whether batches are other than the usual ones: in another order, or without a last one."""
    return training["sampler"] != "shuffle" or training["drop_last"]


def functions(learning: Learning) -> str:
    """What makes a run's own batches, "" where DataLoader does."""
    drawn = learning.training["sampler"] == "balanced"
    weights = [excerpt("core.data.batches.epochs", "balanced")] if drawn else []
    own = [] if learning.shuffled else [BATCHES]
    if own and _sampled(learning.training):
        own.append(excerpt("core.data.batches.epochs", "SampledBatches"))
    return "\n\n\n".join([*weights, *own])


def loader_lines(learning: Learning) -> list[str]:
    """The lines that make `loader`: a DataLoader whose batches are whole slices of the samples.

    Its generator is its own, so that it draws nothing from that of dropout and first weights.
    """
    samples = learning.samples
    if learning.shuffled:
        return shuffled_lines(learning, f"TensorDataset({samples.train})")
    return [
        *batches_lines(learning, f"len({samples.counted[0]})"),
        "loader = DataLoader(",
        f"    TensorDataset({samples.train}),",
        "    batch_size=None,",
        "    sampler=batches,",
        "    generator=torch.Generator(),",
        ")",
    ]


def batches_lines(learning: Learning, count: str) -> list[str]:
    """The lines that make `batches` of so many samples."""
    training, size = learning.training, learning.names.batch_size
    if not _sampled(training):
        return [f"batches = EpochBatches({count}, {size}, SEED)"]
    order, drop_last = ORDERS[training["sampler"]], literal(training["drop_last"])
    given = {
        "shuffle": f"range({count}), generator=generator",
        "sequential": f"range({count})",
        "balanced": f"balanced({learning.samples.classes}).tolist(), {count}, generator=generator",
    }
    made = f"batches = SampledBatches(order, generator, {size}, SEED, drop_last={drop_last})"
    return [
        "generator = torch.Generator()",
        *learning.lines(f"order = {order}({given[training['sampler']]})"),
        *learning.lines(made),
    ]


def shuffled_lines(learning: Learning, samples: str) -> list[str]:
    """The line that makes a loader as tutorials have it: in an order of torch's own."""
    sampler, size = learning.training["sampler"], f"batch_size={learning.names.batch_size}"
    classes = learning.samples.classes
    drawn = f"WeightedRandomSampler(balanced({classes}).tolist(), len({classes}))"
    how = {"shuffle": ["shuffle=True"], "sequential": [], "balanced": [f"sampler={drawn}"]}
    options = [size, *how[sampler], *(["drop_last=True"] if learning.drops_last else [])]
    lines = learning.lines(f"loader = DataLoader({samples}, {', '.join(options)})")
    whole = f"seen = len(loader) * {learning.names.batch_size}"
    return [*lines, *([whole] if learning.drops_last and not learning.counts else [])]
