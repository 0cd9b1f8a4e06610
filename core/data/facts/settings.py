"""The `data` settings of a project, read strictly. Own data is named by a path in the workspace."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from core.common.errors import DataError
from core.data.builtin.catalogue import SOURCES
from core.data.builtin.generated import as_made
from core.data.facts.metadata import DataFacts, read_known
from core.data.facts.row_keys import RowKeys
from core.data.facts.row_split import RowSplit, row_split
from core.data.pictures.transform import AugmentStep, read_transform
from core.data.sources.custom_source import KEYS as GIVEN_KEYS
from core.data.sources.custom_source import OWN, CustomSource, read_custom_source
from core.data.sources.source import Source
from core.data.sources.split_by import KEYS as SPLIT_KEYS
from core.data.sources.split_settings import (
    PARTS,
    Parts,
    check_shares,
    proportionate,
    read_parts,
)
from core.files.messages import quote
from core.tasks.registry import targets_of

KEYS = (
    "made",
    "target",
    "inputs",
    "transform",
    "noise",
    "validation",
    "normalize",
    "limit",
    *(setting.name for setting in PARTS),
    *SPLIT_KEYS,
)
VALIDATION = 0.2


@dataclass(frozen=True)
class DataSettings:
    """The data settings of a project, every value filled in.

    `validation` is the share of samples to validate with; None where the makers of the data set
    keep a part apart, which then validates: one to validate with, else the test part. `inputs` says
    what each Input receives, where the project says it: the name of a column, or names of columns
    of a table. `transform` varies what is learned from. `custom` and `layout` are of own data:
    where it lies, how its file is read. `made` is of data that a formula makes: how. `parts` says
    how samples are parted, beyond `validation`. `split` says the part of each row where more than
    chance decides it, `rows` where its keys are kept, None for the order of the rows.
    """

    source: Source
    target: str = "label"
    noise: float = 0.0
    validation: float | None = VALIDATION
    normalize: bool = False
    limit: int | None = None
    inputs: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    transform: tuple[AugmentStep, ...] = ()
    custom: CustomSource | None = None
    layout: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)
    parts: Parts = field(default_factory=Parts)
    split: RowSplit | None = None
    rows: RowKeys | None = None


def check_keys(data: Mapping[str, Any]) -> None:
    """Refuse a key that no setting of this source has. Raises DataError."""
    keys = ("source", *OWN.get(str(data.get("source")), ()), *KEYS)
    for key in data:
        if key not in keys and key not in GIVEN_KEYS:
            raise _unknown(f"data has no setting {key!r}.", key, keys)


def read_settings(data: Mapping[str, Any], seed: int = 0) -> DataSettings:
    """Check the `data` settings of a project. Raises DataError naming the setting.

    seed: of the training, which groups are drawn by.
    """
    check_keys(data)
    given = read_custom_source(data)
    facts = read_known(given) if given else DataFacts(_source(data.get("source")), None)
    source, made = as_made(facts.source, data.get("made"))
    target = data.get("target", source.targets[0])
    if target not in targets_of(source):
        raise _unsuited(source, target)
    noise, normalize = _scale(data, source)
    parts, limit = read_parts(data, source, target), _limit(data.get("limit"))
    validation = _validation(data, source, parts)
    inputs, transform = _inputs(data.get("inputs", {})), _transform(data, source, target)
    split = _row_split(parts, validation, facts, source, seed, given)
    if split and "test" in dict(split.words).values():
        parts = replace(parts, names_test=True)
        split = replace(split, parts=parts)
    return DataSettings(
        source,
        target,
        noise,
        validation,
        normalize,
        limit,
        inputs,
        transform,
        given,
        facts.layout,
        made,
        parts,
        split,
        facts.rows,
    )


def _row_split(
    parts: Parts,
    validation: float | None,
    facts: DataFacts,
    source: Source,
    seed: int,
    given: CustomSource | None,
) -> RowSplit | None:
    """The part of each row, where more than chance decides it. Raises DataError."""
    if parts.split.drawn:
        return None
    asked = parts.stratify
    proportional = proportionate(source) if asked is None else asked
    known = facts.layout.get("split", {})
    if source.ahead and not given:
        rows = source.samples + source.shape[0] + source.ahead - 1
        known = {"window": (source.shape[0], source.ahead), "times": rows}
    return row_split(parts, validation, proportional, seed, known, given.path if given else "")


def _scale(data: Mapping[str, Any], source: Source) -> tuple[float, bool]:
    """Noise and normalize. Raises DataError where the source cannot take them."""
    normalize = data.get("normalize", source.measured)
    if not isinstance(normalize, bool):
        raise DataError(f"data.normalize is {normalize!r}.", "Use true or false.")
    noise = _number(data, "noise", 0.0, low=0.0, high=10.0)
    if noise and source.decoded:
        raise DataError(
            "data.noise cannot be added to pictures that are read batch by batch.",
            'Use "transform": [{"name": "GaussianNoise"}] instead.',
        )
    if source.kind == "text" and (normalize or noise):
        raise DataError(
            f"{source.name} is text, which cannot be normalised and takes no noise.",
            "Remove noise and normalize from the data.",
        )
    return noise, normalize


def _transform(data: Mapping[str, Any], source: Source, target: str) -> tuple[AugmentStep, ...]:
    """What varies the pictures. Raises DataError where there are none, or more than a class."""
    steps = read_transform(data.get("transform", ()))
    if steps and (source.kind != "image" or target != "label"):
        raise DataError(
            "data.transform needs pictures with a class or a number as the target but "
            f"receives {source.name} with the target {target}.",
            "Remove transform from the data.",
        )
    return steps


def _unsuited(source: Source, target: object) -> DataError:
    if target == "mask":
        message = f"A mask marks the stroke of a grey image, but {source.name} has no grey images."
        return DataError(message, "Use digits, MNIST or FashionMNIST, or another target.")
    return _unknown(f"data.target is {target!r}.", target, targets_of(source))


def _inputs(given: Any) -> dict[str, str | tuple[str, ...]]:
    """What each Input receives. Raises DataError where it is no object of names."""
    hint = 'Write it as {"INPUT": "noise"} or {"INPUT": ["age", "bmi"]}.'
    if not isinstance(given, Mapping):
        raise DataError(f"data.inputs is {given!r}.", hint)
    found: dict[str, str | tuple[str, ...]] = {}
    for name, what in given.items():
        many = isinstance(what, list | tuple) and all(isinstance(w, str) for w in what)
        if not isinstance(what, str) and not (many and what):
            raise DataError(f"data.inputs.{name} is {what!r}.", hint)
        found[name] = what if isinstance(what, str) else tuple(what)
    return found


def _source(name: object) -> Source:
    every = (*SOURCES, *OWN)
    if name is None:
        raise DataError(
            "The project has no data yet.",
            "Choose some on the Data page, or set data.source to a data set such as digits or "
            f"iris, or to {listed(OWN)} for your own.",
        )
    if not isinstance(name, str) or name not in SOURCES:
        raise _unknown(f"There is no data set {name!r}.", name, every)
    return SOURCES[name]


def _validation(data: Mapping[str, Any], source: Source, parts: Parts) -> float | None:
    """The share to validate with; None where a part of the makers' does, or a fold."""
    if parts.folds:
        return None
    apart = source.validation or (source.test and not parts.makers)
    if "validation" not in data and apart:
        return None
    share = _number(data, "validation", VALIDATION, low=0.01, high=0.99)
    check_shares(parts, share)
    return share


def _limit(limit: object) -> int | None:
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 2:
        raise DataError(f"data.limit is {limit!r}.", "Use a whole number of samples, 2 or more.")
    return limit


def _number(data: Mapping[str, Any], key: str, default: float, low: float, high: float) -> float:
    value = data.get(key, default)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise DataError(f"data.{key} is {quote(value)}.", f"Use a number from {low:g} to {high:g}.")
    return float(value)


def _unknown(message: str, given: object, choices: tuple[str, ...]) -> DataError:
    lower = {choice.lower(): choice for choice in choices}
    near = get_close_matches(str(given).lower(), lower, n=1)
    guess = f"Did you mean {lower[near[0]]!r}? " if near else ""
    return DataError(message, f"{guess}Choose {listed(choices)}.")


def listed(names: Mapping[str, object] | tuple[str, ...]) -> str:
    """Names for a sentence: "a, b or c"."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
