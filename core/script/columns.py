"""The part of a training file that reads columns: several inputs, texts, series, pairs, labels."""

import re
from dataclasses import dataclass

from core.data.builtin.generated import OF_DIGITS
from core.data.facts.info import DataInfo
from core.data.facts.input_columns import Feed
from core.data.facts.loss_terms import LossTermSpec
from core.data.sources.split_settings import proportionate
from core.script import custom_files, data
from core.script.excerpt import excerpt, excerpt_of
from core.source.literal import literal
from core.tasks.registry import KINDS, made_per_sample, target_of

TARGET = {"input": "wanted", "next": "following", "labels": "present"}
_SCRIPTS = [kind.metrics.script for kind in KINDS.values() if kind.metrics]
_ASSIGNED = re.compile(r"(\w+(?:, \w+)*) \+?= ")
MEASURING = (
    *("values", "total", "losses"),
    *{
        name
        for script in _SCRIPTS
        for line in script.lines
        for found in [_ASSIGNED.match(line)]
        if found
        for name in found[1].split(", ")
    },
)
"""Names that measuring outputs takes in a file: some of all tasks, and those of their lines."""
TAKEN = frozenset(
    "args batches best best_epoch criterion device epoch epochs F loader loss main math model nn "
    "optimizer order parse_arguments plt scheduler split size steps text torch total train "
    "train_loss unit val "
    "target_ids start alphabet rows firsts seconds signs others covered missing learned seen data "
    "images masks kept generator targets middle scripts jitter batch columns weight weights "
    "val_loss validation inputs labels evaluate history stop_at time ler greedy_decode "
    "mean_recall macro_f1 subset_accuracy classes hit of_class found "
    "edit_distance compiled scaler os accuracy perplexity f1 mae r2 iou measured each i teacher "
    "distillation_loss factors groups param_groups pixels soft wanted apart tested test "
    "test_loss number share turn step norms rank world gradients accumulate batch_size dist".split()
).union(MEASURING, *(script.metrics for script in _SCRIPTS))

OF_FILE = frozenset(("features", "filled", "cells", "names"))
"""Names that reading a file of one's own takes in it."""


@dataclass(frozen=True)
class Column:
    """One column of a batch: its name in the file, the text that makes it from all samples."""

    name: str
    text: str


def columns(info: DataInfo) -> tuple[list[Column], list[Column]]:
    """What the Inputs receive and what the losses compare with, in order."""
    feeds = [Column(_free(feed.node, info), _feed_text(info, feed)) for feed in info.feeds]
    used = {column.name for column in feeds}
    targets: list[Column] = []
    for term in info.terms:
        if term.column:
            name = TARGET.get(term.column, term.column)
            while name in used or name in TAKEN:
                name += "_"
            used.add(name)
            targets.append(Column(name, _compared(term, info)))
    return feeds, targets


def _free(name: str, info: DataInfo) -> str:
    own = OF_FILE if info.custom else ()
    return f"{name}_" if name in TAKEN or name in TARGET.values() or name in own else name


def functions(info: DataInfo) -> list[str]:
    """The functions that this data is read and measured with, word for word."""
    own = (info.source,) if info.package == "Python" and not info.made else ()
    own += (OF_DIGITS[info.source],) if info.source in OF_DIGITS else ()
    read = [excerpt("core.data.batches.reading", name) for name in own]
    if info.origin.ahead and info.package == "Python":
        read.append(excerpt("core.data.batches.windows", "windows"))
    kinds = dict.fromkeys(term.kind for term in info.terms)
    named = [*target_of(info.target, info.origin).functions]
    named += [name for kind in kinds for name in KINDS[kind].functions]
    return [*data.functions(info), *read, *map(excerpt_of, named)]


