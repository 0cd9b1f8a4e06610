"""The lines of a training file that read pictures with masks, as a run does."""

from core.data.facts.info import DataInfo
from core.script.excerpt import excerpt
from core.source.layout import wrap_inside
from core.source.literal import literal

IMPORTS = ("from pathlib import Path", "import numpy as np")
PICTURES = '''\
class Pictures:
    """Pictures, each read and decoded when it is needed."""

    def __init__(
        self, paths: list[str], decode: Callable[[Image.Image], Tensor]
    ) -> None:
        self.paths, self.decode = paths, decode

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, row: int) -> tuple[Tensor]:
        return (self.decode(opened(self.paths[row])),)'''
FILES = '''\
def pictures_below(folder: str) -> list[str]:
    """The paths of the pictures in a folder, from there."""
    files = (path for path in Path(folder).rglob("*") if path.is_file())
    paths = (path.relative_to(folder).as_posix() for path in files)
    return [path for path in paths if real(path)]'''
USABLE = '''\
def usable(picture: str, mask: str) -> bool:
    """Whether a picture and its mask decode completely, and have one size."""
    try:
        size = opened(picture).size
        with Image.open(mask, formats=FORMATS) as found:
            found.load()
            return found.size == size
    except (OSError, ValueError, SyntaxError):
        return False'''
READ = '''\
def read_mask(path: str) -> Tensor:
    """The class of each pixel, (H, W) int16; -100 for none."""
    with Image.open(path, formats=FORMATS) as mask:
        classes = classes_of_pixels(mask, {size}, VALUES, by_index={by_index})
    return torch.from_numpy(classes)'''


def functions(info: DataInfo) -> list[str]:
    """The functions that find pictures with their masks, and read these."""
    assert info.resize is not None
    height, width = info.resize
    layout = info.layout
    values = [value if layout["by_index"] else f"0x{value:06X}" for value in layout["values"]]
    named = wrap_inside("", f"VALUES = [{', '.join(map(str, values))}]")
    return [
        "\n".join(["# The value of each class in a mask.", *named]),
        excerpt("core.data.pictures.masks", "pairs_of"),
        FILES,
        excerpt("core.data.pictures.mask_values", "classes_of_pixels"),
        READ.format(size=literal((width, height)), by_index=layout["by_index"]),
        *([USABLE] if info.custom and info.custom.skip_corrupt else []),
        PICTURES,
    ]


def read_lines(info: DataInfo) -> list[str]:
    """Lines that find the pictures of a folder and read their masks."""
    layout, part = info.layout, info.layout["part"]
    how = ", ".join(literal(layout[key]) for key in ("pictures", "masks", "ending"))
    lines = ["names = pictures_below(folder)"]
    if part:
        lines.append(f'names = [name for name in names if {literal(part)} in name.split("/")[:-1]]')
    lines += [
        f"pairs = [pair for pair in pairs_of(names, {how}) if pair[1]]",
        'paths = [[f"{folder}/{name}" for name in pair] for pair in pairs]',
    ]
    if info.custom and info.custom.skip_corrupt:
        lines += ["kept = [usable(*pair) for pair in paths]"]
        lines += [
            f"{n} = [each for each, good in zip({n}, kept, strict=True) if good]"
            for n in ("pairs", "paths")
        ]
    return [
        *lines,
        "pictures = Pictures([picture for picture, _ in paths], decode)",
        "targets = torch.stack([read_mask(mask) for _, mask in paths])",
        "labels = torch.zeros(len(pictures), dtype=torch.int64)  # for the split alone",
    ]
