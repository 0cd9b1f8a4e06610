"""The lines of a training file that compute metrics besides the loss, as in a run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.data.facts.loss_terms import LossTermSpec
from core.script.learning import Learning
from core.source.literal import literal
from core.tasks.metric_labels import BALANCED
from core.tasks.registry import KINDS, reads_logarithms, reads_logits


@dataclass(frozen=True)
class Measured:
    """lines: of a batch. sums: what they add to. metrics: name of each to its expression."""

    lines: tuple[str, ...]
    sums: tuple[str, ...]
    metrics: Mapping[str, str]

    @property
    def words(self) -> str:
        """The returned numbers, for a docstring."""
        *first, last = ("loss", *self.metrics)
        return f"Mean {', '.join(first)} and {last}." if first else "The mean loss."

    def apart(self, number: int, name: str) -> "Measured":
        """The same with sums and metrics of its own, for one loss among several."""
        end = "" if number == 1 else f"_{number}"
        old = re.compile(rf"\b({'|'.join(self.sums)})\b(?= \+=)")
        inside = re.compile(rf"\b({'|'.join(self.sums)})\b")
        lines = tuple(old.sub(rf"\1{end}", line) for line in self.lines)
        metrics = {
            f"{name}{key}": inside.sub(rf"\1{end}", text) for key, text in self.metrics.items()
        }
        return Measured(lines, tuple(f"{sum_}{end}" for sum_ in self.sums), metrics)


def measured(
    learning: Learning, term: LossTermSpec, outputs: list[str], target: str
) -> Measured | None:
    """The metrics of a loss's outputs; None if the loss is the only one.

    outputs: names of what it reads. target: name of the column they are held against.
    """
    declared = KINDS[term.kind].metrics
    if declared is None:
        return None
    script = declared.script
    names = _names(learning, term, outputs[0])

    def written(text: str) -> str:
        return text.format(*outputs, target=target, **names)

    metrics = {name: written(text) for name, text in script.metrics.items()}
    lines, sums = tuple(map(written, script.lines)), script.sums
    if not (learning.each_class and KINDS[term.kind].one_class):
        return Measured(lines, sums, metrics)
    more = each_class_lines(learning, written(script.right), target)
    return Measured((*lines, *more), (*sums, *CLASS_SUMS), {**metrics, BALANCED: MEAN_RECALL})


CLASS_SUMS = ("of_class", "found")
"""Names of what is added up of each class: samples, and those that are right."""
MEAN_RECALL = "(found / of_class)[of_class > 0].mean().item()"


def each_class_lines(learning: Learning, right: str, target: str) -> tuple[str, ...]:
    """Lines that add up each class of a batch. right: which samples of it are right."""
    count = len(learning.info.classes)
    return (
        f"classes, hit = {target}.flatten().long(), {right}.flatten()",
        f"of_class += torch.bincount(classes, minlength={count}).double()",
        f"found += torch.bincount(classes[hit], minlength={count}).double()",
    )


def _names(learning: Learning, term: LossTermSpec, output: str) -> dict[str, str]:
    """What the lines of `core.tasks.task.ScriptMetrics` leave open."""
    kind, loss = KINDS[term.kind], term.loss or learning.training["loss"]
    settings = term.settings if term.loss else learning.training["loss_settings"]
    threshold = "0" if reads_logits(loss) else "0.5"
    if kind.threshold:
        threshold = literal(settings.get(kind.threshold, 1.0) / 2)
    in_unit = kind.in_unit and learning.info.standardised_target
    return {
        "classes": literal(term.classes),
        "threshold": threshold,
        "sign": ">" if term.constant else "<=",
        "probability": f"{output}.sigmoid()" if reads_logits(loss) else output,
        "number": f"{output}.double()" + (".exp()" if logarithm(learning, term) else ""),
        "unit": " * unit" if in_unit else "",
    }


def logarithm(learning: Learning, term: LossTermSpec) -> bool:
    """Whether outputs are logarithms of the predicted numbers."""
    settings = term.settings if term.loss else learning.training["loss_settings"]
    return reads_logarithms(term.loss or learning.training["loss"], settings)
