"""The lines of a training file that split samples into training, validation and test parts."""

from core.data.facts.info import DataInfo
from core.script import picture_sets, row_parts
from core.script.excerpt import excerpt
from core.source.literal import literal
from core.tasks.registry import made_per_sample


def reads_makers_part(info: DataInfo) -> bool:
    """Whether the test part of the data set's makers is used, to test with or to validate."""
    if info.split:
        return False
    return info.parts.makers or (info.validation is None and not info.parts.folds)


def functions(info: DataInfo) -> str:
    """The functions that part samples."""
    if info.split:
        return "\n\n\n".join(row_parts.functions(info))
    share = info.parts.test or info.validation or limited(info)
    names = [*(["split"] if share else []), *(["fold_of"] if info.parts.folds else [])]
    return "\n\n\n".join(excerpt("core.data.batches.split", name) for name in names)


def limited(info: DataInfo) -> bool:
    """Whether fewer samples are learned from than there are."""
    samples = info.origin.samples
    if info.origin.windows:
        samples = (samples - 1) // info.input_shape[0]
    apart = 0 if info.parts.makers else info.test_size
    apart += 0 if info.validation is None and not info.parts.folds else info.validation_size
    return info.limit is not None and info.limit < samples - apart // made_per_sample(info.target)


def lines(info: DataInfo) -> list[str]:
    """Lines that choose the rows to learn from, to validate with and, `apart`, to test with."""
    if info.split:
        return row_parts.lines(info)
    by, first = _by(info)
    seed = row_parts.seed_text(info)
    validating, testing = rows_of_makers(info)
    if info.parts.makers:
        first.append(f"apart = {testing}")
    test = f"round(len({by}) * {literal(info.parts.test)})"
    rest = ["train", "rows"][bool(info.parts.folds or info.validation)]
    if info.parts.test:
        first.append(f"{rest}, apart = split({by}, {test}, {seed})")
    elif rest == "train":
        first.append(f"train = torch.arange(len({by}))")
    left = f"{by}[rows]" if info.parts.test else by
    if info.parts.folds:
        numbers = f"{info.parts.folds}, {info.parts.fold}"
        first.append(f"train, validation = fold_of({left}, {numbers}, {seed})")
    elif info.validation:
        count = f"round(len({by}) * {literal(info.validation)})"
        first.append(f"train, validation = split({left}, {count}, {seed})")
    else:
        first.append(f"validation = {validating}")
    if info.parts.test and rest == "rows":
        first.append("train, validation = rows[train], rows[validation]")
    if limited(info):
        few = f"split({by}[train], {literal(info.limit)}, {seed})[1]"
        first.append(f"train = train[{few}]")
    return first


def rows_of_makers(info: DataInfo) -> tuple[str, str]:
    """Rows of the makers' part that validates, and of the one that tests."""
    every = "torch.arange(len(data.data), len(inputs))"
    return picture_sets.rows(info) if info.origin.by_file else (every, every)


def _alone(info: DataInfo) -> bool:
    """Whether one part of a set of picture files is read."""
    return info.origin.by_file and len(picture_sets.part_names(info)) == 1


def _by(info: DataInfo) -> tuple[str, list[str]]:
    """What is kept in proportion, and the lines that make it."""
    by = "labels" if info.classes else "targets"
    known = "data" if info.origin.by_file else "data.data"
    cut = f"[: len({known})]" if reads_makers_part(info) and info.origin.test else ""
    if info.in_proportion:
        return (by, []) if not cut else ("known", [f"known = {by}{cut}"])
    count = known if info.origin.test and not _alone(info) else by
    count = "inputs" if count == "targets" else count
    return "even", [f"even = torch.zeros(len({count}))  # equal labels: the split is random"]
