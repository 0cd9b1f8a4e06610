"""Settings of a project's own data: a folder of pictures, a table, arrays or a text.

{"source": "ImageFolder", "root": "data/flowers", "skip_corrupt": false}
{"source": "MaskFolder", "root": "data/streets", "ignore": "void"}
{"source": "SoundFolder", "root": "data/words", "form": "spectrogram", "seconds": 1.0}
{"source": "CSV", "file": "data/houses.csv", "columns": ["area", "rooms"], "target_column": "price",
 "categories": ["district"]}
{"source": "CSV", "file": "data/films.csv", "target_columns": ["funny", "sad", "long"]}
{"source": "NPZ", "file": "data/cells.npz", "columns": ["images"], "target_column": "labels"}
{"source": "text", "file": "data/poems.txt"}
{"source": "TextCSV", "file": "data/mails.csv", "columns": ["subject", "body"],
 "target_column": "label", "tokens": "word", "vocabulary": 10000, "min_count": 2, "lower": true}
{"source": "Dataset", "file": "data/waves.py", "class": "Waves", "samples": 500}
{"source": "SeriesCSV", "file": "data/bikes.csv", "date_column": "date", "window": 14}

columns: what the network may read, all but the target where it is left out; of an NPZ one array.
target_column: the last column where it is left out. categories: columns whose values are names of
classes, even where they look like numbers; those that hold words are anyway. class: of a Python
file, which runs only once it is trusted; the only one where it is left out. samples: how many are
taken of it, of an IterableDataset 1000 where nothing is said. loader_workers: of its DataLoader.

MaskFolder has pictures and masks, in folders images and masks or beside each other; ignore: the
class whose pixels do not count, "none" where all do.
SoundFolder has a sub-folder of sounds for each class; form, rate, seconds and mels stand in
sound_settings.py.
TextFolder has a sub-folder of .txt files for each class, as ImageFolder has one of pictures.
tokens, vocabulary, min_count and lower stand in text_settings.py: of texts with a class each.
target_columns and label_separator, of several labels, stand in label_settings.py.
A table's encoding, separator, decimal, thousands, header, first, footer, missing, fill and dates
stand in table_settings.py, date_column, window and ahead of a series in series_settings.py.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.common.errors import DataError
from core.data.sources.label_settings import KEYS as LABEL_KEYS
from core.data.sources.label_settings import read_label_separator, read_target_columns
from core.data.sources.other_files import refusal
from core.data.sources.paths import check_text
from core.data.sources.series_settings import KEYS as SERIES_KEYS
from core.data.sources.series_settings import SeriesSettings, read_series_settings
from core.data.sources.sound_settings import KEYS as SOUND_KEYS
from core.data.sources.sound_settings import SoundSettings, read_sound_settings
from core.data.sources.source import SOUND_FOLDER
from core.data.sources.split_by import read_split
from core.data.sources.table_settings import KEYS as TABLE_KEYS
from core.data.sources.table_settings import TableSettings, read_table_settings
from core.data.sources.text_settings import KEYS as TEXT_KEYS
from core.data.sources.text_settings import TextSettings, read_text_settings

LAYOUT_KEYS = ("encoding", "separator", "header", "first", "footer")
"""Settings of a table that say where it begins and ends, not what its numbers are."""
TABLES = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat")
OWN: dict[str, tuple[str, ...]] = {
    "ImageFolder": ("root", "skip_corrupt"),
    "MaskFolder": ("root", "skip_corrupt", "ignore"),
    SOUND_FOLDER: ("root", "skip_corrupt", *SOUND_KEYS),
    "CSV": ("file", "columns", "target_column", *LABEL_KEYS, "categories", *TABLE_KEYS),
    "NPZ": ("file", "columns", "target_column"),
    "text": ("file",),
    "TextCSV": ("file", "columns", "target_column", *LABEL_KEYS, *TEXT_KEYS, *LAYOUT_KEYS),
    "TextFolder": ("root", *TEXT_KEYS),
    "Dataset": ("file", "class", "samples", "loader_workers"),
    "SeriesCSV": (
        "file",
        "columns",
        "target_column",
        *SERIES_KEYS,
        # missing values are the last known; rows of different times are no copies
        *(key for key in TABLE_KEYS if key not in ("fill", "copies")),
    ),
}
"""Sources that are the user's own, and the settings each has."""
ENDINGS = {
    "CSV": TABLES,
    "TextCSV": TABLES,
    "SeriesCSV": TABLES,
    "NPZ": (".npz",),
    "text": (
        ".txt",
        ".md",
        ".text",
        ".csv",
        ".tsv",
        ".json",
        ".jsonl",
        ".xml",
        ".html",
        ".tex",
        ".srt",
        ".log",
    ),
    "Dataset": (".py",),
}
"""How the file of a source may end; in lower case."""
TAKEN = sys.stdlib_module_names | {
    "app",
    "blocks",
    "conftest",
    "core",
    "networkx",
    "numpy",
    "onnx",
    "pandas",
    "safetensors",
    "setup",
    "sitecustomize",
    "sklearn",
    "streamlit",
    "torch",
    "torchvision",
    "usercustomize",
}
"""Names that the module of a Dataset may not have: an import of them means another module."""
MOST_SAMPLES, MOST_WORKERS = 100_000_000, 64
KEYS = tuple(dict.fromkeys(key for keys in OWN.values() for key in keys))


