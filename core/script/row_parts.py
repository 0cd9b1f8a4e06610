"""Lines of a training file that part samples by group, in time or by a column, as a run does."""

from collections.abc import Sequence

from core.data.facts.info import DataInfo
from core.data.facts.row_split import RowSplit
from core.data.sources.source import FILE_FOLDERS
from core.data.sources.split_by import BY_FOLDER
from core.script.excerpt import excerpt
from core.source.layout import wrap_inside
from core.source.literal import literal

GROUPS = ("members_of", "counted", "weights_of", "gain", "sided")
COUNTER = "from collections import Counter"
RANDOM = "from random import Random"


def seed_text(info: DataInfo) -> str:
    """The seed of the split as a file writes it: the constant, or a number of its own."""
    seed = info.parts.split.seed
    return "SEED" if seed is None else literal(seed)


def imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines that parting needs."""
    split = info.split
    lines = [COUNTER, RANDOM] if split and _draws(split) else []
    paths = split and by_folder(info) and info.origin.decoded and not info.origin.masked
    return (*lines, *(["import os"] if paths else []))


def functions(info: DataInfo) -> list[str]:
    """The functions that part the samples."""
    assert info.split is not None
    parts, mode, gap = info.parts, info.parts.split.mode, info.parts.split.gap
    names: list[str] = []
    if _draws(info.split):
        splits = bool(parts.test or not parts.folds)
        names += [*GROUPS, *["split_groups"] * splits]
        names += ["fold_groups"] * bool(parts.folds and mode == "group")
    elif mode == "time":
        splits = bool(parts.test or not parts.folds)
        names += ["cuts_of", *["split_times"] * splits, *["fold_times"] * bool(parts.folds)]
        names += ["before_gap"] * bool(gap)
        names += ["windows_in"] * bool(info.split.window)
    found = [excerpt("core.data.facts.row_parts", name) for name in names]
    found += [excerpt("core.data.batches.split", "split")] if limited(info) else []
    if info.source in FILE_FOLDERS:
        name = "subfolder_of" if by_folder(info) else "series_of"
        found.append(excerpt("core.data.pictures.series", name))
    return found


def limited(info: DataInfo) -> bool:
    """Whether fewer samples are learned from than there are."""
    return info.limit is not None and info.limit < info.learnable


def picture_lines(info: DataInfo) -> list[str]:
    """Lines that say to which series or sub-folder each picture of a folder belongs."""
    if not info.split:
        return []
    if info.origin.masked:
        until = literal(info.parts.split.until)
        call = "subfolder_of(name)" if by_folder(info) else f"series_of(name, {until})"
        return [f"groups = [{call} for name, _ in pairs]"]
    call = f"series_of(path, {literal(info.parts.split.until)})"
    if by_folder(info):
        call = "subfolder_of(os.path.relpath(path, folder))"
    return wrap_inside("    ", f"groups = [{call} for path, _ in pictures.samples]")


def lines(info: DataInfo) -> list[str]:
    """Lines that choose the rows to learn from, to validate with and, `apart`, to test with.

    `groups`, `times` or `named` are there where the file says them.
    """
    assert info.split is not None
    by = {"group": _by_group, "time": _in_time, "column": _by_column}
    found = by[info.parts.split.mode](info, info.split)
    names = ["train", "validation", *["apart"] * info.parts.tests]
    found += [f"{name} = torch.tensor({name})" for name in names]
    if limited(info):
        kept = "labels" if info.split.proportional else "torch.zeros(len(inputs))"
        kept = "torch.zeros(len(labels))" if info.origin.decoded and kept != "labels" else kept
        call = f"split({kept}[train], {literal(info.limit)}, {seed_text(info)})[1]"
        found.append(f"train = train[{call}]")
    return found


def _by_group(info: DataInfo, split: RowSplit) -> list[str]:
    parts, seed = info.parts, seed_text(info)
    found, rows = [f"classes = {_classes(split, 'groups')}"], "list(range(len(groups)))"
    if parts.test:
        count = f"round(len(groups) * {literal(parts.test)})"
        found += _call("rows, apart", "split_groups", "groups", "classes", rows, count, seed)
        rows = "rows"
    if parts.folds:
        given = (rows, literal(parts.folds), literal(parts.fold), seed)
        return [*found, *_call(BOTH, "fold_groups", "groups", "classes", *given)]
    count = f"round(len(groups) * {literal(split.validation)})"
    return [*found, *_call(BOTH, "split_groups", "groups", "classes", rows, count, seed)]


BOTH = "train, validation"


def _in_time(info: DataInfo, split: RowSplit) -> list[str]:
    parts, gap = info.parts, info.parts.split.gap
    left = (literal(gap.rows), literal(gap.days))
    known = parts.split.by or split.window
    found = [] if known else ["times = list(range(len(inputs)))  # in their order"]
    rows = "list(range(len(times)))"
    if parts.test:
        count = f"round(len(times) * {literal(parts.test)})"
        found += _call("rows, apart", "split_times", "times", rows, count)
        found += _call("rows", "before_gap", "times", "rows", "apart", *left) if gap else []
        rows = "rows"
    if parts.folds:
        given = (rows, literal(parts.folds), literal(parts.fold))
        found += _call(BOTH, "fold_times", "times", *given)
    else:
        count = f"round(len(times) * {literal(split.validation)})"
        found += _call(BOTH, "split_times", "times", rows, count)
    if gap:
        found += _call("train", "before_gap", "times", "train", "validation", *left)
    return [*found, *(_window_lines(info, split) if split.window else [])]


def _window_lines(info: DataInfo, split: RowSplit) -> list[str]:
    """Lines that choose, by their first rows, the windows whose targets lie in each part."""
    given = ("known", *map(literal, split.window))
    names = ("train", "validation", *["apart"] * info.parts.tests)
    calls = [line for name in names for line in _call(name, "windows_in", name, *given)]
    return ["known = (~targets.isnan().any(1)).tolist()", *calls]


def _by_column(info: DataInfo, split: RowSplit) -> list[str]:
    parts, seed, found = info.parts, seed_text(info), list[str]()
    words: dict[str, list[str]] = {}
    for word, part in split.words:
        words.setdefault(part, []).append(word)
    test = words.pop("test", [])
    validates = words.pop("validation", words.pop(str(parts.fold), []) if parts.folds else [])
    learned = [word for word, _ in split.words if word not in {*test, *validates}]
    for name, own in (("train", learned), ("validation", validates), ("apart", test)):
        found += _named(name, own) if own else []
    every = "list(range(len(named)))"
    if _draws(split):
        found.append(f"classes = {_classes(split, 'named')}")
    for name, share, drawn in (
        ("apart", parts.test, parts.test and not test),
        ("validation", split.validation, not validates and not parts.folds),
    ):
        if drawn:
            count = f"round(len(train) * {literal(share)})"
            given = (every, "classes", "train", count, seed)
            found += _call(f"train, {name}", "split_groups", *given)
    return found


def _named(name: str, words: Sequence[str]) -> list[str]:
    """The rows whose value of the column is one of these."""
    one = f"{name} = [row for row, part in enumerate(named) if part in {literal(tuple(words))}]"
    if len(one) <= 84:
        return [one]
    inner = [f"    {literal(word)}," for word in words]
    own = f"{name} = [row for row, part in enumerate(named) if part in {name}_values]"
    return [f"{name}_values = {{", *inner, "}", *wrap_inside("    ", own)]


def _call(names: str, function: str, *given: str) -> list[str]:
    """A call whose results have these names, on as many lines as it needs."""
    one = f"{names} = {function}({', '.join(given)})"
    if len(one) <= 84:
        return [one]
    inner = f"    {', '.join(given)}"
    if len(inner) <= 84:
        return [f"{names} = {function}(", inner, ")"]
    return [f"{names} = {function}(", *(f"    {each}," for each in given), ")"]


def _classes(split: RowSplit, rows: str) -> str:
    return "labels.tolist()" if split.proportional else f"[0] * len({rows})"


def _draws(split: RowSplit) -> bool:
    """Whether samples or groups are drawn."""
    mode, parts = split.parts.split.mode, split.parts
    if mode != "column":
        return mode == "group"
    named = {part for _, part in split.words}
    draws = not parts.folds and "validation" not in named
    return draws or bool(parts.test and "test" not in named)


def by_folder(info: DataInfo) -> bool:
    """Whether the sub-folder of a file decides its part."""
    return info.source in FILE_FOLDERS and info.parts.split.by == BY_FOLDER
