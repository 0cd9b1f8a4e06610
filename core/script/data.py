"""The part of a training file that reads the data: the same numbers that a run trains on."""

import re

from core.data.builtin.generated import MADE_BY, OF_DIGITS, RIDE_DAYS, blob_centers
from core.data.builtin.vision_sets import VISION
from core.data.facts.info import DataInfo
from core.data.sources.split_settings import proportionate
from core.script import custom_files, parts, row_parts, text_files
from core.script.excerpt import excerpt
from core.script.model import F
from core.source.layout import wrap, wrap_inside
from core.source.literal import literal
from core.tasks.registry import KINDS, TASKS, draws_input, per_pixel

NEEDS = {
    "python_docs": "import pydoc_data.topics",
    "letter_names": "import unicodedata",
    "dates": "import datetime",
}


def imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines that reading the data needs."""
    more = ("import math",) if any(KINDS[term.kind].per_position for term in info.terms) else ()
    more += row_parts.imports(info)
    if info.made and info.package == "scikit-learn":
        return (f"from sklearn.datasets import make_{info.source}", *more)
    if info.package == "Python":
        return (NEEDS[info.source], *more) if info.source in NEEDS else more
    if info.package == "files":
        lines = custom_files.imports(info)
    elif info.package == "torchvision":
        lines = ("from torchvision import datasets",)
    else:
        source = "digits" if info.source in OF_DIGITS else info.source
        lines = (f"from sklearn.datasets import load_{source}",)
    return (*lines, F, *more) if info.resize else (*lines, *more)


def functions(info: DataInfo) -> list[str]:
    """Functions that `load_data` calls."""
    if info.made and info.package == "Python":
        return [excerpt("core.data.batches.reading", info.source.lower())]
    return custom_files.functions(info) if info.package == "files" else []


def split_function(info: DataInfo) -> str:
    """The function that parts samples by class; empty where nothing is parted so."""
    if not info.parts.usual:
        return parts.functions(info)
    used = proportionate(info.origin) and (info.validation or _limited(info))
    return excerpt("core.data.batches.split", "split") if used else ""


def load_function(info: DataInfo) -> str:
    """The function `load_data`: inputs and targets of both parts, fitted and normalised."""
    unit = info.standardised_target
    name = custom_files.argument(info)
    head = f"{name}: str" if name else ""
    tensors = ", ".join(["Tensor"] * (6 if info.parts.tests else 4))
    result = tensors + (", float" if unit else "")
    body = [
        f'"""{_docstring(info)}"""',
        *read_lines(info),
        *resize_lines(info),
        *_mask(info),
        *parts_lines(info),
        *normalise_lines(info),
        *_reshaped(info),
        *_targets(info),
        *_give(info),
    ]
    first = wrap("", f"def load_data({head}) -> tuple[{result}]:")
    return "\n".join([*first, *(f"    {line}" for line in body)])


def _docstring(info: DataInfo) -> str:
    text = "Training inputs and targets, then validation inputs and targets"
    if info.parts.tests:
        text = "Training, validation and test inputs and targets"
    return f"{text}, and the unit." if info.standardised_target else f"{text}."


def _limited(info: DataInfo) -> bool:
    """Whether fewer samples are learned from than there are."""
    samples = info.origin.samples
    if info.origin.windows:
        samples = (samples - 1) // info.input_shape[0]
    learned = samples - round(samples * (info.validation or 0))
    return info.limit is not None and info.limit < learned


def read_lines(info: DataInfo) -> list[str]:
    """Lines that read the data set into `inputs` and its answers."""
    if info.made:
        return _read_points(info)
    if info.package == "Python" or info.source in OF_DIGITS:
        return _read_generated(info)
    if info.package == "files":
        return custom_files.read_lines(info)
    if info.package == "torchvision":
        return _read_vision(info)
    lines = [f"data = load_{info.source}({'' if info.classes else 'scaled=False'})"]
    if info.source == "digits":
        pixels = "torch.tensor(data.images, dtype=torch.float32)"
        lines += [f"images = {pixels} / 16  # from 0 to 1", "inputs = images.unsqueeze(1)"]
    else:
        lines.append("inputs = torch.tensor(data.data, dtype=torch.float32)")
    if info.classes:
        return [*lines, "labels = torch.tensor(data.target, dtype=torch.int64)"]
    if draws_input(info.task):
        return lines
    return [*lines, "targets = torch.tensor(data.target, dtype=torch.float32)"]


def _read_generated(info: DataInfo) -> list[str]:
    """Lines that call the functions of `core/data/batches/reading.py`, which stand in the file."""
    source, length = info.origin, info.input_shape[0]
    if info.source == "python_docs":
        return [
            'alphabet = "\\n" + "".join(map(chr, range(32, 127)))',
            f"text = python_docs({literal(source.samples)}, alphabet)",
            f"inputs = text.unfold(0, {length + 1}, {length})",
        ]
    if info.source == "letter_names":
        return [
            f"alphabet = {_quoted(source.alphabet)}",
            f"scripts = [{', '.join(map(_quoted, source.classes))}]",
            f"inputs, labels = letter_names(scripts, {length}, alphabet)",
        ]
    if info.source == "dates":
        return [
            f"alphabet = {_quoted(source.alphabet)}",
            f"inputs = dates({literal(source.samples)}, alphabet)",
        ]
    if info.source == "waves":
        whole = source.shape[0] + 1
        cut = "" if whole == length + 1 else f"[:, :{length + 1}]"
        return [f"inputs = waves({literal(source.samples)}, {whole}){cut}"]
    if source.ahead:
        return [
            f"rows = {info.source}({RIDE_DAYS})",
            f"inputs, targets = windows(rows, rows[:, -1], {source.shape[0]}, {source.ahead})",
            "times = list(range(len(rows)))",
        ]
    return [
        "data = load_digits()",
        "images = torch.tensor(data.images, dtype=torch.float32).unsqueeze(1)",
        f"inputs, labels = {OF_DIGITS[info.source]}(images, torch.tensor(data.target))",
        "inputs = inputs / 16  # from 0 to 1",
    ]


def _read_points(info: DataInfo) -> list[str]:
    """Lines that make points by a function of scikit-learn, or by one that stands in the file."""
    made = {name: literal(value) for name, value in info.made.items()}
    if info.package == "Python":
        given = ", ".join(made[name] for name in MADE_BY if name in made)
        return [f"inputs, labels = {info.source.lower()}({given})"]
    more = {"moons": f"noise={made['noise']}", "circles": f"noise={made['noise']}, factor=0.5"}
    lines, kind = [], more.get(info.source, f"centers=centers, cluster_std={made['noise']}")
    if info.source == "blobs":
        lines = [f"centers = {blob_centers(info.made['classes'])}"]
    call = f"make_{info.source}({made['samples']}, {kind}, random_state={made['seed']})"
    return [
        *lines,
        f"points, classes = {call}",
        "inputs = torch.tensor(points, dtype=torch.float32)",
        "labels = torch.tensor(classes, dtype=torch.int64)",
    ]


def _quoted(text: str) -> str:
    return '"' + text.replace("\0", "\\0") + '"'


def _read_vision(info: DataInfo) -> list[str]:
    """Both parts of the data set one after the other, or only the first where it is parted."""
    how = VISION[info.source]
    learned, tested = (", ".join(f"{k}={literal(v)}" for k, v in p.items()) for p in how.parts)
    lines = [f"data = datasets.{info.source}(folder, {learned}, download=True)"]
    pixels, labels = how.pixels, how.labels
    if parts.reads_makers_part(info):
        lines.append(f"test = datasets.{info.source}(folder, {tested}, download=True)")
        both = f"{pixels}, {pixels.replace('data.data', 'test.data')}"
        pixels = f"torch.cat([{both}])"
        labels = f"torch.cat([{labels}, {labels.replace('data', 'test')}])"
    lines += [f"pixels = {pixels}", f"inputs = pixels{how.order} / 255  # from 0 to 1"]
    used = TASKS[info.task].one_class or info.validation or _limited(info)
    used = used or not info.parts.usual
    if not used:
        return lines
    return [*lines, *wrap_inside("    ", f"labels = {labels}")]


def resize_lines(info: DataInfo) -> list[str]:
    """Lines that bring images to the size of the Input, if they have another."""
    if info.resize is None:
        return []
    size = literal(info.resize)
    return [f'inputs = F.interpolate(inputs, {size}, mode="bilinear", antialias=True)']


def _mask(info: DataInfo) -> list[str]:
    if not per_pixel(info.task):
        return []
    kind = "long" if info.labels else "float"
    shape = literal((-1, *(info.target_shape or ())))
    return [f"targets = (inputs > 0.5).{kind}().reshape{shape}  # the bright pixels"]


def parts_lines(info: DataInfo) -> list[str]:
    """Lines that choose the rows to learn from and those to validate with."""
    if not info.parts.usual:
        return parts.lines(info)
    if not proportionate(info.origin):
        return parts_of_values(info)
    if info.validation:
        count = f"round(len(labels) * {literal(info.validation)})"
        lines = [f"train, validation = split(labels, {count}, SEED)"]
    else:
        known, every = ("data", "labels") if info.origin.by_file else ("data.data", "inputs")
        lines = [
            f"train = torch.arange(len({known}))",
            f"validation = torch.arange(len(train), len({every}))",
        ]
    if _limited(info):
        lines.append(f"train = train[split(labels[train], {literal(info.limit)}, SEED)[1]]")
    return lines


def parts_of_values(info: DataInfo) -> list[str]:
    """The same where there are no classes to keep in proportion."""
    if not info.parts.usual:
        return parts.lines(info)
    rest = f"count : count + {literal(info.limit)}" if _limited(info) else "count:"
    return [
        "generator = torch.Generator().manual_seed(SEED)",
        "order = torch.randperm(len(inputs), generator=generator)",
        f"count = round(len(inputs) * {literal(info.validation)})",
        f"validation, train = order[:count], order[{rest}]",
    ]


def normalise_lines(info: DataInfo) -> list[str]:
    """Lines that fill missing values, number tokens, and normalise, by the training part."""
    lines = [*custom_files.fill_lines(info), *text_files.number_lines(info)]
    if info.normalize:
        every = {"image": "(0, 2, 3)", "wave": "(0, 2)"}.get(info.kind, "")
        dims = f"{every}, correction=0, keepdim=True" if every else "0, correction=0"
        if info.origin.ahead:
            dims = "(0, 1), correction=0, keepdim=True"
        lines += [
            f"std, mean = torch.std_mean(inputs[train], {dims})",
            "std[std == 0] = 1.0  # a value that never changes",
            "inputs = (inputs - mean) / std",
        ]
    return lines


def _reshaped(info: DataInfo) -> list[str]:
    seen = (info.sample_shape[0], *info.resize) if info.resize else info.sample_shape
    if seen == info.input_shape:
        return []
    return [f"inputs = inputs.reshape{literal((-1, *info.input_shape))}"]


def _targets(info: DataInfo) -> list[str]:
    shape = literal((-1, *(info.target_shape or ())))
    if per_pixel(info.task):
        return []
    if draws_input(info.task):
        same = info.target_shape == info.input_shape
        return [f"targets = inputs{'' if same else f'.reshape{shape}'}"]
    if info.labels:
        return []
    if info.classes:
        return [f"targets = labels.float().reshape{shape}"]
    lines = [f"targets = targets.reshape{shape}"] if info.target_shape else []
    if not info.standardised_target:
        return lines
    return [
        *lines,
        "unit, middle = torch.std_mean(targets[train], correction=0)",
        "targets = (targets - middle) / unit",
    ]


def _give(info: DataInfo) -> list[str]:
    targets = "labels" if TASKS[info.task].one_class and info.labels else "targets"
    learned, seen = f"inputs[train], {targets}[train]", "inputs[validation]"
    lines: list[str] = []
    if info.noise:
        noise = f"{literal(info.noise)} * torch.randn(seen.shape, generator=generator)"
        lines = [
            "generator = torch.Generator().manual_seed(SEED)",
            "seen = inputs[validation]",
            f"seen = seen + {noise}",
        ]
        seen = "seen"
    if info.parts.tests:
        return [*lines, f"learned = {learned}", *_give_test(info, lines, targets)]
    if not info.standardised_target:
        return [*lines, f"return {learned}, {seen}, {targets}[validation]"]
    return [
        *lines,
        f"learned = {learned}",
        f"return *learned, {seen}, {targets}[validation], unit.item()",
    ]


def _give_test(info: DataInfo, noise: list[str], targets: str) -> list[str]:
    """The same with a part to test with. noise: the lines that add some to the part before."""
    again = [re.sub(r"\bseen\b", "tested", line.replace("validation", "apart")) for line in noise]
    seen, tested = ("seen", "tested") if noise else ("inputs[validation]", "inputs[apart]")
    unit = ", unit.item()" if info.standardised_target else ""
    return [
        *again,
        f"validated = {seen}, {targets}[validation]",
        f"tested = {tested}, {targets}[apart]",
        f"return *learned, *validated, *tested{unit}",
    ]
