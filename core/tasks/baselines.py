"""Baselines: the metric of a simple rule that ignores the input, which a network has to beat."""

# torch declares the types of some functions in part only.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from core.tasks.ctc import edit_distance
from core.tasks.measure import Measure
from core.tasks.tensor_values import ints

COUNTED = 1 << 24  # values of targets that are looked at: more would delay the first step


SHOWN = 3  # labels that are named
SEQUENCES = 300  # that the length of an answer is chosen by


@dataclass(frozen=True)
class Targets:
    """The targets of both parts. learned, wanted: (S, ...) to learn from and to validate with.

    inputs: (S, ...) of the validation part, for rules that repeat the last value; None elsewhere.
    column: of the data that targets are. names: of the classes. naive: of a forecast, by the words
    of the value that is repeated, "the last value", what that predicts, as `wanted`.
    """

    learned: Tensor
    wanted: Tensor
    inputs: Tensor | None
    column: str
    names: Sequence[str]
    measure: Measure
    naive: Mapping[str, Tensor] = field(default_factory=dict[str, Tensor])


@dataclass(frozen=True)
class Baseline:
    """metric: its key, "accuracy"; value: what the rule reaches in validation; rule: in words.

    counts: validation samples of each class, where each class counts the same. level: what a run
    that is no better is as good as, "the last value"; "" for guessing. others: further rules and
    what each reaches. beside: further metrics, each with its rule and what that reaches.
    """

    metric: str
    value: float
    rule: str
    counts: tuple[int, ...] = ()
    level: str = ""
    others: tuple[tuple[str, float], ...] = ()
    beside: tuple[tuple[str, str, float], ...] = ()