def load_function(info: DataInfo) -> str:
    """The function `load_data`: all columns to learn from, and all to validate with."""
    path = custom_files.argument(info)
    head = f"{path}: str" if path else ""
    feeds, targets = columns(info)
    unit = ", unit.item()" if info.standardised_target else ""
    also = ", then test columns" if info.parts.tests else ""
    also += ", and the unit" if unit else ""
    learned = [c for c, feed in zip(feeds, info.feeds, strict=True) if not feed.noise] + targets
    body = [
        f'"""Training columns, then validation columns{also}."""',
        *data.read_lines(info),
        *data.resize_lines(info),
        *(["masks = inputs > 0.5  # the bright pixels"] if _masked(info) else []),
        *_parts(info),
        *_kept(info),
        *(data.normalise_lines(info)),
        *_column_lines(info),
        *(f"{c.name} = {c.text}" for c in (*feeds, *targets) if c.text),
        *_noise_lines(info, feeds, VALIDATES),
        f"learned = [{', '.join(c.name for c in learned)}]",
        _part_line(info, feeds, targets, VALIDATES),
    ]
    if info.parts.tests:
        body += [*_noise_lines(info, feeds, TESTS), _part_line(info, feeds, targets, TESTS)]
    tested = ", tested" if info.parts.tests else ""
    body.append(f"return [column[train] for column in learned], seen{tested}{unit}")
    many = 3 if info.parts.tests else 2
    result = ", ".join(["list[Tensor]"] * many) + (", float" if unit else "")
    lines = [f"def load_data({head}) -> tuple[{result}]:"]
    return "\n".join([*lines, *(f"    {line}" for line in body)])


def _masked(info: DataInfo) -> bool:
    return any(term.column == "mask" for term in info.terms)


def _parts(info: DataInfo) -> list[str]:
    if stratified(info):
        return data.parts_lines(info)
    return data.parts_of_values(info)


def stratified(info: DataInfo) -> bool:
    """Whether every sample has one class, which is kept in proportion."""
    return proportionate(info.origin)


def _kept(info: DataInfo) -> list[str]:
    """Apply the sample limit, where the random choice depends on the data."""
    if info.limit is None or info.target != "masked":
        return []
    parts = ["train", "validation", *(["apart"] if info.parts.tests else [])]
    return [
        f"kept = torch.cat([{', '.join(parts)}]).sort().values",
        "inputs = inputs[kept]",
        *(f"{part} = torch.searchsorted(kept, {part})" for part in parts),
    ]


def _column_lines(info: DataInfo) -> list[str]:
    """Lines that make columns of samples, where a column is more than a view of them."""
    if info.target == "masked":
        mark = len(info.origin.alphabet)
        return [f"covered, missing = hide(inputs[:, :-1], {mark}, SEED)"]
    if info.target == "answer":
        length = info.input_shape[0]
        return [f"target_ids = inputs[:, {length}:]", "start = torch.zeros_like(target_ids[:, :1])"]
    if made_per_sample(info.target) > 1:
        call, last = ("pairs", "signs") if info.target == "pair" else ("triplets", "others")
        apart = ", apart" if info.parts.tests else ""
        last_part = [
            "apart = torch.arange(len(train) + len(rows[1][0]), len(firsts))",
            "validation = torch.arange(len(train), len(firsts) - len(apart))",
        ]
        return [
            "rows: list[tuple[Tensor, ...]] = []",
            f"for part in (train, validation{apart}):",
            f"    firsts, seconds, {last} = {call}(labels[part], SEED)",
            *([f"    {last} = part[{last}]"] if last == "others" else []),
            f"    rows.append((part[firsts], part[seconds], {last}))",
            f"firsts, seconds, {last} = map(torch.cat, zip(*rows, strict=True))",
            "train = torch.arange(len(rows[0][0]))",
            *(last_part if apart else ["validation = torch.arange(len(train), len(firsts))"]),
        ]
    if info.standardised_target and any(t.column in ("label", "ahead") for t in info.terms):
        return [
            "unit, middle = torch.std_mean(targets[train], correction=0)",
            "targets = (targets - middle) / unit",
        ]
    return []