@dataclass(frozen=True)
class CustomSource:
    """Own data as a project names it. columns: () for all but the target; target_column: "" for
    the last. dataset: the class of a Python file, "" for the only one; samples: None for all.
    table: how a CSV is read; texts: how texts are cut, None for other kinds. split: what decides
    the split where it is read with the data: mode, column and end of a series; () for none. series:
    how windows are cut, None for other kinds. ignore: the class of masks whose pixels do not count,
    "" for the usual one. sound: how sounds are read, None for other kinds. target_columns: () for
    one column; label_separator: "" for one answer in a cell."""

    kind: str
    path: str
    columns: tuple[str, ...] = ()
    target_column: str = ""
    categories: tuple[str, ...] = ()
    skip_corrupt: bool = False
    dataset: str = ""
    samples: int | None = None
    workers: int = 0
    table: TableSettings = field(default_factory=TableSettings)
    split: tuple[str, ...] = ()
    texts: TextSettings | None = None
    series: SeriesSettings | None = None
    ignore: str = ""
    sound: SoundSettings | None = None
    target_columns: tuple[str, ...] = ()
    label_separator: str = ""

    @property
    def key(self) -> str:
        """The setting that holds the path."""
        return OWN[self.kind][0]

    def targets(self, names: Sequence[str]) -> tuple[str, ...]:
        """The target columns among those of a file: as the settings name them, else the last."""
        return self.target_columns or (self.target_column or names[-1],)


def read_custom_source(data: Mapping[str, Any]) -> CustomSource | None:
    """Check the settings of own data; None for another source. Touches no disk.

    Raises DataError naming the setting.
    """
    kind = data.get("source")
    if not isinstance(kind, str) or kind not in OWN:
        _check_none(data)
        return None
    for key in KEYS:
        if key in data and key not in OWN[kind]:
            raise DataError(
                f"data.{key} is not a setting of {kind}.", f"It has {', '.join(OWN[kind])}."
            )
    key = OWN[kind][0]
    if key not in data:
        raise DataError(
            f"{kind} needs data.{key}, the path of its {_what(kind)}.",
            "Choose it on the Data page.",
        )
    path = _check_ending(kind, check_text(data[key], key), key)
    skip = data.get("skip_corrupt", False)
    if not isinstance(skip, bool):
        raise DataError(f"data.skip_corrupt is {skip!r}.", "Use true or false.")
    target = data.get("target_column", "")
    if not isinstance(target, str):
        raise DataError(f"data.target_column is {target!r}.", "Name one column.")
    source = CustomSource(
        kind,
        path,
        _names(data, "columns"),
        target,
        _names(data, "categories"),
        skip,
        *_of_class(data),
        read_table_settings(data),
        read_split(data).read,
        read_text_settings(data) if "tokens" in OWN[kind] else None,
        read_series_settings(data),
        _ignored(data),
        read_sound_settings(data) if kind == SOUND_FOLDER else None,
        read_target_columns(data),
        read_label_separator(data),
    )
    _check_apart(source)
    return source


def _check_apart(source: CustomSource) -> None:
    """Raises DataError where a target is an input, too; of a series it may be."""
    for target in source.targets([""]):
        if target in source.columns and not source.series:
            raise DataError(f"data.columns holds {target!r}, which is the target.", "Remove it.")


def _check_ending(kind: str, path: str, key: str) -> str:
    """The path of a file that is data by its ending, which no Python imports and no tool runs.

    Only a Dataset is Python, and never a file by whose name another module is meant.
    """
    name = path.rpartition("/")[2]
    allowed = ENDINGS.get(kind, ())
    if allowed and not name.lower().endswith(allowed):
        if why := refusal(path):
            raise why
        raise DataError(
            f"data.{key}, {path!r}, does not have a file ending of {kind}.",
            f"Rename it to end in {', '.join(allowed)}.",
        )
    if kind == "Dataset" and name.removesuffix(".py").lower() in TAKEN:
        raise DataError(
            f"data.{key}, {path!r}, has the name of another Python module.",
            "Rename it, such as my_dataset.py.",
        )
    return path


def _of_class(data: Mapping[str, Any]) -> tuple[str, int | None, int]:
    """Class, number of samples and workers of a data set in Python."""
    name = data.get("class", "")
    if not isinstance(name, str) or (name and not name.isidentifier()):
        raise DataError(f"data.class is {name!r}.", "Name a class of the file.")
    samples = _whole(data, "samples", None, 2, MOST_SAMPLES)
    return name, samples, _whole(data, "loader_workers", 0, 0, MOST_WORKERS) or 0


def _whole(data: Mapping[str, Any], key: str, usual: int | None, low: int, high: int) -> int | None:
    value = data.get(key, usual)
    if value is None or (type(value) is int and low <= value <= high):
        return value
    raise DataError(f"data.{key} is {value!r}.", f"Use a whole number from {low} to {high:,}.")


def _check_none(data: Mapping[str, Any]) -> None:
    for key in KEYS:
        if key in data:
            raise DataError(
                f"data.{key} is a setting of own data, such as CSV.",
                "Remove it, or choose such a source.",
            )


def _ignored(data: Mapping[str, Any]) -> str:
    """The class of masks whose pixels do not count; a number as a command line reads it, too."""
    value = data.get("ignore", "")
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise DataError(f"data.ignore is {value!r}.", "Name one class of the masks, or none.")
    return value


def _what(kind: str) -> str:
    return "folder" if OWN[kind][0] == "root" else "file"


def _names(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given = data.get(key, ())
    good = isinstance(given, list | tuple) and all(isinstance(n, str) and n for n in given)
    if not good or len(set(given)) != len(given):
        raise DataError(f"data.{key} is {given!r}.", "Write it as a list of distinct names.")
    return tuple(given)
