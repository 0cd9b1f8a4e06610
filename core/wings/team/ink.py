"""Colours of the drawing of two versions, on a light and on a dark page, as rules of CSS.

Every kind has a sign and words beside its colour.
"""

from dataclasses import dataclass
from typing import Literal

from core.wings.team.cards import KINDS, Kind

Ground = Literal["light", "dark", "auto"]
"""auto: as the reader's system has it."""
SIGNS: dict[Kind, str] = {
    "added": "+",
    "removed": "\u2212",
    "changed": "~",
    "renamed": "=",
    "moved": "↔",
    "same": "",
}


@dataclass(frozen=True)
class Ink:
    """fills, strokes: in the order of KINDS."""

    page: str
    text: str
    quiet: str
    wire: str
    fills: tuple[str, ...]
    strokes: tuple[str, ...]


LIGHT = Ink(
    "#FDFDFE",
    "#1E1F2B",
    "#5B5D6E",
    "#8D93A3",
    ("#DDF4E4", "#FFE4E1", "#FFF1CC", "#ECE5FF", "#DDEBFF", "#F3F3F8"),
    ("#1A7F37", "#C4232E", "#9A6700", "#6B4FD8", "#0860CA", "#C9CCD8"),
)
DARK = Ink(
    "#14151C",
    "#ECEDF5",
    "#B0B2C3",
    "#7B8092",
    ("#12351F", "#421A1D", "#3A2C0B", "#2A2150", "#12294D", "#1D1E28"),
    ("#3FB950", "#F85149", "#D29922", "#A990FF", "#58A6FF", "#3F4252"),
)


def rules(ground: Ground) -> str:
    """The rules for the elements of a drawing."""
    if ground == "auto":
        return f"{_rules(LIGHT)}@media(prefers-color-scheme:dark){{{_rules(DARK)}}}"
    return _rules(DARK if ground == "dark" else LIGHT)


def _rules(ink: Ink) -> str:
    shared = (
        f".ll-page{{fill:{ink.page}}}.ll-t{{fill:{ink.text}}}.ll-q{{fill:{ink.quiet}}}"
        f".ll-rule{{stroke:{ink.strokes[-1]}}}"
    )
    kinds = zip(KINDS, ink.fills, ink.strokes, strict=True)
    return shared + "".join(_kind(ink, *each) for each in kinds)


def _kind(ink: Ink, kind: Kind, fill: str, stroke: str) -> str:
    wire = ink.wire if kind == "same" else stroke
    return (
        f".ll-card.{kind}{{fill:{fill};stroke:{stroke}}}.ll-s.{kind}{{fill:{stroke}}}"
        f".ll-w.{kind}{{stroke:{wire};fill:none}}.ll-a.{kind}{{fill:{wire}}}"
    )
