"""The lines of a training file that read sounds with a class each, as a run does."""

from collections.abc import Sequence

from core.data.facts.info import DataInfo
from core.script.excerpt import excerpt
from core.script.row_parts import by_folder
from core.source.layout import wrap_inside
from core.source.literal import literal

IMPORTS = (
    "from pathlib import Path",
    "import numpy as np",
    "import soundfile",
    "from scipy.signal import resample_poly",
)


def imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines that reading needs."""
    return ("import math", *IMPORTS)


def functions(info: DataInfo) -> list[str]:
    """The functions that find and read sounds, word for word."""
    names = ("sound_wave", *(("mel_filters", "loudness") if info.layout["sound"]["mels"] else ()))
    return [
        excerpt("core.data.sounds.folder", "sound_files"),
        *(excerpt("core.samples.sounds", name) for name in names),
    ]


def read_lines(info: DataInfo) -> list[str]:
    """Lines that read the sounds of a folder into `inputs`, and their classes."""
    how, layout = info.layout["sound"], info.layout
    rate, samples, mels = how["rate"], how["samples"], how["mels"]
    names = f"names = [{', '.join(map(literal, info.classes))}]"
    lines = [*wrap_inside("    ", names), *_top_lines(info)]
    lines.append(f"files = sound_files({_top(info)}, names)")
    lines += _damaged_lines(layout["left_out"])
    if mels:
        lines.append(f"filters = mel_filters({rate}, {mels}, {how['window']})")
    heard = f"loudness(wave, filters, {how['window']}, {how['hop']})" if mels else "wave"
    return [
        *lines,
        "sounds: list[np.ndarray] = []",
        "for path, _ in files:",
        "    with soundfile.SoundFile(path) as sound:",
        f"        wave = sound_wave(sound, {rate}, {samples})",
        f"    sounds.append({heard})",
        "inputs = torch.from_numpy(np.stack(sounds)).unsqueeze(1)",
        "labels = torch.tensor([label for _, label in files])",
        *_group_lines(info),
    ]


def _top(info: DataInfo) -> str:
    """The name of the folder that holds the classes."""
    return "top" if info.layout["inner"] else "folder"


def _top_lines(info: DataInfo) -> list[str]:
    """The line that names that folder, where others are around it."""
    inner = info.layout["inner"]
    return [f"top = str(Path(folder, {literal(inner)}))"] if inner else []


def _damaged_lines(left_out: Sequence[str]) -> list[str]:
    """Lines that leave out sounds that cannot be read."""
    if not left_out:
        return []
    return [
        "damaged = [",
        *(f"    {literal(name)}," for name in left_out),
        "]",
        "damaged = {Path(folder, name) for name in damaged}",
        "files = [pair for pair in files if pair[0] not in damaged]",
    ]


def _group_lines(info: DataInfo) -> list[str]:
    """The lines that say what each sound belongs to, where that decides its part."""
    if not info.split:
        return []
    top, until = _top(info), literal(info.parts.split.until)
    call = "subfolder_of(path)" if by_folder(info) else f"series_of(path, {until})"
    return [
        f"paths = [path.relative_to({top}).as_posix() for path, _ in files]",
        f"groups = [{call} for path in paths]",
    ]
