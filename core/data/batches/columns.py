"""The columns of a data set: values of Inputs, and targets."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from core.data.batches import reading
from core.data.facts.info import DataInfo
from core.data.facts.input_columns import Feed
from core.data.facts.loss_terms import LossTermSpec
from core.tasks.registry import KINDS, made_per_sample

DARK = 0.5  # a pixel brighter than this belongs to the stroke


@dataclass(frozen=True)
class LoadedSamples:
    """Samples as read, fitted and normalised.

    pixels: images before they were normalised. answers: classes, numbers or labels, (S, ...);
    parts: rows of samples (not of pairs) for training, validation and test.
    """

    info: DataInfo
    values: Tensor
    pixels: Tensor
    answers: Tensor
    parts: tuple[Tensor, Tensor, Tensor]
    seed: int


@dataclass(frozen=True)
class Columns:
    """Columns by name, (S, ...) each, and the rows of training, validation and test."""

    values: dict[str, Tensor]
    train: Tensor
    validation: Tensor
    test: Tensor = field(default_factory=lambda: torch.arange(0))


def columns_of(samples: LoadedSamples) -> Columns:
    """Make every column that the feeds and terms of the data name."""
    info, values = samples.info, samples.values
    if made_per_sample(info.target) > 1:
        return _columns_of_pairs(samples)
    if info.target == "next":
        found = {"input": values[:, :-1], "next": values[:, 1:]}
    elif info.target == "masked":
        covered, hidden = reading.hide(values[:, :-1], values_mark(info), samples.seed)
        found = {"masked": covered, "hidden": hidden}
    elif info.target == "answer":
        length = info.input_shape[0]
        answer = values[:, length:]
        before = torch.cat([torch.zeros_like(answer[:, :1]), answer[:, :-1]], dim=1)
        found = {"input": values[:, :length], "before": before, "answer": answer}
    else:
        names = ("label", "labels", "sequence", "ahead")
        found = {"input": values} | dict.fromkeys(names, samples.answers)
        found |= {"mask": samples.pixels > DARK} if info.kind == "image" else {}
    return Columns(found, *samples.parts)


def values_mark(info: DataInfo) -> int:
    """The token that covers others: one past the alphabet."""
    return len(info.origin.alphabet)


def _columns_of_pairs(samples: LoadedSamples) -> Columns:
    """Pairs or triplets within each part, so that no sample is in both."""
    make = reading.pairs if samples.info.target == "pair" else reading.triplets
    names = (
        ("first", "second") if samples.info.target == "pair" else ("anchor", "positive", "negative")
    )
    rows: list[tuple[Tensor, ...]] = []
    for part in samples.parts[: 2 + samples.info.parts.tests]:
        found = make(samples.answers[part], samples.seed)
        chosen = [part[index] for index in found[: len(names)]]
        rows.append((*chosen, *found[len(names) :]))
    whole = [torch.cat(column) for column in zip(*rows, strict=True)]
    values = {n: samples.values[i] for n, i in zip(names, whole, strict=False)}
    values |= {"same": whole[2]} if len(names) == 2 else {}
    counts = [*(len(part[0]) for part in rows), 0][:3]
    train, validation, test = torch.arange(sum(counts)).split(counts)
    return Columns(values, train, validation, test)


def input_values(feed: Feed, columns: Columns) -> Tensor:
    """Values of an Input for every row; zeros where noise is drawn for every batch."""
    if feed.noise:
        rows = len(next(iter(columns.values.values())))
        return torch.zeros(1, *feed.shape).expand(rows, *feed.shape)
    value = columns.values[feed.column]
    value = value[:, list(feed.picks)] if feed.picks else value
    return value.reshape(-1, *feed.shape).contiguous()


def target_values(term: LossTermSpec, columns: Columns) -> Tensor | None:
    """Targets of an Output for every row; None where they are not a column."""
    if not term.column:
        return None
    value = columns.values[term.column]
    if KINDS[term.kind].outputs > 1:
        return value
    if term.integer:
        return value.long().reshape(-1, *term.shape)
    if KINDS[term.kind].readout.lines and term.shape in ((), (1,)):
        value = value[:, -1]
    return value.float().reshape(-1, *term.shape)
