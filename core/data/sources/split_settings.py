"""How samples are parted: a share kept apart to test with, folds, and what stays in proportion.

Without these settings samples are parted in two as ever: to learn from, and to validate with.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from blocks.spec import Setting
from core.common.errors import DataError
from core.data.sources.custom_source import OWN
from core.data.sources.source import FILE_FOLDERS, Source
from core.data.sources.split_by import BY_FOLDER, BY_NAME, Split, read_split
from core.files.messages import quote

MAKERS = "makers"
MOST_FOLDS = 100
PARTS = (
    Setting(
        "test",
        "float",
        "Share of samples for a single test at the end of a run; "
        f'"{MAKERS}": the official test split of the data set.',
        None,
        low=0.01,
        high=0.9,
        optional=True,
        title="Share of test samples",
    ),
    Setting(
        "stratify",
        "bool",
        "Split so that every part has each class (or range of numbers) in "
        "proportion; off: split at random. Default: on if samples have a class.",
        None,
        optional=True,
        title="Stratify by class",
    ),
    Setting(
        "folds",
        "int",
        "Number of folds for all samples outside the test split; one fold "
        "validates, and the setting `validation` is ignored.",
        None,
        low=2,
        high=MOST_FOLDS,
        optional=True,
        title="Folds",
    ),
    Setting(
        "fold",
        "int",
        "Number of the fold that validates, from 1 (the default).",
        None,
        low=1,
        high=MOST_FOLDS,
        optional=True,
        title="Validation fold",
    ),
)
"""What parts samples beyond `validation`, which stands in no project that does not ask for it."""


@dataclass(frozen=True)
class Parts:
    """The split of the samples, beyond the share for validation.

    test: a share of all samples. makers: the test part is that of the data set's makers. stratify:
    None for the default. folds: 0 for none; fold: which one validates, from 1. split: what decides
    which samples are in which part. names_test: whether a column names samples to test with.
    """

    test: float = 0.0
    makers: bool = False
    stratify: bool | None = None
    folds: int = 0
    fold: int = 1
    split: Split = field(default_factory=Split)
    names_test: bool = False

    @property
    def usual(self) -> bool:
        """Whether samples are split by the defaults."""
        return self == Parts()

    @property
    def tests(self) -> bool:
        """Whether there is a part to test with."""
        return self.makers or self.names_test or self.test > 0


def proportionate(source: Source) -> bool:
    """Whether each sample has one class, so that classes are kept in proportion unasked."""
    return bool(source.classes) and "label" in source.targets


def read_parts(data: Mapping[str, Any], source: Source, target: str) -> Parts:
    """Check the settings of the split. Raises DataError naming the setting."""
    makers = data.get("test") == MAKERS
    if makers and not source.test:
        raise DataError(
            f'data.test is "{MAKERS}", but {source.name} has no official test split.',
            "Use a share of the samples, such as 0.1.",
        )
    test = 0.0 if makers else _number(data, PARTS[0]) or 0.0
    folds, fold = _number(data, PARTS[2]), _number(data, PARTS[3])
    if fold is not None and folds is None:
        raise DataError(
            f"data.fold is {fold}, but data.folds is not set.", "Set data.folds too, such as 5."
        )
    if folds is not None and (fold or 1) > folds:
        raise DataError(
            f"data.fold is {fold}, and there are {folds} folds.",
            f"Use a whole number from 1 to {folds}.",
        )
    split, stratify = read_split(data), _stratify(data, source, target)
    _check_split(split, source, stratify)
    return Parts(float(test), makers, stratify, folds or 0, fold or 1, split)


def check_shares(parts: Parts, validation: float | None) -> None:
    """Raises DataError where shares to validate and to test with leave nothing to learn from."""
    share = validation or 0.0
    if parts.split.mode != "column" and parts.test and share + parts.test >= 1:
        raise DataError(
            f"data.validation {share:g} and data.test {parts.test:g} are "
            f"{share + parts.test:g} together, which leaves no samples for training.",
            "Choose shares whose sum is below 1.",
        )


def _check_split(split: Split, source: Source, stratify: bool | None) -> None:
    """Refuse a split that these samples cannot have. Raises DataError."""
    if split.drawn:
        return
    if source.test or source.validation:
        raise DataError(
            f'data.split is "{split.mode}", but {source.name} has an official split.',
            "Remove data.split.",
        )
    if source.name in FILE_FOLDERS:
        _check_split_of_pictures(split)
    elif split.until:
        raise DataError(
            "data.split_until is for pictures split by name.", "Remove data.split_until."
        )
    elif split.by and "target_column" not in OWN.get(source.name, ()):
        raise DataError(
            f"data.split_by is {quote(split.by)}, but {source.name} has no column to split by.",
            "Use a CSV or NPZ file, or a folder of pictures, or remove data.split and split_by.",
        )
    if split.mode == "time" and stratify:
        raise DataError(
            'data.stratify keeps no proportions where data.split is "time".',
            "Remove stratify from the data.",
        )
    if stratify and not proportionate(source):
        raise DataError(
            f'With data.split "{split.mode}", data.stratify keeps classes in proportion, but the '
            f"targets of {source.name} are numbers.",
            "Remove stratify from the data.",
        )


def _check_split_of_pictures(split: Split) -> None:
    if split.mode != "group" or split.by not in (BY_FOLDER, BY_NAME):
        what = f"data.split_by is {quote(split.by)}" if split.by else "data.split_by is not set"
        why = what if split.mode == "group" else f'data.split is "{split.mode}"'
        raise DataError(
            f"{why}, but a folder of pictures is split at random or by group.",
            f'Set data.split to "group" and data.split_by to "{BY_FOLDER}" or "{BY_NAME}".',
        )
    if split.until and split.by != BY_NAME:
        raise DataError(
            f'data.split_until is {quote(split.until)}, but data.split_by is "{split.by}".',
            f'Set data.split_by to "{BY_NAME}", or remove data.split_until.',
        )


def _stratify(data: Mapping[str, Any], source: Source, target: str) -> bool | None:
    asked = data.get("stratify")
    if asked is None or asked is proportionate(source):
        return None
    if not isinstance(asked, bool):
        raise DataError(f"data.stratify is {quote(asked)}.", "Use true or false.")
    if asked and (target != "label" or "label" not in source.targets):
        raise DataError(
            f"data.stratify needs one class or number for each sample, but "
            f"{source.name} with the target {target} has none.",
            "Remove stratify from the data.",
        )
    return asked


def _number(data: Mapping[str, Any], setting: Setting) -> Any:
    value = data.get(setting.name)
    if value is None:
        return None
    whole = setting.kind == "int"
    kinds = (int,) if whole else (int, float)
    low, high = setting.low or 0, setting.high or 0
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        words = "a whole number" if whole else "a number"
        raise DataError(
            f"data.{setting.name} is {quote(value)}.", f"Use {words} from {low:g} to {high:g}."
        )
    return value
