"""Reference page for the keys of a project file, generated from the code that reads them.

`python -m core.settings.keys` writes assets/project_file.md; a test compares it with the code. What
a key means stands beside it in the code where it is a declared setting, and here where it is not; a
key without words cannot be written, nor words without a key.
"""

from collections.abc import Iterable, Iterator, Mapping
from json import dumps
from pathlib import Path

from blocks.spec import REQUIRED, Setting
from core.data.builtin.catalogue import SOURCES
from core.data.facts import loss_terms, settings
from core.data.pictures.transform import TRANSFORMS
from core.data.sources import custom_source, series_settings, split_by
from core.data.sources.split_settings import PARTS
from core.files import strict
from core.project import read, read_graph
from core.settings.distillation import DISTIL
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import EXTRA_KEYS, GROUPS, TRAINING
from core.tasks.registry import LOSSES

PLACE = Path(__file__).resolve().parents[2] / "assets" / "project_file.md"

FILE = {
    "layerloom": "Format number. Older files are converted when opened; newer ones are refused "
    "and left unchanged.",
    "name": "Name of the project.",
    "about": "Short description of the project.",
    "graph": '`{"nodes": {...}, "edges": [...]}`: the network.',
    "composites": "Reusable subgraphs with their own settings, by name.",
    "data": "The training data, see below.",
    "training": "The training settings, see below.",
    "notes": "Notes on the canvas.",
    "layout": "Positions of the nodes: `[x, y]` in pixels by id. Separate from the model, so that "
    "moving a node changes nothing else.",
    "specialised": "For an imported model: the decisions its Python made from the values of one "
    "sample, in sentences. The drawing repeats them for every input and shows a warning.",
}
NODE = {
    "block": "Name of a block (`layerloom blocks`) or of a composite of this file.",
    "settings": "Values by their names in torch; in a composite also expressions such as "
    '`"=channels * 2"`.',
    "repeat": "Number of copies in a row; 1. Each copy feeds the first input of the next; "
    "all copies receive the same values at their other inputs.",
    "weights_of": "Id of the node whose weights it shares; it then has no block and no settings.",
    "frozen": "Do not train its weights; false.",
    "lr_factor": "Multiplier of the learning rate for its weights; 1.",
    "unused": "`forward` does not call it: it is constructed, counted and saved, and its settings "
    "must give all sizes, such as `in_features`; false. A wire into it puts it to use.",
    "label": "Free text shown instead of the id.",
}
COMPOSITE = {
    "settings": "Its settings with their default values.",
    "nodes": "As in the graph; its Input and Output nodes are its ports, in this order.",
    "edges": "As in the graph.",
}
DATA = {
    "source": "Name of a data set, or the kind of your own data (see below).",
    "made": "For generated points in a plane: the settings of the formula, see below.",
    "target": "The target to predict; the first of the data set.",
    "inputs": 'What each Input receives: `{"INPUT": "COLUMN"}`, a list of columns, or `"noise"`.',
    "transform": "Random augmentations of images, applied in this order, see below; none.",
    "noise": "Standard deviation of noise added to the input; 0.",
    "validation": f"Share of the samples used for validation; {settings.VALIDATION}, or the "
    f"official "
    "test set where there is one.",
    "normalize": "Standardise the inputs of a table to mean 0 and standard deviation 1.",
    "limit": "Maximum number of samples; all.",
    **{setting.name: setting.help for setting in (*PARTS, *split_by.SPLIT)},
    split_by.VALUES: split_by.VALUES_HELP,
    "root": "Folder in the workspace with one subfolder of images, sounds or .txt files per class; "
    "or with images and their masks.",
    "ignore": 'Of masks: the class whose pixels do not count in loss and metrics, `"none"` for '
    "no such class; the number 255 beside numbers in order, or a class called void.",
    "skip_corrupt": "Skip images or sounds that cannot be read; false.",
    "form": 'What is read of a sound: `"spectrogram"` (the default) or `"wave"`.',
    "rate": "Samples a second of a sound, 1,000 to 48,000; that of most files, at most 16,000.",
    "seconds": "Length of a sound, 0.05 to 60: silence follows shorter ones, longer ones are cut "
    "off; the length that 95 of 100 files do not exceed, at most 10.",
    "mels": "Bands of pitch of a spectrogram, 8 to 128; 64.",
    "file": "Path of the file in the workspace.",
    "columns": "Input columns; all except the target, of a series all columns of numbers.",
    "target_column": "Column to predict; the last one, of a series the last one of numbers.",
    "target_columns": "Columns of 0 and 1 (or no and yes) to predict, each a label that a row has "
    "or has not. Where each row has exactly one of them they are one class, written as one-hot.",
    "label_separator": "What stands between the labels of a cell of the target column, such as "
    '`";"`; then an empty cell has none of them. Without it a cell is one class or number.',
    "date_column": "Of a series: the column that orders the rows; without it they are in order. "
    "Of rows with the same date the last one counts; a missing value is the last known one.",
    "window": "Of a series: rows that each sample holds; " + f"{series_settings.WINDOW}.",
    "ahead": "Of a series: rows after the window whose target is predicted; "
    + f"{series_settings.AHEAD}.",
    "class": "For a Python file: a torch Dataset or IterableDataset whose constructor needs no "
    "arguments; the only one in the file. It runs only after you have read and trusted the file.",
    "samples": "Number of samples to use; all, or 1000 for an IterableDataset.",
    "loader_workers": "Worker processes of the DataLoader; 0.",
    "categories": "Columns to treat as categories, even if the values look like numbers or dates.",
    "tokens": 'What a text is cut into, `"word"` (words and signs) or `"letter"`; word.',
    "vocabulary": "The most tokens of the vocabulary, with <padding> and <unknown>: the most "
    "frequent of the training samples; 10000.",
    "min_count": "How often the training samples must have a token; 2.",
    "lower": "Read capitals as small letters; true.",
    "encoding": "Text encoding of a table, by its Python name; detected, UTF-8 if valid.",
    "separator": 'Separator of cells: `","`, `";"`, a tab, `"|"` or a space; detected.',
    "decimal": 'Decimal sign, `"."` or `","`; detected from the whole file.',
    "thousands": 'Thousands separator, such as `"."` or `"\'"`, `""` for none; detected.',
    "header": "Row of the column names, counted from 1, 0 for none; detected.",
    "first": "First row of values; the row after the column names.",
    "footer": "Number of rows at the end that are not samples, such as totals; detected.",
    "missing": 'Words that mean a missing value, besides an empty cell, such as `["NA", "-999"]`'
    "; NA, NaN, null, ?, - and similar, and None in columns of numbers.",
    "fill": 'How to fill missing values, `{"COLUMN": HOW}`: `"mean"`, `"median"` or '
    '`"most_frequent"` of the training samples, `"missing"` for a separate category, `"drop"` '
    "to drop the rows; without it, missing values are an error.",
    "dates": 'Columns of dates, `{"COLUMN": {"format": "%Y-%m-%d", "parts": ["days", "month"]}}`: '
    "their format and the numbers computed from them: days (since 1970), year, month, day, "
    "weekday (Monday is 0), hour.",
    "copies": '`"drop"` leaves out rows that repeat an earlier one in all columns in use.',
}
FURTHER = {
    "optimizer_settings": "Settings of the optimiser, see below.",
    "loss_settings": "Settings of the loss, see below.",
    "losses": "Several losses instead of `loss`, see below.",
    "samples_from": "Id of the node whose output shows new samples after each epoch.",
    "start_from": '`{"run": "NAME", "which": "best"}` or `{"weights": "FILE.safetensors"}`, with '
    '`"leave_out": [...]` for blocks that start from random weights.',
    "distil": '`{"run": "NAME", "which": "best"}`: a teacher, with the settings below.',
}
TERM = {
    "output": "Id of the Output, or a list of ids.",
    "target": "A column of the data, or 0 or 1; if missing, the output itself is minimised.",
    "loss": "Name of the loss.",
    "settings": "Its settings.",
    "weight": "Weight of this loss in the sum; 1.",
    "trains": "Id of the node whose weights this loss trains; all nodes.",
}


