"""The typefaces of the workbench and of pictures, so that text looks the same on each machine.

Where their files come from, and how they were made smaller: FONTS.md beside them.
"""

import base64
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

SANS, MONO = "Inter", "JetBrains Mono"
EVEN = "html{text-rendering:geometricPrecision}"
"""Letters keep their distances at every zoom of the canvas; browsers round them to pixels else."""


@dataclass(frozen=True)
class Face:
    """One file. weights: what CSS is told, a single one or the range of a variable font."""

    family: str
    file: str
    weights: str


FACES = (
    Face(SANS, "inter.woff2", "400 700"),
    Face(MONO, "jetbrains-mono.woff2", "400"),
    Face(MONO, "jetbrains-mono-bold.woff2", "700"),
)


@cache
def content(file: str) -> bytes:
    """The bytes of a file of FACES."""
    return files(__name__).joinpath(file).read_bytes()


def embedded(face: Face) -> str:
    """The rule of CSS with the file itself in it, for pictures and pages that load nothing."""
    data = base64.b64encode(content(face.file)).decode()
    return (
        f'@font-face{{font-family:"{face.family}";font-weight:{face.weights};'
        f'src:url("data:font/woff2;base64,{data}") format("woff2")}}'
    )


def rules(address: str) -> str:
    """The rules of CSS. address: where the files are, each under its name."""
    faces = "".join(
        f'@font-face{{font-family:"{face.family}";font-weight:{face.weights};font-display:block;'
        f'src:url("{address}{face.file}") format("woff2")}}'
        for face in FACES
    )
    return f"{faces}{EVEN}"
