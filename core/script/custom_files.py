"""The part of a training file that reads own data: a table, arrays or a text, as a run does."""

from collections.abc import Mapping
from typing import Any

from core.data.facts.info import DataInfo
from core.data.facts.row_fields import target_columns
from core.data.sources.source import FILE_FOLDERS
from core.data.sources.split_settings import proportionate
from core.data.sources.table_settings import FILLED, OTHER, fill_groups
from core.samples.number_spelling import BEHIND, BRACKETS, TYPESET
from core.script import custom_dataset, sound_files, text_files
from core.script.excerpt import excerpt
from core.source.layout import wrap_inside
from core.source.literal import literal, prose
from core.tasks.registry import draws_input, per_pixel

PATHS = {
    **dict.fromkeys(FILE_FOLDERS, "folder"),
    **dict.fromkeys(("CSV", "NPZ", "text", "TextCSV", "SeriesCSV"), "file"),
    "TextFolder": "folder",
}
"""What `load_data` calls the path it is given."""


TABLES = ("CSV", "SeriesCSV")


def argument(info: DataInfo) -> str:
    """The argument of `load_data`, "" where it needs none."""
    if info.package == "torchvision":
        return "folder"
    return PATHS.get(info.source, "") if info.package == "files" else ""


def default_path(info: DataInfo) -> str:
    """The default path of the data file."""
    return info.custom.path if info.custom else "data"


def imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines that reading the file needs."""
    if custom_dataset.has_custom_dataset(info):
        return custom_dataset.imports(info)
    dated = any(column["date"] for column in _columns(info))
    if info.origin.cut_by:
        return text_files.imports(info, dated)
    if info.origin.heard:
        return sound_files.imports(info)
    if info.source in TABLES:
        return ("import csv", "import datetime") if dated else ("import csv",)
    return {"NPZ": ("import numpy as np",)}.get(info.source, ())


def functions(info: DataInfo) -> list[str]:
    """The function that turns a row of a table into what the network reads, or own Python."""
    if custom_dataset.has_custom_dataset(info):
        return [custom_dataset.text(info)]
    if info.origin.heard:
        return sound_files.functions(info)
    if info.origin.cut_by:
        dated = any(column["date"] for column in _columns(info))
        own = [excerpt("core.samples.date_parts", "date_parts")] if dated else []
        return [*own, *text_files.functions(info)]
    if info.source not in TABLES:
        return []
    columns = info.layout["columns"]
    dated = any(column["date"] for column in _columns(info))
    own = [excerpt("core.samples.date_parts", "date_parts")] if dated else []
    own += [excerpt("core.data.batches.reading", "filled")] if fill_groups(columns) else []
    names = ("in_order", "carried", "windows") if info.origin.ahead else ()
    own += [excerpt("core.data.batches.windows", name) for name in names if name in _used(info)]
    inner = [f"        {line}" for c in columns for line in _feature(c)]
    return [
        *own,
        "\n".join(
            [
                "def features(row: list[str]) -> list[float]:",
                '    """Features of a row: its numbers, and one-hot categories."""',
                "    return [",
                *inner,
                "    ]",
            ]
        ),
    ]


def _columns(info: DataInfo) -> list[Mapping[str, Any]]:
    """The columns of a table that are read as dates or numbers: inputs, and the time of a split."""
    own = info.layout.get("split", {}).get("column") or info.layout.get("date")
    timed = info.parts.split.mode == "time"
    return [*info.layout.get("columns", ()), *([own] if own and timed else [])]


def _feature(column: Mapping[str, Any]) -> list[str]:
    cell = f"row[{column['place']}]"
    filled = column["missing"] and column["fill"] in FILLED
    if column["date"]:
        return _date(column, cell, filled)
    if not column["words"]:
        return _with_note(f"{_number(column)},", column["name"])
    words = literal(tuple(column["words"]))
    value = f"float({cell} == word)" + (f' if {cell} else float("nan")' if filled else "")
    text = f"*({value} for word in {words}),"
    if len(text) <= 80:
        return [text]
    inner = [f"        {literal(word)}," for word in column["words"]]
    return ["*(", f"    {value}", "    for word in (", *inner, "    )", "),"]


def _date(column: Mapping[str, Any], cell: str, filled: bool) -> list[str]:
    form, parts = literal(column["date"]), literal(list(column["parts"]))
    text = f"date_parts({cell}, {form}, {parts})"
    if not filled:
        return _with_note(f"*{text},", column["name"])
    many = len(column["parts"])
    return ["*(", f"    {text}", f"    if {cell}", f'    else [float("nan")] * {many}', "),"]


def _with_note(text: str, name: str) -> list[str]:
    whole = f"{text}  # {prose(name)[:36]}"
    return [whole if len(whole) <= 80 else text]


def _number(column: Mapping[str, Any]) -> str:
    symbol, minus = literal(column["symbol"]), column["minus"]
    text = _signed(f"row[{column['place']}]", minus)
    if column["symbol"]:
        plain = f".removeprefix({symbol}).removesuffix({symbol})"
        text += f'.replace({symbol}, "")' if minus else plain
    dashes = column.get("dashes", ())  # a run of an older release has none
    text += ".strip()" if dashes and column["symbol"] else ""
    text += "".join(f".removesuffix({literal(each)})" for each in dashes)
    if column["thousands"]:
        text += f'.replace({literal(column["thousands"])}, "")'
    if column["decimal"] != ".":
        text += f'.replace({literal(column["decimal"])}, ".")'
    return f"float({text})"


def _signed(cell: str, minus: str) -> str:
    """The expression of a cell whose negative numbers are written in a way of their own."""
    if minus == TYPESET:
        return f'{cell}.replace({literal(TYPESET)}, "-")'
    if minus == BRACKETS:
        return f'{cell}.replace("(", "-").replace(")", "")'
    return f'("-" * {cell}.endswith("-") + {cell}.removesuffix("-"))' if minus == BEHIND else cell


def read_lines(info: DataInfo) -> list[str]:
    """Lines that read the file into `inputs` and its answers."""
    if info.source == "CSV":
        return _read_table(info)
    if info.source == "TextCSV":
        return _read_text_table(info)
    if info.source == "SeriesCSV":
        return _read_series(info)
    if info.source == "TextFolder":
        return text_files.folder_lines(info)
    if info.origin.heard:
        return sound_files.read_lines(info)
    if custom_dataset.has_custom_dataset(info):
        return custom_dataset.read_lines(info)
    return _read_arrays(info) if info.source == "NPZ" else _read_text(info)


def _cell_lines(layout: Mapping[str, Any]) -> list[str]:
    """Lines that read the cells of a table into `rows`."""
    delimiter = '"\\t"' if layout["delimiter"] == "\t" else literal(layout["delimiter"])
    delimiter += ", skipinitialspace=True" if layout["delimiter"] == " " else ""
    return [
        f'with open(file, encoding={literal(layout["encoding"])}, newline="") as table:',
        *_rows(layout, f"csv.reader(table, delimiter={delimiter})"),
    ]


def _read_text_table(info: DataInfo) -> list[str]:
    """Lines that read texts and their classes from the columns of a table."""
    return [
        *_cell_lines(info.layout),
        *text_files.kept_lines(info),
        *_key_lines(info),
        *text_files.token_lines(info),
        *_label_lines(info),
    ]


def _label_lines(info: DataInfo) -> list[str]:
    """Lines that number the classes of rows, or mark the labels that each has."""
    names = wrap_inside("    ", f"names = [{', '.join(map(literal, info.classes))}]")
    if "labels" not in info.layout:
        target = f"row[{info.layout['target']['place']}]"
        return [*names, f"labels = torch.tensor([names.index({target}) for row in rows])"]
    how = info.layout["labels"]
    if how["separator"]:
        cell = f"row[{how['columns'][0]['place']}].split({literal(how['separator'])})"
        return [
            *names,
            f"cells = [[part.strip() for part in {cell}] for row in rows]",
            "labels = torch.tensor([[float(name in cell) for name in names] for cell in cells])",
        ]
    marks = zip(how["columns"], how["marks"], strict=True)
    each = [_marked(column, mark) for column, mark in marks]
    last = ["labels = labels.argmax(1)  # each row has one"] if how["single"] else []
    one = f"labels = torch.tensor([[{', '.join(each)}] for row in rows])"
    if len(one) <= 84:
        return [one, *last]
    inner = [f"            {text}," for text in each]
    rows = ["    [", "        [", *inner, "        ]", "        for row in rows", "    ]"]
    return ["labels = torch.tensor(", *rows, ")", *last]


def _marked(column: Mapping[str, Any], mark: str) -> str:
    """The expression that is 1 where a row has the label of a column."""
    yes = f"float(row[{column['place']}].lower() == {literal(mark)})" if column["words"] else ""
    return yes or _number(column)


def _used(info: DataInfo) -> tuple[str, ...]:
    """The functions of windows that a file calls: without dates nothing is ordered."""
    return ("in_order",) * bool(info.layout["date"]) + ("carried", "windows")


def _read_series(info: DataInfo) -> list[str]:
    """Lines that read windows into `inputs`, what follows into `targets`, and times of rows."""
    layout, date = info.layout, info.layout["date"]
    target, columns = layout["target"], list(layout["columns"])
    columns += [target] if target["place"] not in [c["place"] for c in columns] else []
    length, ahead = info.layout["split"]["window"]
    return [
        *_cell_lines(layout),
        *_missing_value_lines([*columns, *([date] if date else [])]),
        *(_dated_lines(date) if date else []),
        "values = carried(torch.tensor([features(row) for row in rows]))",
        *wrap_inside("    ", f"series = torch.tensor([{_number(target)} for row in rows])"),
        "series = series[-len(values) :]",
        f"times = {'times[-len(values) :]' if date else 'list(range(len(values)))'}",
        f"inputs, targets = windows(values, series, {length}, {ahead})",
    ]


def _dated_lines(date: Mapping[str, Any]) -> list[str]:
    """Lines that order the rows, of several with one date the last."""
    return [
        *_time_lines(date),
        "order = in_order(times)",
        "rows, times = [rows[row] for row in order], [times[row] for row in order]",
    ]


def _time_lines(column: Mapping[str, Any]) -> list[str]:
    """The line that reads the time of each row, in days or the column's own numbers."""
    if column["date"]:
        text = f'date_parts(row[{column["place"]}], {literal(column["date"])}, ["days"])[0]'
        return wrap_inside("    ", f"times = [{text} for row in rows]")
    return wrap_inside("    ", f"times = [{_number(column)} for row in rows]")