def page() -> str:
    """Write the whole page."""
    own = {key: DATA[key] for key in custom_source.KEYS}
    usual = {key: DATA[key] for key in ("source", *settings.KEYS)}
    assert {**usual, **own}.keys() == DATA.keys()
    assert {*GROUPS, *EXTRA_KEYS} == FURTHER.keys()
    parts = [
        "# The project file: NAME.loom.json",
        "One strict JSON file in UTF-8: no NaN, no duplicate keys, at most "
        f"{strict.MAX_BYTES // 1_000_000} MB, {read_graph.MAX_NODES:,} nodes, "
        f"{read_graph.MAX_EDGES:,} edges, {read_graph.MAX_COMPOSITES} composites. Opening it runs "
        "nothing. Unknown keys are reported and kept. A value after a semicolon is the default. "
        "Generated by `python -m core.settings.keys`; do not edit.",
        "## Keys of the file",
        _words(FILE, read.KEYS),
        "## A node",
        "Its id, its key in `nodes`, is its only name: attribute of the module, key of the "
        "`state_dict`, row of the summary. An edge is `source[.port] -> target[.port]`; the first "
        "port of a block may be left out.",
        _words(NODE, read_graph.NODE_KEYS),
        "## A composite",
        _words(COMPOSITE, read_graph.COMPOSITE_KEYS),
        "## data",
        _words(usual, ("source", *settings.KEYS)),
        f"Data sets: {', '.join(SOURCES)}.",
        'Settings of `made`, as in `{"samples": 500}`:',
        _named((s.name, s.made, s.about) for s in SOURCES.values() if s.made),
        "Your own data: "
        + "; ".join(f"`{kind}` with {_code(keys)}" for kind, keys in custom_source.OWN.items())
        + ".",
        _words(own, custom_source.KEYS),
        'Entries of `transform`, as `{"name": ..., SETTING: ...}`:',
        _named((t.name, t.settings, t.summary) for t in TRANSFORMS.values()),
        "## training",
        _settings(TRAINING),
        "Other settings:",
        _words(FURTHER, (*GROUPS, *EXTRA_KEYS)),
        "An entry of `losses`:",
        _words(TERM, loss_terms.KEYS),
        "Settings of `distil`:",
        _settings(DISTIL),
        "## Losses",
        _named((x.name, x.settings, x.summary) for x in LOSSES.values()),
        "## Optimisers",
        _named((x.name, x.settings, x.summary) for x in OPTIMIZERS.values()),
        "## Schedules",
        '`"scheduler": {"name": ..., SETTING: ...}`; a setting of null is derived from the '
        "length of the run.",
        _named((x.name, x.settings, x.summary) for x in SCHEDULES.values()),
    ]
    return "\n\n".join(parts) + "\n"


