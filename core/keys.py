"""The page on the keys of a project file, as Markdown, written from the code that reads them.

`python -m core.keys` writes assets/project_file.md; a test compares the file with the code. What a
key means stands beside it in the code where it is a declared setting, and here where it is not; a
key without words cannot be written, nor words without a key.
"""

from collections.abc import Iterable, Iterator, Mapping
from json import dumps
from pathlib import Path

from blocks.spec import REQUIRED, Setting
from core.data import custom_source, loss_terms, settings
from core.data.catalogue import SOURCES
from core.data.parts import PARTS
from core.data.transform import TRANSFORMS
from core.project import read, read_graph, strict
from core.settings.distillation import DISTIL
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import EXTRA_KEYS, GROUPS, TRAINING
from core.tasks.registry import LOSSES

PLACE = Path(__file__).resolve().parents[1] / "assets" / "project_file.md"

FILE = {
    "layerloom": "Number of the format. An older file is brought up to it; a newer one is refused "
    "untouched.",
    "name": "Name of the project.",
    "about": "What it shows, for people.",
    "graph": '`{"nodes": {...}, "edges": [...]}`: the network.',
    "composites": "Graphs with settings of their own, used like blocks, by name.",
    "data": "What the network learns from, see below.",
    "training": "How it is trained, see below.",
    "notes": "Notes on the canvas.",
    "layout": "Where nodes stand: `[x, y]` in pixels by id. Apart from the model, so that moving "
    "a node changes nothing else.",
    "specialised": "Of an imported model: what its Python decided by the values of one sample, in "
    "sentences. The drawing does the same for every input, and is warned of.",
}
NODE = {
    "block": "Name of a block (`layerloom blocks`) or of a composite of this file.",
    "settings": "Values by torch's names; in a composite also expressions such as "
    '`"=channels * 2"`.',
    "repeat": "How many times it follows itself; 1. Its result goes into its first input again; "
    "every copy receives the same at the others.",
    "weights_of": "Id of the node whose weights it uses; then it has no block and no settings.",
    "frozen": "Leave its weights as they are in training; false.",
    "lr_factor": "Factor on the learning rate of its weights; 1.",
    "unused": "Forward does not call it: it is constructed, counted and saved, and its settings "
    "say all sizes, such as `in_features`; false. A wire into it makes it used.",
    "label": "Free text shown instead of the id.",
}
COMPOSITE = {
    "settings": "Its settings and their values where a use does not say otherwise.",
    "nodes": "As in the graph; its Input and Output nodes are its ports, in their order.",
    "edges": "As in the graph.",
}
DATA = {
    "source": "Name of a data set, or the kind of your own data, see below.",
    "made": "Of points in a plane, how a formula makes them, see below.",
    "target": "What is asked of the network; the first that the data set offers.",
    "inputs": 'What each Input receives: `{"INPUT": "COLUMN"}`, a list of columns, or `"noise"`.',
    "transform": "Random changes of pictures, in order, see below; none.",
    "noise": "Standard deviation of noise added to the input; 0.",
    "validation": f"Share of samples to validate with; {settings.VALIDATION}, or the test part "
    "that the makers keep apart.",
    "normalize": "Bring the input to mean 0 and deviation 1; for tables.",
    "limit": "Use that many samples at most; all.",
    **{setting.name: setting.help for setting in PARTS},
    "root": "Folder with one folder of pictures for each class, in the workspace.",
    "skip_corrupt": "Leave pictures out that cannot be read; false.",
    "file": "The file, in the workspace.",
    "columns": "What the network may read; all but the target.",
    "target_column": "What it is to tell; the last column.",
    "class": "Of a Python file, a torch Dataset or IterableDataset that is made without arguments; "
    "the only one. It runs once somebody has read and trusted the file.",
    "samples": "How many samples are taken of it; all, of an IterableDataset 1000.",
    "loader_workers": "Processes of the DataLoader that its samples are read through; 0.",
    "categories": "Columns whose values name classes, even where they look like numbers or dates.",
    "encoding": "Of a table, as Python names it; as its bytes tell: UTF-8 where all of it is.",
    "separator": 'Between cells: `","`, `";"`, a tab, `"|"` or a space; what parts all rows alike.',
    "decimal": 'Decimal sign, `"."` or `","`; what the cells of the whole file tell.',
    "thousands": 'Sign between thousands, such as `"."` or `"\'"`, `""` for none; as the cells '
    "tell.",
    "header": "Row of the columns' names, counted from 1, 0 for none; as the rows tell.",
    "first": "Row where the values begin; the one after the names.",
    "footer": "Rows at the end that are not samples, such as sums; as the rows tell.",
    "missing": 'Words that stand for a missing value beside an empty cell, such as `["NA", "-999"]`'
    "; NA, NaN, null, ?, - and the like, and None where a column holds numbers.",
    "fill": 'What becomes of missing values, `{"COLUMN": HOW}`: `"mean"`, `"median"` or '
    '`"most_frequent"` of the training samples, `"missing"` for a category of their own, `"drop"` '
    "for their rows; without it they are refused.",
    "dates": 'Columns of dates, `{"COLUMN": {"format": "%Y-%m-%d", "parts": ["days", "month"]}}`: '
    "how they are written and the numbers made of them, of days (since 1970), year, month, day, "
    "weekday (Monday is 0) and hour.",
}
FURTHER = {
    "optimizer_settings": "Settings of the optimiser, see below.",
    "loss_settings": "Settings of the loss, see below.",
    "losses": "Several losses, see below, in place of `loss`.",
    "samples_from": "Id of the node whose output shows new samples after each epoch.",
    "start_from": '`{"run": "NAME", "which": "best"}` or `{"weights": "FILE.safetensors"}`, with '
    '`"leave_out": [...]` for blocks that begin at random.',
    "distil": '`{"run": "NAME", "which": "best"}`: a teacher, with the settings below.',
}
TERM = {
    "output": "Id of the Output that is compared, or a list of them.",
    "target": "A column of the data, or 0 or 1; nothing: the output itself is made small.",
    "loss": "Name of the loss.",
    "settings": "Its settings.",
    "weight": "Its share in the sum; 1.",
    "trains": "Id of the node whose weights it moves; all of them.",
}


