"""The loss terms of a training: which Output each reads, its target, and the weights it trains."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.common.errors import DataError
from core.data.facts.input_columns import Feed
from core.data.facts.settings import DataSettings, listed
from core.data.sources.io_spec import End, Many
from core.data.sources.source import Shape
from core.files.messages import quote
from core.tasks.registry import (
    BESIDE,
    KINDS,
    has_trait,
    outputs_of,
    target_of,
    task_of,
    task_of_column,
)
from core.tasks.task import TargetKind, show

KEYS = ("output", "target", "loss", "settings", "weight", "trains")
HINT = 'Write it as {"output": "logits", "target": "label", "loss": "CrossEntropyLoss"}.'


@dataclass(frozen=True)
class LossTermSpec:
    """One loss.

    outputs: places of the Outputs it reads; names: theirs. column: of the data, "" where there is
    none or where `constant` is the target. shape: of one target. kind: how they are compared.
    loss: "" for the one that training.loss names. trains: the node whose weights it moves, "" for
    all of them. again: 2 for the second one that would be called the same. classes: how many a
    pixel may have, 0 where targets are no classes of pixels.
    """

    outputs: tuple[int, ...]
    names: tuple[str, ...]
    column: str
    shape: Shape
    kind: str
    loss: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    constant: float | None = None
    weight: float = 1.0
    trains: str = ""
    again: int = 1
    classes: int = 0

    @property
    def name(self) -> str:
        """What metrics call it: its first Output, and the constant it is held against."""
        end = "" if self.constant is None else f"_{self.constant:g}".replace(".", "_")
        return self.names[0] + end + (f"_{self.again}" if self.again > 1 else "")

    @property
    def integer(self) -> bool:
        """Whether targets are class numbers (int64) rather than floats."""
        return KINDS[self.kind].integer


def terms(
    data: DataSettings, feeds: Sequence[Feed], outputs: Many, losses: Sequence[Any] | None
) -> tuple[LossTermSpec, ...]:
    """Read `training.losses`; without them there is one loss, by the target of the data.

    Raises DataError naming the entry, or both shapes where an Output does not fit its target.
    """
    if losses is None:
        return (_usual(data, feeds, outputs),)
    if not isinstance(losses, list | tuple) or not losses:
        raise DataError("training.losses needs a list of losses.", HINT)
    result = _apart([_entry(data, feeds, outputs, e, i) for i, e in enumerate(losses)])
    read = {name for term in result for name in term.names}
    owners = {term.trains for term in result}
    if len(owners) > 1 and "" in owners:
        raise DataError(
            "Some entries of training.losses have a trains and others do not.",
            "Add trains to every entry, or remove it from all.",
        )
    if not read:
        raise DataError("training.losses reads no Output.", HINT)
    return result


def _apart(terms: Sequence[LossTermSpec]) -> tuple[LossTermSpec, ...]:
    """Losses with a name each, as their metrics would hide each other otherwise."""
    taken: dict[str, LossTermSpec] = {}
    for term in terms:
        while term.name in taken:
            term = replace(term, again=term.again + 1)
        taken[term.name] = term
    return tuple(taken.values())


def _usual(data: DataSettings, feeds: Sequence[Feed], outputs: Many) -> LossTermSpec:
    column = target_of(data.target, data.source).column
    kinds = task_of(data.target, data.source).kinds
    kind = next((k for k in kinds if k.outputs == len(outputs)), None)
    if kind is None:
        raise _wrong_count(data, outputs, kinds)
    places = tuple(range(kind.outputs))
    names = tuple(end.name for end in outputs)
    if kind.outputs > 1:
        _alike(outputs)
        return LossTermSpec(places, names, column, (), kind.name)
    shape, found = _compared(data, column, feeds, outputs[0].shape)
    return LossTermSpec(places, names, column, shape, found, classes=_told_apart(data, found))


def _told_apart(data: DataSettings, kind: str) -> int:
    """How many classes or labels have metrics of their own whatever the settings are, else 0."""
    return len(data.source.classes) if KINDS[kind].each_class else 0


def _wrong_count(data: DataSettings, outputs: Many, kinds: Sequence[TargetKind]) -> DataError:
    counts = sorted({kind.outputs for kind in kinds})
    needs = "one or two Outputs" if counts == [1, 2] else _number(counts[0])
    names = ", ".join(end.name for end in outputs)
    return DataError(
        f"Training on {data.source.name} needs {needs} but the network has "
        f"{len(outputs)} ({names}).",
        "Keep as many, or set in training.losses what each Output is for.",
    )


def _compared(
    data: DataSettings, column: str, feeds: Sequence[Feed], output: Shape
) -> tuple[Shape, str]:
    """The shape of one target, and its kind. Raises DataError where the Output does not suit."""
    own = target_of(data.target, data.source).column == column
    task = task_of(data.target, data.source) if own else task_of_column(column, data.source)
    fit = task.fit
    assert fit is not None, f"no Output is compared with {column}"
    return fit(data.source, column, input_shape(feeds), output)


def input_shape(feeds: Sequence[Feed]) -> Shape:
    """The shape that the data is fitted to: that of the first Input which receives it."""
    return next((feed.shape for feed in feeds if not feed.noise), feeds[0].shape)


def _number(count: int) -> str:
    return "one Output" if count == 1 else f"{count} Outputs"


def _alike(outputs: Sequence[End]) -> None:
    shapes = [end.shape for end in outputs]
    if len(set(shapes)) > 1 or len(shapes[0]) != 1:
        listed_ = " and ".join(show(shape) for shape in shapes)
        raise DataError(
            f"The compared vectors need the same shape, (N, size), but are {listed_}.",
            "Use the same layer for both: add a second block with weights_of.",
        )


def _entry(
    data: DataSettings, feeds: Sequence[Feed], outputs: Many, given: Any, index: int
) -> LossTermSpec:
    place = f"training.losses[{index}]"
    if not isinstance(given, Mapping) or not isinstance(given.get("loss"), str):
        raise DataError(f"{place} needs an output and a loss.", HINT)
    for key in given:
        if key not in KEYS:
            raise DataError(f"{place} has no key {key!r}.", f"Choose {listed(KEYS)}.")
    places = _places(given.get("output"), outputs, place)
    read = [outputs[i] for i in places]
    loss, target = given["loss"], given.get("target")
    if len(places) != outputs_of(loss):
        raise DataError(
            f"{place}: {loss} reads {_number(outputs_of(loss))} but receives {len(places)}.", HINT
        )
    column, shape, kind, constant = _target(data, feeds, read, target, loss, place)
    if loss not in KINDS[kind].losses:
        raise DataError(
            f"{place}: {loss} does not fit {read[0].name} with the target "
            f"{column or constant or 'nothing'}.",
            f"Choose {listed(KINDS[kind].losses)}.",
        )
    settings, trains = _further(given, place)
    names = tuple(end.name for end in read)
    weight = _weight(given.get("weight", 1.0), place)
    return LossTermSpec(
        places,
        names,
        column,
        shape,
        kind,
        loss,
        settings,
        constant,
        weight,
        trains,
        classes=_told_apart(data, kind),
    )


def _further(given: Mapping[str, Any], place: str) -> tuple[Mapping[str, Any], str]:
    """The settings of an entry's loss, and whose weights it moves."""
    settings, trains = given.get("settings", {}), given.get("trains", "")
    if not isinstance(settings, Mapping):
        raise DataError(f"{place}.settings is {settings!r}.", 'Write it as {"name": value}.')
    if not isinstance(trains, str):
        raise DataError(f"{place}.trains is {trains!r}.", "Name a block.")
    return settings, trains


