"""The lines of a training file for samples read one by one: folders of pictures, augmentation.

A run gathers the same pictures from its cache and varies them a batch at a time; torchvision's
transforms draw the same random numbers here, sample after sample, in the training process.
"""

import json

from core.data.facts.info import DataInfo
from core.data.pictures.layout import JUNK
from core.data.pictures.transform import AugmentStep
from core.samples.picture_files import FORMATS
from core.script import custom_files, data, mask_folders, picture_sets, row_parts
from core.script.batches import batches_lines, shuffled_lines
from core.script.excerpt import excerpt
from core.script.learning import Learning
from core.source.literal import literal
from core.tasks.registry import draws_input

WIDTH = 84
LOADER = (
    "from collections.abc import Callable, Iterator",
    "from torch.utils.data import DataLoader, Dataset, Sampler",
)
WITH_PARTS = (LOADER[0], LOADER[1].replace("DataLoader", "ConcatDataset, DataLoader"))
"""The same where pictures come in several parts."""
OPENED = f'''\
# Pixel formats: for others, Pillow would start an external program.
FORMATS = {json.dumps(FORMATS)}


def opened(path: str) -> Image.Image:
    """Read an RGB picture."""
    with Image.open(path, formats=FORMATS) as picture:
        return seen(picture, low={{low}}, high={{high}})'''
PICTURES = '''\
class Pictures(datasets.ImageFolder):
    """The pictures of these classes, without files added by operating systems."""

    def find_classes(self, directory: str) -> tuple[list[str], dict[str, int]]:
        classes = [
{classes}
        ]
        return classes, {{name: index for index, name in enumerate(classes)}}'''
REAL = '''\
def real(path: str) -> bool:
    """Whether a file is a picture, neither hidden nor in a hidden folder."""
    parts = path.split("/")
    hidden = any(part in {junk} or part.startswith(".") for part in parts)
    return not hidden and path.lower().endswith(datasets.folder.IMG_EXTENSIONS)'''
READABLE = '''\
def readable(path: str) -> bool:
    """Whether a file is a picture that decodes completely."""
    if not path.lower().endswith(datasets.folder.IMG_EXTENSIONS):
        return False
    try:
        with Image.open(path, formats=FORMATS) as picture:
            picture.convert("RGB")
            return True
    except (OSError, ValueError, SyntaxError):
        return False'''
SAMPLES = '''\
class Samples(Dataset[tuple[Tensor, Tensor]]):
    """Pictures, each transformed when it is read."""

    def __init__(
        self,
        pictures: {pictures},
        targets: Tensor,
        rows: Tensor,
        transform: Callable[[Tensor], Tensor],
    ) -> None:
        self.pictures, self.targets = pictures, targets[rows]
        self.rows, self.transform = rows.tolist(), transform

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        x = self.transform(self.pictures[self.rows[index]]{first}){reshaped}
        return x, {target}'''


def imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines that reading and varying the data needs."""
    lines = ["from torchvision.transforms import v2"]
    if info.origin.decoded:
        lines += ["import os"] if info.layout.get("inner") else []
        lines += [*mask_folders.IMPORTS] if info.origin.masked else []
        lines += ["from torchvision import datasets"]
        lines += ["import math"] if info.normalize else []
        if info.custom is None:
            several = picture_sets.kind(info) == "ConcatDataset"
            return (*lines, *(WITH_PARTS if several else LOADER))
        lines += row_parts.imports(info)
        return (*lines, "from PIL import Image, ImageOps, ImageStat", *LOADER)
    return (*lines, *data.imports(info), *LOADER)


def measures(info: DataInfo) -> bool:
    """Whether mean and deviation are measured picture by picture."""
    return bool(info.origin.decoded and info.normalize)


def functions(info: DataInfo) -> list[str]:
    """The functions that read the data; "" for none."""
    own = _opening(info) if info.origin.decoded and info.custom else []
    real = REAL.format(junk=literal(JUNK))
    own += [real, *mask_folders.functions(info)] if info.origin.masked else []
    own += [READABLE] if _skips(info) and not info.origin.masked else []
    if measures(info):
        own.append(excerpt("core.data.pictures.pixels", "statistics"))
    more = [] if info.origin.decoded else data.functions(info)
    return [data.split_function(info), *own, *more, _samples(info), _load(info)]


def _opening(info: DataInfo) -> list[str]:
    """The functions that open a picture as people see it, and find those of the classes."""
    low, high = (literal(float(bound)) for bound in info.layout["bounds"])
    found = [excerpt("core.samples.upright", "seen"), OPENED.format(low=low, high=high)]
    if not info.origin.masked and not info.layout["plain"]:
        classes = "\n".join(f"            {literal(name)}," for name in info.classes)
        found += [PICTURES.format(classes=classes), REAL.format(junk=literal(JUNK))]
    return found


def _skips(info: DataInfo) -> bool:
    return info.custom is not None and info.custom.skip_corrupt


def _samples(info: DataInfo) -> str:
    target = "self.targets[index].long()" if info.origin.masked else "self.targets[index]"
    has = (info.input_shape[0], *info.resize) if info.resize else info.sample_shape
    if draws_input(info.task):
        same = info.target_shape == info.input_shape
        target = "x" if same else f"x.reshape({', '.join(map(literal, info.target_shape or ()))})"
    reshaped = "" if has == info.input_shape else f".reshape{literal(info.input_shape)}"
    folder = info.origin.decoded
    kind, first = (_kind(info), "[0]") if folder else ("Tensor", "")
    return SAMPLES.format(pictures=kind, first=first, reshaped=reshaped, target=target)


def _kind(info: DataInfo) -> str:
    """The class of the pictures that are decoded one by one."""
    own = "Pictures" if info.origin.masked else "datasets.ImageFolder"
    return own if info.custom else picture_sets.kind(info)


def _load(info: DataInfo) -> str:
    name = custom_files.argument(info)
    head = f"{name}: str" if name else ""
    body = [
        '"""Training samples with random augmentation, and validation samples."""',
        *(_read_pictures(info) if info.origin.decoded else _read_held(info)),
        *_transforms(info),
    ]
    kinds = ", ".join(["Samples"] * (3 if info.parts.tests else 2))
    lines = [f"def load_data({head}) -> tuple[{kinds}]:"]
    return "\n".join([*lines, *(f"    {line}" for line in body)])


def _read_pictures(info: DataInfo) -> list[str]:
    grey = ["v2.Grayscale()"] if info.input_shape[0] == 1 else []
    grey = [*picture_sets.first(info), *grey]
    shape = literal((-1, *(info.target_shape or ())))
    truth = "" if info.labels or draws_input(info.task) else f".float().reshape{shape}"
    size = [f"v2.Resize({literal(info.resize)})", "v2.PILToTensor()"]
    lines = [
        *_assigned("decode", [*grey, *size]),
        *(_listed(info) if info.custom else picture_sets.read_lines(info)),
        *row_parts.picture_lines(info),
        *data.parts_lines(info),
        *([f"targets = labels{truth}"] if truth else []),
    ]
    if info.normalize:
        lines += [
            "pixels = (pictures[row][0].unsqueeze(0) for row in train.tolist())",
            "mean, std = statistics(pixels)",
        ]
    return lines


def _listed(info: DataInfo) -> list[str]:
    """Lines that find the pictures of a folder, and their classes."""
    if info.origin.masked:
        return mask_folders.read_lines(info)
    skip = ", is_valid_file=readable" if _skips(info) else ""
    if not info.layout["plain"]:
        return _listed_apart(info)
    return [
        f"pictures = datasets.ImageFolder(folder, decode, loader=opened{skip})",
        "labels = torch.tensor(pictures.targets)",
    ]


def _listed_apart(info: DataInfo) -> list[str]:
    """The same where ImageFolder would take more, or look for the classes elsewhere."""
    lines: list[str] = []
    if info.layout["inner"]:
        lines.append(f"folder = os.path.join(folder, {literal(info.layout['inner'])})")
    valid = "lambda path: real(path[len(folder) :])" + " and readable(path)" * _skips(info)
    return [
        *lines,
        "pictures = Pictures(",
        "    folder,",
        "    decode,",
        "    loader=opened,",
        f"    is_valid_file={valid},",
        ")",
        "labels = torch.tensor(pictures.targets)",
    ]


def _read_held(info: DataInfo) -> list[str]:
    shape = literal((-1, *(info.target_shape or ())))
    lines = [*data.read_lines(info), *data.resize_lines(info), *data.parts_lines(info)]
    if info.classes and not info.labels:
        lines.append(f"targets = labels.float().reshape{shape}")
    elif not info.classes:
        lines.append(f"targets = targets.reshape{shape}")
    if info.normalize:
        lines += [
            "std, mean = torch.std_mean(inputs[train], (0, 2, 3), correction=0)",
            "std[std == 0] = 1.0  # a value that never changes",
            "mean, std = mean.tolist(), std.tolist()",
        ]
    return lines


def _transforms(info: DataInfo) -> list[str]:
    """The transforms of both parts, and what is returned."""
    first = ["v2.ToDtype(torch.float32, scale=True)"] if info.origin.decoded else []
    last = ["v2.Normalize(mean, std)"] if info.normalize else []
    steps = [written(step, _size(info)) for step in info.transform]
    truth = "labels" if info.labels or draws_input(info.task) else "targets"
    truth = "targets" if info.origin.masked else truth
    pictures = "pictures" if info.origin.decoded else "inputs"
    varied, seen = _composed([*first, *steps, *last]), _composed([*first, *last])
    same = varied == seen
    lines = [] if same else [_assigned("varied", varied)]
    lines.append(_assigned("seen", seen))
    return [
        *(line for text in lines for line in text),
        f"learned = Samples({pictures}, {truth}, train, {'seen' if same else 'varied'})",
        *_validated(info, pictures, truth),
    ]


def _validated(info: DataInfo, pictures: str, truth: str) -> list[str]:
    """Lines that return both parts; the noise that validation sees is drawn once."""
    lines: list[str] = []
    made: list[str] = []
    for rows, name in (("validation", "noisy"), ("apart", "tested"))[: 1 + info.parts.tests]:
        if not info.noise:
            made.append(f"Samples({pictures}, {truth}, {rows}, seen)")
            continue
        noise = f"{literal(info.noise)} * torch.randn({name}.shape, generator=generator)"
        lines += [
            f"{name} = torch.stack([seen(inputs[row]) for row in {rows}])",
            "generator = torch.Generator().manual_seed(SEED)",
            f"{name} = {name} + {noise}",
        ]
        made.append(f"Samples({name}, {truth}[{rows}], rows, v2.Identity())")
        lines.append(f"rows = torch.arange(len({name}))")
        if rows == "validation" and info.parts.tests:
            lines.append(f"validated = {made.pop()}")
            made.append("validated")
    given = f"return learned, {', '.join(made)}"
    if len(given) > WIDTH:
        named = zip(("validated", "tested"), made, strict=True)
        lines += [f"{name} = {text}" for name, text in named if name != text]
        given = "return learned, validated, tested"
    return [*lines, given]


def _composed(parts: list[str]) -> list[str]:
    return parts or ["v2.Identity()"]


def _assigned(name: str, parts: list[str]) -> list[str]:
    if len(parts) == 1:
        return [f"{name} = {parts[0]}"]
    one = f"{name} = v2.Compose([{', '.join(parts)}])"
    if len(one) <= WIDTH:
        return [one]
    inner = f"    [{', '.join(parts)}]"
    if len(inner) <= WIDTH:
        return [f"{name} = v2.Compose(", inner, ")"]
    return [f"{name} = v2.Compose(", "    [", *(f"        {part}," for part in parts), "    ]", ")"]


def _size(info: DataInfo) -> tuple[int, ...]:
    return info.resize or info.sample_shape[1:]


def written(step: AugmentStep, size: tuple[int, ...]) -> str:
    """A transform as a call of torchvision's v2."""
    arguments = ", ".join(f"{name}={literal(value)}" for name, value in step.settings.items())
    if step.name == "RandomCrop":
        arguments = f"{literal(size)}, {arguments}"
    return f"v2.{step.name}({arguments})"


def loader_lines(learning: Learning) -> list[str]:
    """The lines that make both loaders; their generators are their own."""
    size = learning.validated
    weights = (
        ["train_y = train.targets.to(device)"] if learning.training.get("class_weights") else []
    )
    batches = [
        *batches_lines(learning, "len(train)"),
        "loader = DataLoader(train, batch_sampler=batches, generator=torch.Generator())",
    ]
    if learning.shuffled:
        batches = shuffled_lines(learning, "train")
    return [
        *batches,
        f"val_loader = DataLoader(val, batch_size={size}, generator=torch.Generator())",
        *([f"test_loader = DataLoader(test, batch_size={size})"] * learning.info.parts.tests),
        *weights,
    ]
