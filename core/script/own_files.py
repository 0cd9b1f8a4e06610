"""The part of a training file that reads own data: a table, arrays or a text, as a run does."""

from collections.abc import Mapping
from typing import Any

from core.data.info import DataInfo
from core.script import own_dataset
from core.source.layout import wrap
from core.source.literal import literal, prose

PATHS = {"ImageFolder": "folder", "CSV": "file", "NPZ": "file", "text": "file"}
"""What `load_data` calls the path it is given."""


def argument(info: DataInfo) -> str:
    """The argument of `load_data`, "" where it needs none."""
    if info.package == "torchvision":
        return "folder"
    return PATHS.get(info.source, "") if info.package == "files" else ""


def place(info: DataInfo) -> str:
    """Where the data lies, as the file's default says."""
    return info.custom.path if info.custom else "data"


def imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines that reading the file needs."""
    if own_dataset.brings(info):
        return own_dataset.imports(info)
    return {"CSV": ("import csv",), "NPZ": ("import numpy as np",)}.get(info.source, ())


def functions(info: DataInfo) -> list[str]:
    """The function that turns a row of a table into what the network reads, or own Python."""
    if own_dataset.brings(info):
        return [own_dataset.text(info)]
    if info.source != "CSV":
        return []
    inner = [f"        {line}" for c in info.layout["columns"] for line in _feature(c)]
    return ["\n".join([
        "def features(row: list[str]) -> list[float]:",
        '    """What the network reads of a row: numbers, and a 1 at each category."""',
        "    return [",
        *inner,
        "    ]",
    ])]  # fmt: skip


def _feature(column: Mapping[str, Any]) -> list[str]:
    cell = f"row[{column['place']}]"
    if not column["words"]:
        return [f"{_number(column)},  # {prose(column['name'])[:36]}"]
    words = literal(tuple(column["words"]))
    text = f"*(float({cell} == word) for word in {words}),"
    if len(text) <= 80:
        return [text]
    inner = [f"        {literal(word)}," for word in column["words"]]
    return ["*(", f"    float({cell} == word)", "    for word in (", *inner, "    )", "),"]


def _number(column: Mapping[str, Any]) -> str:
    cell = f"row[{column['place']}]"
    return f'float({cell}.replace(",", "."))' if column["comma"] else f"float({cell})"


def read_lines(info: DataInfo) -> list[str]:
    """Lines that read the file into `inputs` and its answers."""
    if info.source == "CSV":
        return _read_table(info)
    if own_dataset.brings(info):
        return own_dataset.read_lines(info)
    return _read_arrays(info) if info.source == "NPZ" else _read_text(info)


def _read_table(info: DataInfo) -> list[str]:
    delimiter, header = literal(info.layout["delimiter"]), "[1:]" if info.layout["header"] else ""
    delimiter = '"\\t"' if info.layout["delimiter"] == "\t" else delimiter
    target = f"row[{info.layout['target']['place']}]"
    lines = [
        'with open(file, encoding="utf-8-sig", newline="") as table:',
        f"    rows = [row for row in csv.reader(table, delimiter={delimiter}) if any(row)]",
        f"rows = [[cell.strip() for cell in row] for row in rows{header}]",
        "inputs = torch.tensor([features(row) for row in rows])",
    ]
    if info.classes:
        names = f"names = [{', '.join(map(literal, info.classes))}]"
        lines += [line.removeprefix("    ") for line in wrap("    ", names)]
        return [*lines, f"labels = torch.tensor([names.index({target}) for row in rows])"]
    if info.task == "image":
        return lines
    number = _number(info.layout["target"])
    return [*lines, f"targets = torch.tensor([{number} for row in rows])"]


def _read_arrays(info: DataInfo) -> list[str]:
    samples, answers = (literal(name) for name in info.layout["names"])
    unit = info.layout["unit"]
    scaled = f" / {literal(int(unit))}  # from 0 to 1" if unit != 1 else ""
    lines = ["arrays = np.load(file, allow_pickle=False)",
             f'inputs = torch.from_numpy(arrays[{samples}].astype("float32")){scaled}']  # fmt: skip
    lines += ["inputs = inputs.permute(0, 3, 1, 2).contiguous()"] if info.layout["swapped"] else []
    lines += ["inputs = inputs.unsqueeze(1)"] if info.layout["added"] else []
    if info.classes:
        return [*lines,
                f"_, labels = np.unique(arrays[{answers}], return_inverse=True)",
                "labels = torch.from_numpy(labels)"]  # fmt: skip
    if info.task == "image" or info.task == "segmentation":
        return lines
    return [*lines, f'targets = torch.from_numpy(arrays[{answers}].astype("float32"))']


def _read_text(info: DataInfo) -> list[str]:
    length = info.input_shape[0]
    return [
        'with open(file, encoding="utf-8-sig") as source:',
        "    text = source.read()",
        "alphabet = {character: i for i, character in enumerate(sorted(set(text)))}",
        "tokens = torch.tensor([alphabet[character] for character in text])",
        f"inputs = tokens.unfold(0, {length + 1}, {length})",
    ]
