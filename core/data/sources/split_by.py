"""Settings of a split by more than chance: by group, in time, or by a column that names the parts.

{"split": "group", "split_by": "patient"}
{"split": "time", "split_by": "date", "gap": "7 days"}
{"split": "column", "split_by": "site", "split_values": {"validation": ["Bergen"]}}

Without these settings samples are split at random, or by class.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from blocks.spec import Setting
from core.common.errors import DataError
from core.files.messages import quote

Mode = Literal["random", "group", "time", "column"]
MODES: tuple[Mode, ...] = ("random", "group", "time", "column")
NAMED_PARTS = ("validation", "test")
USUAL_WORDS = {
    "train": ("train", "training", "learn"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing", "holdout"),
}
"""What a column may call the parts, in any case, where `split_values` does not say it."""
BY_FOLDER, BY_NAME = "folder", "name"
IN_TIME = ("SeriesCSV", "rides")
"""Sources whose rows are in time, by settings of their own: they are split so and not otherwise."""
DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0}
"""Units of a gap, in days."""
MOST_GAP, MOST_SEED = 1_000_000_000, 2**31 - 1
_GAP = re.compile(r"(\d{1,9}(?:\.\d{1,6})?) ?(minute|hour|day|week)s?")
SPLIT = (
    Setting(
        "split",
        "choice",
        "What decides which samples are in which part: the seed (random), a group whose samples "
        "stay together (group), time (the latest samples validate), or a column that names the "
        "parts (column).",
        "random",
        choices=MODES,
        title="Split",
    ),
    Setting(
        "split_by",
        "text",
        "Column of a table, or array of an NPZ file, that holds the group, the time, or the name "
        "of the part; for time, none means the order of the rows. For a folder of pictures: "
        f'"{BY_FOLDER}" for the subfolder inside the class, "{BY_NAME}" for the series in the '
        "file name.",
        None,
        optional=True,
        title="Column",
    ),
    Setting(
        "split_until",
        "text",
        "For pictures split by name: the series ends before this text; none: before the last "
        "number, so that patient12_003.png is of the series patient12.",
        None,
        optional=True,
        title="Series ends before",
    ),
    Setting(
        "gap",
        "text",
        "For a split in time: what is left out before each later part, a number of rows or such as "
        '"7 days" or "12 hours"; 0.',
        None,
        optional=True,
        title="Gap",
    ),
    Setting(
        "split_seed",
        "int",
        "Seed of the split, so that it stays the same for other seeds of the training, or is "
        "repeated; the seed of the training.",
        None,
        low=0,
        high=MOST_SEED,
        optional=True,
        title="Seed of the split",
    ),
)
"""The declared settings; `split_values` beside them is an object."""
VALUES = "split_values"
VALUES_HELP = (
    'For a split by column: the values of each part, `{"validation": [...], "test": [...]}`; all '
    "other rows are training samples. Without it the values name the parts: train, validation "
    "(valid, val, dev) and test."
)
KEYS = (*(setting.name for setting in SPLIT), VALUES)


@dataclass(frozen=True)
class Gap:
    """What is left out before a later part: a number of rows, or of days."""

    rows: int = 0
    days: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.rows or self.days)

    @property
    def words(self) -> str:
        """Its size in words, "7 days"."""
        return f"{self.rows:,} rows" if self.rows else f"{self.days:g} days"


@dataclass(frozen=True)
class Split:
    """What decides which samples are in which part.

    by: the column, "" for none; until: where the series in a file name ends, "" before the last
    number. values: pairs of a value of the column and its part. seed: None for that of training.
    """

    mode: Mode = "random"
    by: str = ""
    until: str = ""
    values: tuple[tuple[str, str], ...] = ()
    gap: Gap = Gap()
    seed: int | None = None

    @property
    def drawn(self) -> bool:
        """Whether chance alone, or in proportion to the classes, decides."""
        return self.mode == "random"

    @property
    def read(self) -> tuple[str, ...]:
        """What reading the data depends on; () where it reads nothing for the split."""
        return (self.mode, self.by, self.until) if self.by else ()


def read_split(data: Mapping[str, Any]) -> Split:
    """Check the form of the settings, whatever the data is. Raises DataError naming the setting."""
    mode = data.get("split", "time" if data.get("source") in IN_TIME else "random")
    if mode not in MODES:
        raise DataError(f"data.split is {quote(mode)}.", f"Use {_listed(MODES)}.")
    _check_order(data, mode)
    by, until = _text(data, "split_by"), _text(data, "split_until")
    if mode in ("group", "column") and not by:
        what = "groups" if mode == "group" else "parts"
        raise DataError(
            f'data.split is "{mode}", but data.split_by is not set.',
            f"Name the column of the {what} in data.split_by.",
        )
    for key, modes in (
        ("split_by", MODES[1:]),
        ("split_until", MODES[1:2]),
        ("gap", MODES[2:3]),
        (VALUES, MODES[3:]),
    ):
        if data.get(key) is not None and mode not in modes:
            raise DataError(
                f'data.{key} is set, but data.split is "{mode}".',
                f"Set data.split to {_listed(modes)}, or remove data.{key}.",
            )
    return Split(mode, by, until, _values(data), read_gap(data.get("gap")), _seed(data))


def _check_order(data: Mapping[str, Any], mode: str) -> None:
    """Refuse another split of a series than in time. Raises DataError."""
    if data.get("source") not in IN_TIME:
        return
    if mode != "time":
        raise DataError(
            f"data.split is {quote(mode)}, but a series is split in time: the last rows validate.",
            "Remove data.split.",
        )
    if data.get("split_by") is not None:
        raise DataError(
            f"data.split_by is {quote(data['split_by'])}, but data.date_column orders a series.",
            "Remove data.split_by.",
        )
    if read_gap(data.get("gap")).days and not data.get("date_column"):
        raise DataError(
            f"data.gap is {quote(data['gap'])}, but data.date_column is not set.",
            "Use a number of rows, or name the column of the dates.",
        )


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if type(value) is int:  # the name of a column such as 2019, as a command line reads it
        value = str(value)
    if not isinstance(value, str) or not value:
        what = "a column" if key == "split_by" else "the text where a series ends"
        raise DataError(f"data.{key} is {quote(value)}.", f"Name {what}.")
    return value


def read_gap(value: Any) -> Gap:
    """A gap as a project writes it. Raises DataError."""
    if value is None:
        return Gap()
    if type(value) is int and 0 <= value <= MOST_GAP:
        return Gap(rows=value)
    found = _GAP.fullmatch(value.strip()) if isinstance(value, str) else None
    if found:
        return Gap(days=float(found[1]) * DAYS[found[2]])
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
        return Gap(rows=int(value))
    raise DataError(
        f"data.gap is {quote(value)}.",
        'Use a whole number of rows, or a time such as "7 days" or "12 hours".',
    )


def _seed(data: Mapping[str, Any]) -> int | None:
    value = data.get("split_seed")
    if value is None or (type(value) is int and 0 <= value <= MOST_SEED):
        return value
    raise DataError(
        f"data.split_seed is {quote(value)}.", f"Use a whole number from 0 to {MOST_SEED:,}."
    )


def _values(data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Values of the column and their parts."""
    value = data.get(VALUES)
    if value is None:
        return ()
    hint = 'Write it as {"validation": ["A"], "test": ["B"]}.'
    if not isinstance(value, Mapping) or not value or not set(value) <= {*NAMED_PARTS}:
        raise DataError(f"data.{VALUES} is {quote(value)}.", hint)
    found: dict[str, str] = {}
    for part, words in value.items():
        listed = words if isinstance(words, list | tuple) else ()
        names = [str(w) for w in listed if isinstance(w, str | int) and not isinstance(w, bool)]
        if not names or len(names) < len(listed):
            raise DataError(f"data.{VALUES}.{part} is {quote(words)}.", hint)
        for name in names:
            if name in found:
                raise DataError(f"data.{VALUES} has {quote(name)} twice.", "List each value once.")
            found[name] = part
    return tuple(found.items())


def _listed(words: tuple[str, ...]) -> str:
    *most, last = [f'"{word}"' for word in words]
    return f"{', '.join(most)} or {last}" if most else last
