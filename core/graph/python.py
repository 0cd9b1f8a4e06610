"""A block of own Python: one nn.Module class, read by its syntax and never by running it.

Only its form is checked here (one class, plain arguments); its body is real Python, and runs only
if this user has trusted exactly this text (core.files.trust).
"""

import ast
import io
import re
import tokenize
import unicodedata
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from blocks.spec import REQUIRED, Block, Port, Setting
from core.graph.model import Composite
from core.graph.names import CLASSES_TAKEN, ID
from core.graph.python_arguments import Fault, given_by, ports_of, returned, settings_of

__all__ = [
    "Fault",
    "classes_in",
    "composite_of",
    "faults",
    "names_used",
    "own_block",
    "read",
    "results",
    "text_faults",
    "tidy",
]

FAMILY = "custom"
MAX_LINES, MAX_WIDTH = 500, 200
MODULES = ("nn.Module", "torch.nn.Module")
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
FORMATTED = re.compile(r"[rR]?[fF][rR]?['\"]")
"""What shows nothing or changes the order of what is shown: a reader would trust another text."""


def tidy(text: str) -> str:
    """The text as it is kept: no blank lines around it, no spaces at the ends of lines."""
    lines = [line.rstrip() for line in text.expandtabs(4).replace("\r\n", "\n").split("\n")]
    return "\n".join(lines).strip("\n")


def faults(name: str, text: str) -> tuple[Fault, ...]:
    """Say what keeps a text from being the block `name`, each with its line."""
    return read(name, text)[1]


def composite_of(name: str, text: str) -> Composite:
    """Make the composite of a text; settings and their defaults are those of its __init__."""
    settings = {
        setting.name: None if setting.default is REQUIRED else setting.default
        for setting in read(name, text)[0].settings
    }
    return Composite(settings, python=text)


def own_block(name: str, composites: Mapping[str, Composite]) -> Block | None:
    """The block that a project's own Python declares under this name; None if there is none."""
    part = composites.get(name)
    return read(name, part.python)[0] if part is not None and part.python else None


@lru_cache(512)
def read(name: str, text: str) -> tuple[Block, tuple[Fault, ...]]:
    """Read a class as a block, as far as it can be read, and what is wrong with it."""
    try:
        reading = _Reading(name, text)
        return reading.block(), tuple(sorted(reading.faults, key=lambda fault: fault.line))
    except RecursionError:  # where Python's own parser still could
        fault = Fault(1, "is nested too deeply to be read.")
        return Block(name, FAMILY, "", (), (), code=text), (fault,)


@lru_cache(512)
def results(text: str) -> int:
    """Number of tensors in forward's return annotation; 1 unless it is a tuple."""
    tree, _ = _parsed(text)
    methods = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "forward"]
    return given_by(methods[0]) if methods else 1


def classes_in(text: str) -> tuple[str, ...]:
    """Names of the classes that a text defines: one, where it is a block."""
    return tuple(n.name for n in _parsed(text)[0].body if isinstance(n, ast.ClassDef))


def names_used(text: str) -> frozenset[str]:
    """All names in a text: which imports it needs."""
    tree, _ = _parsed(text)
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name))


def text_faults(text: str) -> tuple[Fault, ...]:
    """Faults of a text that is too long to review, or that would not run as displayed."""
    return (*_of_lines(text), *(() if text.isascii() else _odd_names(text)))


