"""Custom classes that cannot be drawn, as blocks of own Python: the source of their class.

The class runs during the import, as all of the model does; the project needs trust before it runs
it again (core.files.trust).
"""

import ast
import inspect
import itertools
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

from blocks import Block
from blocks.spec import REQUIRED
from core.common.errors import ImportRefused
from core.graph import Composite
from core.graph.python import composite_of, faults, read, tidy
from core.wings.importing.error_messages import as_own_python
from core.wings.importing.tracing.leaf_modules import CUSTOM_LEAVES

LIBRARY_MODULES = ("torch.", "core.wings.importing.")
"""Modules without a user class: torch's layers, and what stands for a file of ONNX."""
MAX_TRIES = 400
"""Combinations of numbers that are tried for arguments that a class does not keep."""


def custom_block(module: nn.Module) -> Block:
    """The block of a module's class. Raises ImportRefused if it cannot be one."""
    kind = type(module)
    try:
        text = _with_types(_class_text(kind), module)
    except (OSError, TypeError) as error:
        raise ImportRefused(kind.__name__, "has no readable source.") from error
    if wrong := faults(kind.__name__, text):
        raise ImportRefused(kind.__name__, f"cannot be a block of custom Python: {wrong[0]}")
    block, _ = read(kind.__name__, text)
    constructor_settings(module, block)
    return block


def _class_text(kind: type) -> str:
    """The source of a class, without decorators."""
    lines = tidy(textwrap.dedent(inspect.getsource(kind))).split("\n")
    first = next((i for i, line in enumerate(lines) if line.startswith("class ")), 0)
    return "\n".join(lines[first:])


def _with_types(text: str, module: nn.Module) -> str:
    """The source with type annotations on all parameters of __init__, as a block's settings
    need."""
    try:
        body = ast.parse(text).body[0]
    except (SyntaxError, IndexError):
        return text  # reading it reports the error
    lines = text.split("\n")
    inits = [n for n in getattr(body, "body", []) if getattr(n, "name", "") == "__init__"]
    needed = [a for init in inits for a in init.args.args[1:][: -len(init.args.defaults) or None]]
    for arg in reversed([arg for arg in needed if arg.annotation is None]):
        kind = type(vars(module).get(arg.arg, 0)).__name__
        line, end = lines[arg.lineno - 1], arg.end_col_offset or 0
        known = kind if kind in ("int", "float", "bool", "str") else "int"
        lines[arg.lineno - 1] = f"{line[:end]}: {known}{line[end:]}"
    return "\n".join(lines)


def constructor_settings(module: nn.Module, block: Block) -> dict[str, Any]:
    """The arguments a module was constructed with: its attributes of the same names, else
    numbers with which its class constructs equal layers. Raises ImportRefused."""
    settings: dict[str, Any] = {}
    missing: list[str] = []
    for setting in block.settings:
        value = vars(module).get(setting.name, setting.default)
        value = tuple(value) if isinstance(value, list) else value
        if value is REQUIRED or not isinstance(value, (int, float, str, tuple, type(None))):
            missing.append(setting.name)
        else:
            settings[setting.name] = value
    sizes = sorted({n for t in module.state_dict().values() for n in t.shape})
    tries = itertools.product(sizes, repeat=len(missing))
    for numbers in itertools.islice(tries, MAX_TRIES):
        candidate = settings | dict(zip(missing, numbers, strict=True))
        if _is_same(module, candidate):
            return candidate
    if not missing:
        message = (
            "cannot be a block of custom Python: its __init__ creates other layers than it has now."
        )
        raise ImportRefused(block.name, message, "Lazy layers need their sizes there.")
    raise ImportRefused(
        block.name,
        f"cannot be a block of custom Python: it does not store the __init__ argument "
        f"{', '.join(missing)}.",
        "Keep each argument under its name, such as self.channels = channels.",
    )


def _is_same(module: nn.Module, settings: Mapping[str, Any]) -> bool:
    """Whether these arguments construct a module with the same layers and shapes."""
    try:
        with torch.device("meta"):
            twin = type(module)(**settings)
    except (Exception, SystemExit):  # the user's own code may end in anything for a wrong number
        return False
    return repr(twin) == repr(module) and _form(twin) == _form(module)


def _form(module: nn.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}


def custom_block_around(module: nn.Module, refused: ImportRefused) -> dict[type, Block]:
    """The innermost class around a refused call that can be a block of own Python.

    Raises ImportRefused with the reason why the innermost one cannot.
    """
    if refused.message.startswith("cannot be run on"):
        raise refused  # it runs no better as a block
    place = refused.place.partition(" (")[0]
    modules = dict(module.named_modules())
    path = place if place in modules else ""
    reason: ImportRefused | None = None
    for outer in _outwards(path):
        kind = type(modules[outer])
        if kind.__module__.startswith(LIBRARY_MODULES) or kind in CUSTOM_LEAVES:
            continue
        try:
            return {kind: custom_block(modules[outer])}
        except ImportRefused as why:
            reason = reason or why
    raise reason or refused


def _outwards(path: str) -> Iterator[str]:
    """A module path and those of all modules around it, innermost first."""
    while path:
        yield path
        path = path.rpartition(".")[0]
    yield ""


def with_custom_block_offer(module: nn.Module, refused: ImportRefused) -> ImportRefused:
    """The refusal, with the offer to import the class as own Python if that is possible."""
    try:
        (kind,) = custom_block_around(module, refused)
    except ImportRefused:
        return refused
    return as_own_python(refused, kind.__name__)


def composites_of(own: Mapping[type, Block]) -> dict[str, Composite]:
    """The composites that hold these classes."""
    return {block.name: composite_of(block.name, block.code) for block in own.values()}
