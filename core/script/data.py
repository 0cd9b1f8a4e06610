"""The part of a training file that reads the data: the same numbers that a run trains on."""

from core.data.info import DataInfo
from core.script import own_files
from core.script.model import F
from core.source.literal import literal

SPLIT = '''\
def split(labels: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Part the samples in two, `count` in the second, every class in proportion."""
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(SEED))
    rank = torch.arange(len(labels)) * count
    chosen = torch.empty(len(labels), dtype=torch.bool)
    by_class = labels[order].argsort(stable=True)
    chosen[by_class] = (rank + count) // len(labels) > rank // len(labels)
    return order[~chosen], order[chosen]'''


def data_imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines that reading the data needs."""
    if info.package == "files":
        lines = own_files.imports(info)
    elif info.package == "torchvision":
        lines = ("from torchvision import datasets",)
    else:
        lines = (f"from sklearn.datasets import load_{info.source}",)
    return (*lines, F) if info.resize else lines


def functions(info: DataInfo) -> list[str]:
    """Functions that `load_data` calls."""
    return own_files.functions(info) if info.package == "files" else []


def split_function(info: DataInfo) -> str:
    """The function that parts samples by class; empty where nothing is parted so."""
    return SPLIT if info.classes and (info.validation or _limited(info)) else ""


def load_function(info: DataInfo) -> str:
    """The function `load_data`: inputs and targets of both parts, fitted and normalised."""
    unit = info.standardised_target
    name = own_files.argument(info)
    head = f"{name}: str" if name else ""
    result = "Tensor, Tensor, Tensor, Tensor" + (", float" if unit else "")
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
    lines = [f"def load_data({head}) -> tuple[{result}]:", *(f"    {line}" for line in body)]
    return "\n".join(lines)


def _docstring(info: DataInfo) -> str:
    text = "Inputs and targets to learn from, then those to validate with"
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
    if info.package == "files":
        return own_files.read_lines(info)
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
    if info.task == "image":
        return lines
    return [*lines, "targets = torch.tensor(data.target, dtype=torch.float32)"]


def _read_vision(info: DataInfo) -> list[str]:
    """Both parts of the data set one after the other, or only the first where it is parted."""
    cifar = info.source == "CIFAR10"
    lines = [f"data = datasets.{info.source}(folder, train=True, download=True)"]
    pixels = "torch.from_numpy(data.data)" if cifar else "data.data"
    labels = "torch.tensor(data.targets)" if cifar else "data.targets"
    if not info.validation:
        lines.append(f"test = datasets.{info.source}(folder, train=False, download=True)")
        both = f"{pixels}, {pixels.replace('data.data', 'test.data')}"
        pixels = f"torch.cat([{both}])"
        labels = f"torch.cat([{labels}, {labels.replace('data', 'test')}])"
    order = "permute(0, 3, 1, 2).contiguous()" if cifar else "unsqueeze(1)"
    lines += [f"pixels = {pixels}", f"inputs = pixels.{order} / 255  # from 0 to 1"]
    used = info.task == "classification" or info.validation or _limited(info)
    return [*lines, f"labels = {labels}"] if used else lines


def resize_lines(info: DataInfo) -> list[str]:
    """Lines that bring images to the size of the Input, if they have another."""
    if info.resize is None:
        return []
    size = literal(info.resize)
    return [f'inputs = F.interpolate(inputs, {size}, mode="bilinear", antialias=True)']


def _mask(info: DataInfo) -> list[str]:
    if info.task != "segmentation":
        return []
    kind = "long" if info.labels else "float"
    shape = literal((-1, *(info.target_shape or ())))
    return [f"targets = (inputs > 0.5).{kind}().reshape{shape}  # the bright pixels"]


def parts_lines(info: DataInfo) -> list[str]:
    """Lines that choose the rows to learn from and those to validate with."""
    if not info.classes:
        return parts_of_values(info)
    if info.validation:
        count = f"round(len(labels) * {literal(info.validation)})"
        lines = [f"train, validation = split(labels, {count})"]
    else:
        lines = [
            "train = torch.arange(len(data.data))",
            "validation = torch.arange(len(train), len(inputs))",
        ]
    if _limited(info):
        lines.append(f"train = train[split(labels[train], {literal(info.limit)})[1]]")
    return lines


def parts_of_values(info: DataInfo) -> list[str]:
    """The same where there are no classes to keep in proportion."""
    rest = f"count : count + {literal(info.limit)}" if _limited(info) else "count:"
    return [
        "generator = torch.Generator().manual_seed(SEED)",
        "order = torch.randperm(len(inputs), generator=generator)",
        f"count = round(len(inputs) * {literal(info.validation)})",
        f"validation, train = order[:count], order[{rest}]",
    ]


def normalise_lines(info: DataInfo) -> list[str]:
    """Lines that normalise by mean and deviation of the training part."""
    lines: list[str] = []
    if info.normalize:
        dims = (
            "(0, 2, 3), correction=0, keepdim=True" if info.kind == "image" else "0, correction=0"
        )
        lines = [
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
    if info.task == "segmentation":
        return []
    if info.task == "image":
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
    targets = "labels" if info.task == "classification" and info.labels else "targets"
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
    if not info.standardised_target:
        return [*lines, f"return {learned}, {seen}, {targets}[validation]"]
    return [
        *lines,
        f"learned = {learned}",
        f"return *learned, {seen}, {targets}[validation], unit.item()",
    ]