def _words(about: Mapping[str, str], keys: Iterable[str]) -> str:
    keys = list(keys)
    assert about.keys() == set(keys), about.keys() ^ set(keys)
    return _table(("key", ""), ((f"`{key}`", about[key]) for key in keys))


def _settings(declared: Iterable[Setting]) -> str:
    rows = ((f"`{s.name}`", _default(s), _range(s), s.help) for s in declared)
    return _table(("key", "default", "values", ""), rows)


def _named(rows: Iterable[tuple[str, tuple[Setting, ...], str]]) -> str:
    return _table(
        ("name", "settings", ""),
        (
            (f"`{name}`", ", ".join(f"`{s.name}={dumps(s.default)}`" for s in own) or "none", about)
            for name, own, about in rows
        ),
    )


def _default(setting: Setting) -> str:
    return "" if setting.default is REQUIRED else f"`{dumps(setting.default)}`"


def _range(setting: Setting) -> str:
    if setting.choices:
        return ", ".join(setting.choices)
    ends = [f"{end:g}" if end is not None else "" for end in (setting.low, setting.high)]
    span = f"{ends[0]} to {ends[1]}" if all(ends) else f"from {ends[0]}" if ends[0] else ""
    return f"{span} {setting.unit}".strip() or setting.kind


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(_lines(head, rows))


def _lines(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


if __name__ == "__main__":
    PLACE.write_text(page(), "utf-8")