def _read_table(info: DataInfo) -> list[str]:
    layout = info.layout
    used = [*layout["columns"], *target_columns(layout), *_split_column(info)]
    lines = [
        *_cell_lines(layout),
        *_copy_lines(layout, used),
        *_missing_value_lines(used),
        *_key_lines(info),
        "inputs = torch.tensor([features(row) for row in rows])",
    ]
    if proportionate(info.origin) or (info.classes and not draws_input(info.task)):
        return [*lines, *_label_lines(info)]
    if draws_input(info.task):
        return lines
    number = _number(info.layout["target"])
    return [*lines, f"targets = torch.tensor([{number} for row in rows])"]


def _split_column(info: DataInfo) -> list[Mapping[str, Any]]:
    """The column of the split, if neither an input nor the target drops its missing values."""
    own = info.layout.get("split", {}).get("column")
    places = [column["place"] for column in info.layout["columns"]]
    return [own] if own and own["place"] not in places else []


def _key_lines(info: DataInfo) -> list[str]:
    """Lines that read what decides the part of each row of a table: group, time or value."""
    own = info.layout.get("split", {}).get("column")
    if not own:
        return []
    cell, mode = f"row[{own['place']}]", info.parts.split.mode
    if mode != "time":
        name = "groups" if mode == "group" else "named"
        return _with_note(f"{name} = [{cell} for row in rows]", own["name"])
    return _time_lines(own)


def _rows(layout: Mapping[str, Any], reader: str) -> list[str]:
    """Lines that read the rows of values, without what stands above and below them."""
    first, header = layout["first"], layout["names_row"]
    if header in (0, 1) and first == header + 1 and not layout["footer"]:
        rest = "[1:]" if header else ""
        return [
            f"    rows = [row for row in {reader} if any(row)]",
            f"rows = [[cell.strip() for cell in row] for row in rows{rest}]",
        ]
    part = f"[{first - 1 or ''}:{layout['last'] if layout['footer'] else ''}]"
    return [
        f"    rows = list({reader}){part}",
        "rows = [[cell.strip() for cell in row] for row in rows if any(row)]",
    ]


def _copy_lines(layout: Mapping[str, Any], columns: list[Mapping[str, Any]]) -> list[str]:
    """Lines that leave out rows which repeat an earlier one in the columns in use."""
    if not layout["copies"]:
        return []
    places = sorted({column["place"] for column in columns})
    cells = "row" if len(places) == len(layout["all"]) else f"row[i] for i in {places}"
    return [
        "firsts: dict[tuple[str, ...], list[str]] = {}",
        "for row in rows:",
        f"    firsts.setdefault(tuple({cells}), row)",
        "rows = list(firsts.values())  # without rows that repeat an earlier one",
    ]


