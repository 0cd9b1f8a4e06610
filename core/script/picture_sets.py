"""The lines of a training file that read torchvision's picture data sets, split by split."""

from core.data.builtin.picture_sets import PICTURE_SETS, Part, PictureSet
from core.data.facts.info import DataInfo
from core.source.layout import wrap_inside
from core.source.literal import literal

MARGIN = "    "
PATHS = "  # paths instead of pictures"


def part_names(info: DataInfo) -> list[str]:
    """What a file calls the parts it reads, in the order of their samples."""
    names = ["data"]
    apart = info.validation is None and not info.parts.folds
    if apart and info.origin.validation:
        names.append("val")
    if info.parts.makers or (apart and not info.origin.validation and info.origin.test):
        names.append("test")
    return names


def rows(info: DataInfo) -> tuple[str, str]:
    """Rows of the makers' part that validates, and of the one that tests."""
    if "val" in part_names(info) and info.parts.makers:
        first = "len(data) + len(val)"
        return f"torch.arange(len(data), {first})", f"torch.arange({first}, len(labels))"
    every = "torch.arange(len(data), len(labels))"
    return every, every


def kind(info: DataInfo) -> str:
    """The class of `pictures`."""
    return "ConcatDataset" if len(part_names(info)) > 1 else f"datasets.{info.source}"


def first(info: DataInfo) -> list[str]:
    """Transforms of pictures that the class hands out as their files hold them."""
    plain = info.custom is None and not PICTURE_SETS[info.source].coloured
    return ["v2.RGB()"] if plain else []


def read_lines(info: DataInfo) -> list[str]:
    """Lines that read the parts into `pictures` and their `labels`. `decode` sizes a picture."""
    how, names = PICTURE_SETS[info.source], part_names(info)
    several = len(names) > 1
    lines: list[str] = []
    for name in names:
        call = _call(how, how.parts[name], "transform=decode", "download=True")
        lines += wrap_inside(MARGIN, f"{name if several else 'pictures'} = {call}")
    lines += [f"pictures = ConcatDataset([{', '.join(names)}])"] if several else []
    return [*lines, *(_listed(how, names) if how.lists == "loader" else _kept(how, names))]


def _call(how: PictureSet, part: Part, *more: str) -> str:
    given = [f"{name}={literal(value)}" for name, value in part.arguments.items()]
    return f"datasets.{how.name}({', '.join(['folder', *given, *more])})"


def _listed(how: PictureSet, names: list[str]) -> list[str]:
    """Lines that ask the class of every picture without decoding one."""
    calls = [_call(how, how.parts[name], "loader=str") for name in names]
    lines = ["names = [" + PATHS, *(f"{MARGIN}*{call}," for call in calls), "]"]
    if len(calls) == 1:
        lines = [f"names = {calls[0]}{PATHS}"]
    return [*lines, "labels = torch.tensor([label for _, label in names])"]


def _kept(how: PictureSet, names: list[str]) -> list[str]:
    """The same where the class takes no loader, and keeps them."""
    kept = {"samples": "_samples", "images": "_labels", "headers": "y"}[how.lists]
    every = f"pictures.{kept}"
    if len(names) > 1:
        every = f"[{', '.join(f'*{name}.{kept}' for name in names)}]"
    if how.lists == "samples":
        every = f"[label for _, label in {every}]"
    return [f"labels = torch.tensor({every})"]