_COLUMNS = {
    "masked": "covered",
    "first": "inputs[firsts]",
    "second": "inputs[seconds]",
    "anchor": "inputs[firsts]",
    "positive": "inputs[seconds]",
    "negative": "inputs[others]",
    "before": "torch.cat([start, target_ids[:, :-1]], dim=1)",
}


def _feed_text(info: DataInfo, feed: Feed) -> str:
    if feed.noise:
        return ""
    text = _COLUMNS.get(feed.column, "inputs")
    if feed.column == "input" and info.target == "next":
        text = "inputs[:, :-1]"
    if feed.column == "input" and info.target == "answer":
        text = f"inputs[:, :{feed.shape[0]}]"
    if feed.picks:
        text += f"[:, {list(feed.picks)}]"
    has = (len(feed.picks),) if feed.picks else _sample_shape(info)
    return text if has == feed.shape else f"{text}.reshape{literal((-1, *feed.shape))}"


def _sample_shape(info: DataInfo) -> tuple[int, ...]:
    """The shape of a sample before it is fitted by a reshape."""
    if info.kind in ("text", "series") and not info.origin.ahead:
        return (info.input_shape[0],) if info.kind == "series" else info.input_shape
    return (info.sample_shape[0], *info.resize) if info.resize else info.sample_shape


def _compared(term: LossTermSpec, info: DataInfo) -> str:
    shape = literal((-1, *term.shape))
    if term.column == "same":
        return f"signs.reshape{shape}" if term.shape else "signs"
    if term.column == "next":
        text = "inputs[:, 1:]"
        if info.kind == "series":
            text = "inputs[:, -1]" if term.shape in ((), (1,)) else text
            return text if term.shape in ((), info.input_shape[:1]) else f"{text}.reshape{shape}"
        return text
    if term.column in ("hidden", "answer"):
        return "missing" if term.column == "hidden" else "target_ids"
    if term.column in ("labels", "sequence"):
        return "labels"
    if term.column == "input":
        same = _sample_shape(info) == term.shape
        return "inputs" if same else f"inputs.reshape{shape}"
    if term.column == "mask":
        kind = "long" if term.integer else "float"
        return f"masks.{kind}().reshape{shape}"
    if term.integer:
        return "labels"
    return f"{'labels.float()' if info.classes else 'targets'}.reshape{shape}"


def _noisy(info: DataInfo, feed: Feed) -> bool:
    return feed.noise or bool(info.noise and info.kind != "text")


VALIDATES, TESTS = ("validation", "seen"), ("apart", "tested")
"""A validation or test part: its rows, and the names of its columns."""


def _noise_lines(info: DataInfo, feeds: list[Column], part: tuple[str, str]) -> list[str]:
    """The noise that validation, or the test, sees, drawn once."""
    rows, prefix = part
    noisy = [(f, c) for f, c in zip(info.feeds, feeds, strict=True) if _noisy(info, f)]
    lines = ["generator = torch.Generator().manual_seed(SEED)"] if noisy else []
    for feed, column in noisy:
        name = f"{prefix}_{column.name}"
        if feed.noise:
            size = literal(feed.shape)[1:-1].rstrip(",")
            lines.append(f"{name} = torch.randn(len({rows}), {size}, generator=generator)")
        else:
            level = literal(info.noise)
            lines += [
                f"{name} = {column.name}[{rows}]",
                f"jitter = torch.randn({name}.shape, generator=generator)",
                f"{name} = {name} + {level} * jitter",
            ]
    return lines


def _part_line(
    info: DataInfo, feeds: list[Column], targets: list[Column], part: tuple[str, str]
) -> str:
    """The list of the columns of a part."""
    rows, prefix = part
    noisy = [c for f, c in zip(info.feeds, feeds, strict=True) if _noisy(info, f)]
    names = [
        f"{prefix}_{c.name}" if c in noisy else f"{c.name}[{rows}]" for c in (*feeds, *targets)
    ]
    return f"{prefix} = [{', '.join(names)}]"