def _parsed(text: str) -> tuple[ast.Module, Fault | None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # an odd escape is reported when it runs
            return ast.parse(text), None
    except SyntaxError as error:
        return ast.Module([], []), Fault(error.lineno or 1, f"is not Python: {error.msg}.")
    except (ValueError, RecursionError, MemoryError) as error:
        return ast.Module([], []), Fault(1, f"cannot be read as Python: {error}.")


class _Reading:
    """One reading of a text: its class and methods, and the faults on the way."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self.faults: list[Fault] = [*_of_lines(text)]
        tree, fault = _parsed(text)
        self.faults += [fault] if fault else self._of_module(tree)
        first = tree.body[0] if tree.body else None
        self.part = first if isinstance(first, ast.ClassDef) else None

    def _of_module(self, tree: ast.Module) -> Iterator[Fault]:
        classes = [n for n in tree.body if isinstance(n, ast.ClassDef)]
        if not classes:
            yield Fault(1, f"needs a class: class {self.name}(nn.Module):")
            return
        for other in tree.body:
            if other is not classes[0]:
                message = "has more than one class or statement; keep one class."
                yield Fault(other.lineno, message)
        yield from self._of_class(classes[0])
        yield from _odd_names(self.text) if not self.text.isascii() else ()

    def _of_class(self, part: ast.ClassDef) -> Iterator[Fault]:
        if part.name != self.name:
            yield Fault(
                part.lineno, f"names the class {part.name}, but the block is called {self.name}."
            )
        elif not part.name[:1].isupper():
            yield Fault(
                part.lineno, f"needs a class name with a capital letter: {part.name[:1].upper()}..."
            )
        elif not re.match(rf"class +{part.name} *\(", self.text):
            yield Fault(1, f"must begin with: class {part.name}(nn.Module):")
        elif not ID.match(part.name) or part.name in CLASSES_TAKEN:
            yield Fault(part.lineno, f"uses a reserved name of Python or torch: {part.name}.")
        if part.lineno != 1 or part.decorator_list:
            yield Fault(1, "must start with the class, without a comment or decorator before it.")
        bases = [ast.unparse(base) for base in part.bases]
        if len(bases) != 1 or bases[0] not in MODULES or part.keywords:
            yield Fault(part.lineno, f"needs the base nn.Module: class {self.name}(nn.Module):")
        if getattr(part, "type_params", ()):
            yield Fault(part.lineno, "has type parameters, which a block cannot have.")
        last = part.end_lineno or part.lineno
        if last < self.text.count("\n") + 1:
            yield Fault(
                last + 1, "follows the class; end the text with the last line of the class."
            )

    def _method(self, name: str) -> ast.FunctionDef | None:
        body = self.part.body if self.part else []
        mine = [n for n in body if getattr(n, "name", "") == name]
        for method in mine:
            if not isinstance(method, ast.FunctionDef) or method.decorator_list or len(mine) > 1:
                message = f"needs one plain method {name}: not async, no decorator, defined once."
                self.faults.append(Fault(method.lineno, message))
                return None
        return mine[0] if mine and isinstance(mine[0], ast.FunctionDef) else None

    def block(self) -> Block:
        """The block, without ports where forward cannot be read."""
        known = len(self.faults)
        init, forward = self._method("__init__"), self._method("forward")
        if forward is None:
            if self.part is not None and len(self.faults) == known:
                line = self.part.lineno
                self.faults.append(Fault(line, "needs a method forward(self, x: Tensor)."))
            return Block(self.name, FAMILY, "", (), (), code=self.text)
        settings = settings_of(init, self.faults) if init else ()
        inputs = ports_of(forward, frozenset(s.name for s in settings), self.faults)
        outputs = returned(forward, self.faults)
        settings = tuple(_wired(setting, inputs) for setting in settings)
        summary = self._summary()
        code = self.text
        return Block(self.name, FAMILY, summary, inputs, outputs, settings, self.name, code=code)

    def _summary(self) -> str:
        summary = ast.get_docstring(self.part) if self.part else None
        summary = (summary or "A block of this project, written in Python.").partition("\n")[0]
        return INVISIBLE.sub("", summary)[:200]


def _wired(setting: Setting, inputs: tuple[Port, ...]) -> Setting:
    if setting.infer is None:
        return setting
    return replace(setting, infer=replace(setting.infer, port=inputs[0].name) if inputs else None)


def _of_lines(text: str) -> Iterator[Fault]:
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        yield Fault(MAX_LINES + 1, f"has {len(lines)} lines; at most {MAX_LINES} are allowed.")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_WIDTH:
            yield Fault(number, f"has {len(line)} characters; at most {MAX_WIDTH} are allowed.")
        if "\t" in line:
            yield Fault(number, "contains a tab; indent with four spaces.")
        if match := INVISIBLE.search(line):
            yield Fault(number, f"contains the invisible character U+{ord(match[0]):04X}.")
        elif not line.isascii():
            yield from _of_letters(number, line)


def _of_letters(number: int, line: str) -> Iterator[Fault]:
    """Faults of characters displayed in another order, or drawn over the lines around them."""
    kinds = "".join("m" if unicodedata.category(c) in ("Mn", "Me") else "." for c in line)
    if any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in line):
        yield Fault(number, "contains right-to-left letters, so it may not run as displayed.")
    elif "mmm" in kinds:
        yield Fault(number, "has more than two accents on one letter.")


def _odd_names(text: str) -> Iterator[Fault]:
    """Names outside of ASCII: some look like others, and Python takes some for others."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.string.isascii():
            continue
        if token.type == tokenize.NAME:
            yield Fault(
                token.start[0], "uses a name with characters other than a-z, A-Z, 0-9 and _."
            )
        elif FORMATTED.match(token.string) or tokenize.tok_name[token.type].startswith("FSTRING"):
            # before Python 3.12 the names in it are no tokens of their own
            yield Fault(
                token.start[0],
                "has non-ASCII characters in an f-string; use a plain string for them.",
            )
