"""Validation in a training file: sums over the batches, and metrics from the sums.

`evaluate` writes them as a function, `lightning_validation` as methods that receive a batch at a
time. A metric comes in by its task's declaration (`core.tasks.task.ScriptMetrics`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.data.facts.loss_terms import LossTermSpec, aims_of
from core.script.learning import Learning
from core.script.losses import class_weight, groups, loss_of, names, outputs_of, target_of, weighted
from core.script.metrics import (
    CLASS_SUMS,
    MEAN_RECALL,
    Measured,
    each_class_lines,
    measured,
)
from core.tasks.metric_labels import (
    ACCURACY,
    BALANCED,
    MAE,
    METRICS,
    quantity,
    script_format,
    variable,
)
from core.tasks.registry import reads_logits

ONE_EACH = "*each"
"""The sum that is a list, one for each loss."""
ACCURATE, WRONG = METRICS[ACCURACY].words, METRICS[MAE].words


@dataclass(frozen=True)
class Validation:
    """Sums over batches, and the results computed from them.

    words: the results, as a sentence. given: what `evaluate` takes behind the model, its
    parameters, and the argument for each. batch: names of what a batch holds; () where it is handed
    on whole. batches: what gives them. sums: names that begin at zero. counts: whole numbers that a
    batch adds, by their names. lines: statements that add a batch to the sums. figures: expressions
    by name, val_loss first. measured: of several losses, further ones in a dict, by its keys. part:
    a name of `evaluate`, and what stands for it elsewhere.
    """

    words: str
    given: Mapping[str, str]
    batch: tuple[str, ...]
    batches: str
    sums: tuple[str, ...]
    lines: tuple[str, ...]
    figures: Mapping[str, str]
    part: tuple[str, str]
    counts: Mapping[str, str] = field(default_factory=lambda: {})
    measured: Mapping[str, str] = field(default_factory=lambda: {})
    losses: int = 1

    @property
    def metrics(self) -> dict[str, str]:
        """The figures beside the loss that have names of their own."""
        return {name: text for name, text in self.figures.items() if name != "val_loss"}

    @property
    def results(self) -> list[str]:
        """What the figures are called where `evaluate` has returned them."""
        return [*self.figures, *(["measured"] if self.measured else [])]

    @property
    def shown(self) -> list[str]:
        """What is printed of each metric."""
        words = {variable(BALANCED): "mean recall"}
        return [
            f"{words.get(name, name)} {{{name}:{script_format(name)}}}" for name in self.metrics
        ]


def validation_of(learning: Learning) -> Validation:
    """What a file validates by."""
    return _of_tensors(learning) if learning.info.plain else _of_columns(learning)


def _of_tensors(learning: Learning) -> Validation:
    """The mean loss of inputs and targets, and accuracy or mean absolute error."""
    streamed, unit = learning.info.streamed, _unit(learning)
    samples = "samples" if streamed else "len(targets)"
    tensors = {"inputs: Tensor": "val_x", "targets: Tensor": "val_y"}
    loader = {"batches: DataLoader": "val_loader", "device: torch.device": "device"}
    split = ", ".join(f"{name}.split({learning.validated})" for name in ("inputs", "targets"))
    more = _beside(learning)
    return Validation(
        words=_words(learning, more),
        given={"criterion: nn.Module": "criterion", **(loader if streamed else tensors), **unit},
        batch=("x", "y"),
        batches="batches" if streamed else f"zip({split}, strict=True)",
        sums=("loss", *more.sums),
        lines=(
            "outputs = model(x)",
            "loss += criterion(outputs, y).item() * len(y)",
            *more.lines,
        ),
        figures={"val_loss": f"loss / {samples}", **more.metrics},
        part=("samples", "len(val)") if streamed else ("targets", "val_y"),
        counts=_counts(learning, more) if streamed else {},
    )


def _beside(learning: Learning) -> Measured:
    """What is measured of inputs and targets beside the loss."""
    (term,) = learning.info.terms
    if term.classes and (pixels := measured(learning, term, ["outputs"], "y")):
        return pixels
    values = "values" if learning.info.streamed else "targets.numel()"
    name = ACCURACY if learning.accurate else "error"
    share = f"total / {values}{' * unit' * len(_unit(learning))}"
    right = f"total += {_counted(learning)}.sum().item()"
    if not learning.each_class:
        return Measured((right,), ("total",), {name: share})
    figures = {name: share, variable(BALANCED): MEAN_RECALL}
    return Measured((right, *_of_classes(learning)), ("total", *CLASS_SUMS), figures)


def _counts(learning: Learning, more: Measured) -> dict[str, str]:
    """What is counted of streamed batches: samples, and values where a figure is their mean."""
    values = {"values": "y.numel()"} if any("values" in f for f in more.metrics.values()) else {}
    return {"samples": "len(y)", **values}


def _words(learning: Learning, more: Measured) -> str:
    """The figures of inputs and targets, as a sentence."""
    if learning.info.terms[0].classes:
        return more.words
    words = ACCURATE if learning.accurate else WRONG
    return (
        f"Mean loss, {words} and mean recall." if learning.each_class else f"Mean loss and {words}."
    )


def _of_classes(learning: Learning) -> tuple[str, ...]:
    return each_class_lines(learning, _counted(learning), "y")


def _counted(learning: Learning) -> str:
    """What is added up over a batch: right answers, or absolute errors."""
    if not learning.accurate:
        return f"({learning.prediction} - y).abs()"
    if learning.info.labels:
        return "(outputs.argmax(1) == y)"
    return f"((outputs > {'0' if reads_logits(learning.training['loss']) else '0.5'}) == y.bool())"


def _of_columns(learning: Learning) -> Validation:
    """The mean loss of columns, and all that their tasks measure."""
    more, terms = _measures(learning), learning.info.terms
    several = len(terms) > 1
    tensors = {f"{name}: Tensor": name for name in class_weight(learning)}
    split = f"(column.split({learning.validated}) for column in columns)"
    loss, metrics = {"val_loss": "total / len(columns[0])"}, more.metrics
    words = "The mean loss, and the other metrics by name." if several else more.words
    return Validation(
        words=words,
        given={**tensors, "columns: list[Tensor]": "val", **_unit(learning)},
        batch=tuple(names(learning)) if metrics or several else (),
        batches=f"zip(*{split}, strict=True)",
        sums=("total", *more.sums, *([ONE_EACH] if several else [])),
        lines=_lines(learning, more),
        figures=loss if several else loss | _variables(metrics),
        part=("columns", "val"),
        measured=_entries(learning, metrics) if several else {},
        losses=len(terms),
    )


def _variables(metrics: Mapping[str, str]) -> dict[str, str]:
    """Metrics by the names of the variables that have them."""
    return {variable(name): text for name, text in metrics.items()}


def _unit(learning: Learning) -> dict[str, str]:
    return {"unit: float": "unit"} if learning.info.standardised_target else {}


def _measures(learning: Learning) -> Measured:
    """What is measured beside the loss, of every term."""
    outputs, found = outputs_of(learning), list[Measured]()
    plain, several = not groups(learning), len(learning.info.terms) > 1
    for term in learning.info.terms:
        target = target_of(learning, term) if term.column else ""
        one = measured(learning, term, [outputs[index] for index in term.outputs], target)
        if one and several:
            one = one.apart(len(found) + 1, "" if plain and not found else f"{term.name}_")
        found += [one] if one else []
    return Measured(
        tuple(line for one in found for line in one.lines),
        tuple(name for one in found for name in one.sums),
        {name: text for one in found for name, text in one.metrics.items()},
    )


def _lines(learning: Learning, more: Measured) -> tuple[str, ...]:
    """Statements that add a batch of columns to the sums. The network runs once for all of it."""
    terms, outputs = learning.info.terms, outputs_of(learning)
    first, fed = names(learning)[0], ", ".join(learning.samples.fed)
    if not more.metrics and len(terms) == 1:
        call = f"compute_loss({', '.join(['model', *class_weight(learning), '*batch'])})"
        return (f"total += float({call}) * len(batch[0])",)
    answers = f"{', '.join(outputs)} = model({fed})"
    if len(terms) == 1:
        loss = weighted(terms[0], loss_of(learning, terms[0], outputs))
        return answers, f"loss = {loss}", f"total += loss.item() * len({first})", *more.lines
    listed = ", ".join(loss_of(learning, term, outputs) for term in terms)
    whole = " + ".join(weighted(term, f"losses[{i}]") for i, term in enumerate(terms))
    return (
        answers,
        f"losses = [{listed}]",
        f"total += ({whole}).item() * len({first})",
        "for i, loss in enumerate(losses):",
        f"    each[i] += loss.item() * len({first})",
        *more.lines,
    )


def _entries(learning: Learning, metrics: Mapping[str, str]) -> dict[str, str]:
    """Of several losses: what is measured, by its name in words."""
    terms: tuple[LossTermSpec, ...] = learning.info.terms
    aims = aims_of(terms)
    entries = {quantity(name, aims): text for name, text in metrics.items()}
    return entries | {
        quantity(f"{term.name}_loss", aims): f"each[{index}] / len(columns[0])"
        for index, term in enumerate(terms)
    }


def best_accuracy(learning: Learning) -> str:
    """The expression by which the best epoch is known, where that is by accuracy; else ""."""
    metric = learning.training["best_by"].partition("_")[2]
    key = quantity(metric, aims_of(learning.info.terms))
    found, name = validation_of(learning), variable(metric if metric == BALANCED else ACCURACY)
    if not learning.by_accuracy:
        return ""
    return f'measured["{key}"]' if key in found.measured else name * (name in found.figures)