def _places(given: Any, outputs: Many, place: str) -> tuple[int, ...]:
    names = [end.name for end in outputs]
    wanted = list(given) if isinstance(given, list | tuple) else [given]
    for name in wanted:
        if name not in names:
            raise DataError(
                f"{place} reads {name!r}, which is not an Output.", f"Name {listed(tuple(names))}."
            )
    return tuple(names.index(name) for name in wanted)


def _target(
    data: DataSettings, feeds: Sequence[Feed], read: list[End], target: Any, loss: str, place: str
) -> tuple[str, Shape, str, float | None]:
    """Column, shape, kind and constant of an entry's target."""
    if has_trait(loss, "no_target") or target is None:
        if len(read) == 3:
            _alike(read)
            return "", (), "triplet", None
        return "", (), "itself", None
    if isinstance(target, int | float) and not isinstance(target, bool):
        if target not in (0, 1):
            raise DataError(f"{place}.target is {target}.", "Use 0, 1 or the name of a column.")
        return "", read[0].shape, "judged", float(target)
    known = columns(data)
    if target not in known:
        raise DataError(
            f"{place}.target is {target!r}, but {data.source.name} has no such target.",
            f"Choose {listed(known)}.",
        )
    if len(read) == 2 and not has_trait(loss, "variance"):
        _alike(read)
        return target, (), "cosine", None
    if len(read) == 2 and read[0].shape != read[1].shape:
        raise DataError(
            f"{place}: {loss} needs a variance for each mean, but {read[0].name} is "
            f"{show(read[0].shape)} and {read[1].name} {show(read[1].shape)}.",
            "Give both the same out_features.",
        )
    shape, kind = _compared(data, target, feeds, read[0].shape)
    return target, shape, kind, None


def columns(data: DataSettings) -> tuple[str, ...]:
    """The columns that an Output may be compared with."""
    own = target_of(data.target, data.source).column
    if own in BESIDE:
        both = tuple(t for t in data.source.targets if t in BESIDE)
        return both if data.source.shape[:1] == (1,) else tuple(t for t in both if t != "mask")
    return (own,) if own else ("none",)


def _weight(given: Any, place: str) -> float:
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not number or not 0 < given <= sys.float_info.max:
        raise DataError(f"{place}.weight is {quote(given)}.", "Use a number above 0.")
    return float(given)


def aims_of(terms: Sequence[LossTermSpec]) -> dict[str, str]:
    """Words for what metrics are of, where there are several losses: by its name in their keys.

    "" stands for the loss whose metrics bear no name. A run keeps them, as its keys do not tell
    whether real_score_1 is an Output or one that is held against 1.
    """
    if len(terms) < 2:
        return {}
    words = {term.name: _words(term) for term in terms}
    first = next((term for term in terms if KINDS[term.kind].metrics), None)
    plain = first is not None and not any(term.trains for term in terms)
    return words | ({"": words[first.name]} if first and plain else {})


def _words(term: LossTermSpec) -> str:
    constant = "" if term.constant is None else f" against {term.constant:g}"
    again = f" by {term.loss}" if term.again > 1 else ""
    return term.names[0] + constant + again