def page() -> str:
    """Write the whole page."""
    own = {key: DATA[key] for key in custom_source.KEYS}
    usual = {key: DATA[key] for key in ("source", *settings.KEYS)}
    assert {**usual, **own}.keys() == DATA.keys()
    assert {*GROUPS, *EXTRA_KEYS} == FURTHER.keys()
    parts = [
        "# The project file: NAME.loom.json",
        "One strict JSON file in UTF-8: no NaN, no key twice, at most "
        f"{strict.MAX_BYTES // 1_000_000} MB, {read_graph.MAX_NODES:,} nodes, "
        f"{read_graph.MAX_EDGES:,} edges, {read_graph.MAX_COMPOSITES} composites. Opening it runs "
        "nothing. Keys that are not known are reported and kept. Written from the code by "
        "`python -m core.keys`; never edited by hand.",
        "## Keys of the file",
        _words(FILE, read.KEYS),
        "## A node",
        "Its id, the key it stands under, is its only name: attribute of the module, key of the "
        "`state_dict`, row of the summary. An edge is `source[.port] -> target[.port]`; a port "
        "that is a block's first may be left out.",
        _words(NODE, read_graph.NODE_KEYS),
        "## A composite",
        _words(COMPOSITE, read_graph.COMPOSITE_KEYS),
        "## data",
        _words(usual, ("source", *settings.KEYS)),
        f"Data sets: {', '.join(SOURCES)}.",
        'What `made` may hold, as `{"samples": 500}`:',
        _named((s.name, s.made, s.about) for s in SOURCES.values() if s.made),
        "Your own data: "
        + "; ".join(f"`{kind}` with {_code(keys)}" for kind, keys in custom_source.OWN.items())
        + ".",
        _words(own, custom_source.KEYS),
        "What `transform` may hold, as `{\"name\": ..., SETTING: ...}`:",
        _named((t.name, t.settings, t.summary) for t in TRANSFORMS.values()),
        "## training",
        _settings(TRAINING),
        "And besides:",
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
        "`\"scheduler\": {\"name\": ..., SETTING: ...}`; a setting that is null follows from the "
        "length of the run.",
        _named((x.name, x.settings, x.summary) for x in SCHEDULES.values()),
    ]  # fmt: skip
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
