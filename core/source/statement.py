"""The two statements of a block, constructor and expression, from declaration and settings.

These are the texts the analysis runs and the source shows; no other place writes them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from blocks.spec import REQUIRED, Block, Setting
from core.source.literal import literal

HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Argument:
    """One argument of a call; `default` says that torch would assume this value anyway."""

    name: str
    value: Any
    positional: bool = False
    default: bool = False


def plain(setting: Setting, value: Any) -> Any:
    """Write (3, 3) as 3 where torch takes one number for all sides."""
    if setting.kind != "size" or not isinstance(value, tuple):
        return value
    sides = cast(tuple[Any, ...], value)
    same = len(sides) == setting.length and len(set(sides)) == 1 and sides[0] is not None
    return sides[0] if same else sides


def is_default(setting: Setting, value: Any) -> bool:
    """Whether torch's own default is this value."""
    if setting.default is REQUIRED:
        return False
    value, default = plain(setting, value), plain(setting, setting.default)
    return (type(value) is bool) == (type(default) is bool) and value == default


def arguments(block: Block, settings: Mapping[str, Any], call: bool) -> tuple[Argument, ...]:
    """List the arguments of the constructor (call=False) or of the call (call=True)."""
    return tuple(
        Argument(s.name, plain(s, settings[s.name]), s.positional, is_default(s, settings[s.name]))
        for s in block.settings
        if s.name in settings and s.call == call
    )


def write_arguments(
    given: tuple[Argument, ...], texts: Mapping[str, str] | None = None
) -> list[str]:
    """Write the arguments that differ from torch's defaults, by position while none is left out.

    texts: what stands for an argument instead of its literal (the name of a variable).
    """
    texts = texts or {}
    written: list[str] = []
    by_position = True
    for argument in given:
        if argument.default and argument.name not in texts:
            by_position = False
            continue
        text = texts.get(argument.name) or literal(argument.value)
        by_position = by_position and argument.positional
        written.append(text if by_position else f"{argument.name}={text}")
    return written


def construct(block: Block, settings: Mapping[str, Any]) -> str:
    """Write the constructor of a module block: nn.Conv2d(1, 6, kernel_size=5)."""
    return f"{block.init}({', '.join(write_arguments(arguments(block, settings, False)))})"


def template(block: Block, settings: Mapping[str, Any], ports: frozenset[str]) -> str:
    """Choose the expression's template for these settings and connected ports."""
    if callable(block.forward):
        return block.forward(settings, ports)
    return block.forward or _call(block, ports)


def _call(block: Block, ports: frozenset[str]) -> str:
    parts: list[str] = []
    by_position = True
    for port in block.inputs:
        if port.name not in ports:
            continue
        by_position = by_position and not port.optional  # torch has further arguments in between
        parts.append(f"{{{port.name}}}" if by_position else f"{port.name}={{{port.name}}}")
    return "{module}(" + ", ".join(parts) + "{settings})"


def express(
    block: Block,
    settings: Mapping[str, Any],
    wires: Mapping[str, Any],
    module: str = "",
    texts: Mapping[str, str] | None = None,
) -> str:
    """Write the expression of a node: self.conv1(x), torch.cat([a, b], dim=1), a + b.

    wires: port to variable name (a list of names for a list port). module: text of the module.
    texts: what stands for a setting instead of its literal.
    """
    form = template(block, settings, frozenset(wires))
    named = set(HOLE.findall(form))
    texts = texts or {}

    def fill(match: re.Match[str]) -> str:
        name = match[1]
        if name == "module":
            return module
        if name == "settings":
            return _rest(block, settings, named, texts)
        if name in wires:
            wire = wires[name]
            return wire if isinstance(wire, str) else ", ".join(wire)
        setting = block.setting(name)
        if setting is None:
            raise KeyError(f"{block.name}: {{{name}}} is neither a connected port nor a setting")
        return texts.get(name) or literal(plain(setting, settings[name]))

    return HOLE.sub(fill, form)


def _rest(
    block: Block, settings: Mapping[str, Any], named: set[str], texts: Mapping[str, str]
) -> str:
    given = [a for a in arguments(block, settings, call=bool(block.init)) if a.name not in named]
    words = [Argument(a.name, a.value, False, a.default) for a in given]
    return "".join(f", {text}" for text in write_arguments(tuple(words), texts))


def unpack(block: Block, names: Mapping[str, str]) -> str:
    """Write the assignment target for the outputs in use; the others become _."""
    filled = HOLE.sub(lambda m: names.get(m[1], "_"), block.returns)
    while (shorter := re.sub(r"\(_(?:, _)*\)", "_", filled)) != filled:
        filled = shorter
    return filled