def _missing_value_lines(columns: list[Mapping[str, Any]]) -> list[str]:
    """Lines that leave out rows with missing values, and mark those that are filled."""
    lines: list[str] = []
    marked: list[str] = []
    for column in columns:
        words = [f"            {literal(word)}," for word in column["missing"]]
        if column["missing"] and column["fill"] == "drop":
            gone = literal(list(column["missing"]))
            text = f"rows = [row for row in rows if row[{column['place']}] not in {gone}]"
            inner = [
                "rows = [",
                "    row",
                "    for row in rows",
                f"    if row[{column['place']}] not in {gone}",
                "]",
            ]
            lines += [text] if len(text) <= 84 else inner
        elif column["missing"]:
            mark = OTHER if column["fill"] == OTHER else "" if _kept(column) else "nan"
            text = f"    {column['place']}: ({literal(mark)}, {literal(list(column['missing']))}),"
            long = [
                f"    {column['place']}: (",
                f"        {literal(mark)},",
                "        [",
                *words,
                "        ],",
                "    ),",
            ]
            marked += [text] if len(text) <= 84 else long
    if not marked:
        return lines
    return [
        *lines,
        "missing = {  # by column: the mark of a missing value, and its words",
        *marked,
        "}",
        "for row in rows:",
        "    for column, (mark, words) in missing.items():",
        "        row[column] = mark if row[column] in words else row[column]",
    ]


def _kept(column: Mapping[str, Any]) -> bool:
    """Whether a missing value leaves an empty cell, rather than the number nan."""
    return bool(column["words"] or column["date"])


def fill_lines(info: DataInfo) -> list[str]:
    """Lines that fill missing values by what the training samples have."""
    groups = fill_groups(info.layout["columns"]) if info.source == "CSV" else []
    if not groups:
        return []
    rows = ", ".join(f"({start}, {size}, {literal(rule)})" for start, size, rule in groups)
    one = f"inputs = filled(inputs, train, [{rows}])"
    if len(one) <= 84:
        return [one]
    many = [f"    ({start}, {size}, {literal(rule)})," for start, size, rule in groups]
    return [
        "groups = [  # first value, number of values, rule",
        *many,
        "]",
        "inputs = filled(inputs, train, groups)",
    ]


def _read_arrays(info: DataInfo) -> list[str]:
    samples, answers = (literal(name) for name in info.layout["names"])
    unit = info.layout["unit"]
    scaled = f" / {literal(int(unit))}  # from 0 to 1" if unit != 1 else ""
    lines = [
        "arrays = np.load(file, allow_pickle=False)",
        *_array_keys(info),
        f'inputs = torch.from_numpy(arrays[{samples}].astype("float32")){scaled}',
    ]
    lines += ["inputs = inputs.permute(0, 3, 1, 2).contiguous()"] if info.layout["swapped"] else []
    lines += ["inputs = inputs.unsqueeze(1)"] if info.layout["added"] else []
    if info.classes:
        return [
            *lines,
            f"_, labels = np.unique(arrays[{answers}], return_inverse=True)",
            "labels = torch.from_numpy(labels)",
        ]
    if draws_input(info.task) or per_pixel(info.task):
        return lines
    return [*lines, f'targets = torch.from_numpy(arrays[{answers}].astype("float32"))']


def _array_keys(info: DataInfo) -> list[str]:
    """The line that reads what decides the part of each sample of an NPZ file."""
    if not info.parts.split.by:
        return []
    values = f"arrays[{literal(info.parts.split.by)}].tolist()"
    if info.parts.split.mode == "time":
        return [f"times = [float(value) for value in {values}]"]
    name = "groups" if info.parts.split.mode == "group" else "named"
    return [f"{name} = [str(value) for value in {values}]"]


def _read_text(info: DataInfo) -> list[str]:
    length = info.input_shape[0]
    return [
        f"with open(file, encoding={literal(info.layout.get('encoding', 'utf-8-sig'))}) as source:",
        "    text = source.read()",
        "alphabet = {character: i for i, character in enumerate(sorted(set(text)))}",
        "tokens = torch.tensor([alphabet[character] for character in text])",
        f"inputs = tokens.unfold(0, {length + 1}, {length})",
    ]
