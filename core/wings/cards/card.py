"""Declaration of a card: a small experiment on a drawing. Imports no torch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from sysconfig import get_path
from typing import Any, Literal

from core.wings.cards.drawing import BlockInfo, Drawing
from core.wings.cards.sentence import Sentence, Values

SCRIPTS = Path(__file__).with_name("scripts")
COMPILERS = ("c++", "g++", "clang++")
SAME = "The drawing does not matter here: the numbers are the same for every network."
PictureKind = Literal["bars", "lines", "heat", "pixels", "table"]


@dataclass(frozen=True)
class Number:
    """A number that a script calculates: the variable that holds it.

    measured: a time or the like, which differs from run to run.
    """

    name: str
    title: str
    unit: str = ""
    measured: bool = False


@dataclass(frozen=True)
class CardPicture:
    """A picture of variables of a script; `words` are its caption, also for screen readers.

    bars: labels, values (further lists of values: bars below each other, named by `parts`).
    lines: xs, ys, further ys, named by `parts`; `axes`: what x and y are. heat: a matrix, whose
    rows and columns `axes` name. pixels: grey pictures, (N, H, W). table: rows, under the header
    `parts`.
    """

    kind: PictureKind
    title: str
    names: tuple[str, ...]
    words: str
    parts: tuple[str, ...] = ()
    axes: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Cost:
    """Cost of a script, for the limits on time and memory.

    passes: forward passes of a batch, of which a backward pass counts as two. copies: of all
    weights. batches: of the values that a batch leaves for the backward pass. compile_s,
    compile_bytes: of a compiler, beside all that.
    """

    passes: float = 3.0
    copies: float = 2.0
    batches: float = 1.0
    compile_s: float = 0.0
    compile_bytes: int = 0


def anything(_drawing: Drawing) -> str:
    """No objection."""
    return ""


def no_constants(_drawing: Drawing, _part: BlockInfo | None) -> Mapping[str, Any]:
    """No constants besides those of every card."""
    return {}


def one_step(_drawing: Drawing, _part: BlockInfo | None) -> Cost:
    """The cost of a training step."""
    return Cost()


def compiled_once(drawing: Drawing, _part: BlockInfo | None) -> Cost:
    """Passes before and after, and a C++ compiler run for each block."""
    compiling = 25.0 + 0.5 * len(drawing.parts)
    return Cost(passes=24, copies=4, batches=2, compile_s=compiling, compile_bytes=1_000_000_000)


@dataclass(frozen=True)
class Card:
    """One card. name: as commands and its script say it.

    why: one sentence. question: its answer is the first number, and the reader guesses it first.
    findings: sentences that the outcome decides. after: an explanation that is true whatever the
    outcome. references: titles and addresses. drawn: whether the drawing changes the outcome.
    script: beside `scripts/`, ten to thirty lines that find `model` (in evaluation mode), a batch
    `x` and, where `targets`, `y` and `loss_function(output, y)`, and which print their numbers.
    batch: how many samples; constants: of the script, beside BATCH, SEED and BLOCK.
    parts: for a card about one block, the blocks to choose from; BLOCK in the script is its path.
    None for a card about the whole drawing. without_part: the message if there is no such block.
    expression: for a card whose script looks at `result`, the expression that it begins with; the
    user types others (`expression.py`), and `output` is the network's answer.
    find_problem: why the card cannot run on a drawing, "" if it can. cost, limit_s: for the limits
    on memory and time. packages: needed besides torch. compiler: whether it needs a C++ compiler;
    headers: also the C headers of Python.
    """

    name: str
    topic: str
    title: str
    why: str
    question: str
    numbers: tuple[Number, ...]
    pictures: tuple[CardPicture, ...]
    references: tuple[tuple[str, str], ...]
    findings: tuple[Sentence, ...] = ()
    after: str = ""
    drawn: bool = True
    parts: Callable[[Drawing], tuple[str, ...]] | None = None
    without_part: str = ""
    expression: str = ""
    find_problem: Callable[[Drawing], str] = anything
    targets: bool = True
    batch: int = 16
    cost: Callable[[Drawing, BlockInfo | None], Cost] = one_step
    constants: Callable[[Drawing, BlockInfo | None], Mapping[str, Any]] = no_constants
    packages: tuple[str, ...] = ()
    compiler: bool = False
    headers: bool = False
    limit_s: float = 60.0

    @cached_property
    def script(self) -> str:
        """The text of its script."""
        return (SCRIPTS / f"{self.name.replace('-', '_')}.py").read_text("utf-8")

    @property
    def variables(self) -> tuple[str, ...]:
        """All displayed variables of the script, each once."""
        pictured = (name for picture in self.pictures for name in picture.names)
        read = (name for sentence in self.findings for name in sentence.reads)
        return tuple(dict.fromkeys([*(number.name for number in self.numbers), *pictured, *read]))

    def explanation(self, values: Values) -> str:
        """What is said below an outcome: the findings that hold for it, then `after`."""
        said = [each.written(values) for each in self.findings if each.holds(values)]
        return " ".join(text for text in (*said, self.after, "" if self.drawn else SAME) if text)

    @property
    def missing_requirement(self) -> str:
        """A sentence on what is missing on this machine; "" for nothing."""
        for package in self.packages:
            if find_spec(package) is None:
                return f"It needs {package}, which is not installed: pip install {package}."
        if self.compiler and not any(map(which, COMPILERS)):
            return "It needs a C++ compiler, such as g++, and this machine has none."
        if self.headers and not Path(get_path("include"), "Python.h").is_file():
            return "It needs Python.h (package python3-dev or similar), and this machine has none."
        return ""