def baseline(kind: str, targets: Targets) -> Baseline | None:
    """The figure of the simple rule of a kind of target; None where there is no honest one."""
    if kind not in RULES or not len(targets.learned) or not len(targets.wanted):
        return None
    most = max(1, COUNTED // max(1, targets.learned[0].numel()))
    inputs = None if targets.inputs is None else targets.inputs[:most]
    looked_at = replace(
        targets,
        learned=targets.learned[:most],
        wanted=targets.wanted[:most],
        inputs=inputs,
        naive={level: values[:most] for level, values in targets.naive.items()},
    )
    return RULES[kind](looked_at)


def named(names: Sequence[str], index: int) -> str:
    """A class as a rule answers it."""
    return f"always predicting “{names[index] if index < len(names) else index}”"


def most_frequent(targets: Targets) -> Baseline:
    """The largest class of the training part."""
    largest = int(targets.learned.reshape(-1).long().bincount().argmax())
    wanted, rule = targets.wanted.reshape(-1).long(), named(targets.names, largest)
    if targets.measure.classes:
        counts = ints(wanted.bincount(minlength=targets.measure.classes))
        present = sum(count > 0 for count in counts)
        return Baseline("balanced", (counts[largest] > 0) / present, rule, tuple(counts))
    return Baseline("accuracy", float((wanted == largest).double().mean()), rule)


def most_frequent_of_two(targets: Targets) -> Baseline:
    """Always the same answer about two samples."""
    alike = bool((targets.learned > 0).double().mean() >= 0.5)
    right = float(((targets.wanted > 0) == alike).double().mean())
    return Baseline(
        "accuracy", right, f"always predicting “{'the same' if alike else 'different'}”"
    )


def mean(targets: Targets) -> Baseline:
    """The mean of the training part."""
    wanted = targets.wanted.double()
    spread = float((wanted - wanted.mean()).square().sum())
    missed = float((wanted - targets.learned.double().mean()).square().sum())
    return Baseline("r2", 1 - missed / spread if spread else 0.0, "always predicting the mean")


def median(targets: Targets) -> Baseline:
    """The median of the training part, in the target's unit."""
    errors = (targets.wanted.double() - targets.learned.double().median()).abs()
    return Baseline(
        "mae", float(errors.mean()) * targets.measure.unit, "always predicting the median"
    )


def last_value(targets: Targets) -> Baseline | None:
    """The last value of a series again, or the mean where that is nearer."""
    wanted = targets.wanted.double()
    rules = {"always predicting the mean": targets.learned.double().mean().expand_as(wanted)}
    if targets.inputs is not None:
        values = targets.inputs.double()
        same = values.numel() == wanted.numel()
        last = values if same else values.flatten(1)[:, -1:]
        if last.numel() == wanted.numel():
            rules["repeating the last value"] = last.reshape(wanted.shape)
    errors = {rule: float((predicted - wanted).abs().mean()) for rule, predicted in rules.items()}
    best = min(errors, key=lambda rule: errors[rule])
    return Baseline("mae", errors[best] * targets.measure.unit, best)


def repeated_value(targets: Targets) -> Baseline | None:
    """The last value again or that of a season ago, whichever is nearer; the other beside it."""
    wanted = targets.wanted.double()
    errors = {
        level: float((values.reshape(wanted.shape).double() - wanted).abs().mean())
        * targets.measure.unit
        for level, values in targets.naive.items()
    }
    if not errors:
        return None
    best = min(errors, key=lambda level: errors[level])
    others = tuple((f"repeating {k}", error) for k, error in errors.items() if k != best)
    return Baseline("mae", errors[best], f"repeating {best}", level=best, others=others)


def mean_picture(targets: Targets) -> Baseline:
    """The mean of all training samples, value by value."""
    errors = (targets.learned.double().mean(dim=0) - targets.wanted.double()).abs()
    return Baseline("mae", float(errors.mean()), "always predicting the mean of all samples")


def frequencies(targets: Targets) -> Baseline:
    """Each character as often as it is in the training part; left out are targets below 0."""
    learned, wanted = targets.learned.long(), targets.wanted.long()
    seen, count = wanted[wanted >= 0], int(max(learned.max(), wanted.max())) + 1
    known = learned[learned >= 0].bincount(minlength=count).double() + 0.5
    surprise = -(known / known.sum()).log()[seen].mean()
    return Baseline("perplexity", float(surprise.exp()), "guessing by character frequency")


def most_frequent_by_place(targets: Targets) -> Baseline:
    """The most frequent character of each place of an answer."""
    learned, wanted = targets.learned.long(), targets.wanted.long()
    hits = counted = 0
    for place in range(wanted.shape[1]):
        known, seen = learned[:, place], wanted[:, place]
        known, seen = known[known >= 0], seen[seen >= 0]
        if len(known):
            hits += int((seen == known.bincount().argmax()).sum())
        counted += len(seen)
    rule = "the most frequent character at each position"
    return Baseline("accuracy", hits / max(1, counted), rule)


def characters(targets: Targets) -> Baseline:
    """Of answers, whose places differ, the most frequent by place; of other texts frequencies."""
    return most_frequent_by_place(targets) if targets.column == "answer" else frequencies(targets)


def most_frequent_mask(targets: Targets) -> Baseline:
    """Each pixel as it usually is."""
    usual = targets.learned.double().mean(dim=0) > 0.5
    true = targets.wanted > 0.5
    both, either = (usual & true).sum(), (usual | true).sum()
    empty = not bool(usual.any())
    rule = "marking nothing" if empty else "marking each pixel that is usually marked"
    return Baseline("iou", float(both / either.clamp_min(1)), rule)


def most_frequent_pixel_class(targets: Targets) -> Baseline:
    """The class that most pixels of the training part have, at each pixel."""
    count = targets.measure.classes
    learned, wanted = (
        part[part >= 0].bincount(minlength=count).cpu()
        for part in (targets.learned, targets.wanted)
    )
    largest = int(learned.argmax())
    there = int(((wanted > 0) | (torch.arange(count) == largest)).sum())
    share = float(wanted[largest] / wanted.sum().clamp_min(1))  # its own IoU; all others have 0
    return Baseline("miou", share / there, f"{named(targets.names, largest)} at each pixel")


def always_yes(targets: Targets) -> Baseline:
    """Every label each time, or those that samples usually have, whichever has the higher F1."""
    true = targets.wanted > 0.5
    usual = (targets.learned.double().mean(dim=0) > 0.5).expand_as(true)
    rules = {
        "always predicting every label": torch.ones_like(true),
        "always predicting the usual labels": usual,
    }
    scores = {
        rule: float(2 * (predicted & true).sum() / ((predicted.sum() + true.sum()).clamp_min(1)))
        for rule, predicted in rules.items()
    }
    best = max(scores, key=lambda rule: scores[rule])
    return Baseline("f1", scores[best], best, beside=(_usual_combination(targets),))


def _usual_combination(targets: Targets) -> tuple[str, str, float]:
    """Of all labels together, those that most often stand together in the training part."""
    rows, counts = (targets.learned > 0.5).unique(dim=0, return_counts=True)
    usual = rows[counts.argmax()]
    share = float(((targets.wanted > 0.5) == usual).all(dim=1).double().mean())
    chosen = [str(targets.names[k]) for k in ints(usual.nonzero().flatten())]
    what = " and ".join(f"“{name}”" for name in chosen[:SHOWN]) if chosen else "no label"
    more = f" and {len(chosen) - SHOWN} more" * (len(chosen) > SHOWN)
    return "subset", f"always predicting {what}{more}", share


def most_frequent_sequence(targets: Targets) -> Baseline:
    """The most frequent class as often as misses least of what there is to learn from."""
    learned = targets.learned
    largest = int(learned[learned > 0].long().bincount().argmax())
    known = [ints(row[row > 0]) for row in learned[:SEQUENCES]]
    lengths = range(1, learned.shape[1] + 1)
    best = min(lengths, key=lambda n: sum(edit_distance([largest] * n, row) for row in known))
    rows = [ints(row[row > 0]) for row in targets.wanted]
    missed = sum(edit_distance([largest] * best, row) for row in rows)
    missed = missed / max(1, sum(map(len, rows)))
    return Baseline("ler", missed, "always predicting the most frequent class")


WITHOUT_TARGET = {"triplet": Baseline("accuracy", 0.5, "guessing at random")}
"""Of triplets: which of two is the nearer one, by chance."""
RULES: dict[str, Callable[[Targets], Baseline | None]] = {
    "classes": most_frequent,
    "yes_no": most_frequent,
    "regression": mean,
    "quantiles": median,
    "series": last_value,
    "forecast": repeated_value,
    "image": mean_picture,
    "tokens": characters,
    "sequence": most_frequent_sequence,
    "mask": most_frequent_mask,
    "mask_classes": most_frequent_mask,
    "pixel_classes": most_frequent_pixel_class,
    "labels": always_yes,
    "pair": most_frequent_of_two,
    "cosine": most_frequent_of_two,
}
"""By kind of target. A GAN's scores and a loss without a target have no rule to beat."""
