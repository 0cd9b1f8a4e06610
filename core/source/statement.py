"""The two statements of a block, constructor and expression, from declaration and settings.

These are the texts the analysis runs and the source shows; no other place writes them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from blocks.parametrize import chosen
from blocks.spec import REQUIRED, Block, Setting
from core.source.literal import Bare, literal

Text = str | tuple[str, ...]
"""What stands for a value instead of its literal; of a list, what stands for each item."""

WORD = re.compile(r"(\w+)=")
HOLE = re.compile(r"\{(?P<spread>\*?)(?P<name>\w+)\}")


@dataclass(frozen=True)
class Argument:
    """One argument of a call; `default`: whether it is torch's own default."""

    name: str
    value: Any
    positional: bool = False
    default: bool = False


def plain(setting: Setting, value: Any) -> Any:
    """Write (3, 3) as 3 where torch takes one number for all sides; "inf" as a number."""
    if isinstance(value, str) and setting.bare is not None:
        return Bare(setting.bare(value) if callable(setting.bare) else setting.bare + value)
    if isinstance(value, str) and setting.kind == "float":
        return float(value)
    if not (setting.kind == "size" or setting.several) or not isinstance(value, tuple):
        return value
    sides = cast(tuple[Any, ...], value)
    if not sides or (len(sides) != setting.length and not setting.several):
        return sides
    return sides[0] if len(set(sides)) == 1 and sides[0] is not None else sides


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
        if s.name in settings and s.call == call and not s.chooses
    )


def write_arguments(
    arguments: tuple[Argument, ...], texts: Mapping[str, Text] | None = None
) -> list[str]:
    """Write the arguments that differ from torch's defaults, by position while none is left out.

    texts: what stands for an argument instead of its literal (the name of a variable).
    """
    texts = texts or {}
    written: list[str] = []
    by_position = True
    for argument in arguments:
        if argument.default and argument.name not in texts:
            by_position = False
            continue
        text_of_argument = texts.get(argument.name)
        text = whole(text_of_argument) if text_of_argument else literal(argument.value)
        by_position = by_position and argument.positional
        written.append(text if by_position else f"{argument.name}={text}")
    return written


def whole(text: Text) -> str:
    """Write a text of items as one tuple."""
    if isinstance(text, str):
        return text
    return f"({text[0]},)" if len(text) == 1 else f"({', '.join(text)})"


def built(block: Block, settings: Mapping[str, Any]) -> str:
    """Choose the template of the constructor for these settings; "" for a plain call of `init`."""
    return block.built(settings) if callable(block.built) else block.built


def construct(
    block: Block, settings: Mapping[str, Any], texts: Mapping[str, Text] | None = None
) -> str:
    """Write the constructor of a module block: nn.Conv2d(1, 6, kernel_size=5), with the
    parametrization of its weight around it.

    texts: what stands for a setting instead of its literal.
    """
    plain_text, way = _plain(block, settings, texts or {}), chosen(block, settings)
    return way.around(plain_text) if way else plain_text


def _plain(block: Block, settings: Mapping[str, Any], texts: Mapping[str, Text]) -> str:
    form = built(block, settings)
    if not form:
        differing = arguments(block, settings, False)
        return f"{block.init}({', '.join(write_arguments(differing, texts))})"

    def fill(hole: re.Match[str]) -> str:
        setting = block.setting(hole["name"])
        if setting is None:
            raise KeyError(f"{block.name}: {{{hole['name']}}} is not a setting")
        return _text(setting, settings, {}, texts, bool(hole["spread"]))

    return HOLE.sub(fill, form)


def _text(
    setting: Setting,
    settings: Mapping[str, Any],
    inputs: Mapping[str, Any],
    texts: Mapping[str, Text],
    spread: bool = False,
) -> str:
    """Write a setting's value; inputs wired to single entries of a list replace its numbers."""
    value, name = plain(setting, settings[setting.name]), setting.name
    wired_items = [port for port in inputs if port.startswith(f"{name}.")]
    text_given = texts.get(name)
    if not wired_items and not spread:
        return whole(text_given) if text_given else literal(value)
    if spread and not wired_items and isinstance(text_given, str):
        return f"*{text_given}"
    value_given = settings[name]
    items = _items(
        text_given,
        cast(tuple[Any, ...], value_given if isinstance(value_given, tuple) else (value_given,)),
    )
    items = [inputs.get(f"{name}.{i}") or item for i, item in enumerate(items)]
    if spread:
        return ", ".join(items)
    return whole(tuple(items)) if isinstance(value_given, tuple) or len(items) > 1 else items[0]


def _items(text: Text | None, values: tuple[Any, ...]) -> list[str]:
    """Write the items of a list one by one."""
    if isinstance(text, tuple):
        return list(text)
    return [f"{text}[{i}]" if text else literal(item) for i, item in enumerate(values)]


def template(block: Block, settings: Mapping[str, Any], ports: frozenset[str]) -> str:
    """Choose the expression's template for these settings and connected ports."""
    if callable(block.forward):
        return block.forward(settings, ports)
    return block.forward or _call(block, ports)


def _call(block: Block, ports: frozenset[str]) -> str:
    parts: list[str] = []
    by_position = True
    for port in block.inputs:
        if port.name not in ports or block.setting(port.name):
            continue
        by_position = by_position and not port.optional  # torch has further arguments in between
        parts.append(f"{{{port.name}}}" if by_position else f"{port.name}={{{port.name}}}")
    return "{module}(" + ", ".join(parts) + "{settings})"


def express(
    block: Block,
    settings: Mapping[str, Any],
    inputs: Mapping[str, Any],
    module: str = "",
    texts: Mapping[str, Text] | None = None,
) -> str:
    """Write the expression of a node: self.conv1(x), torch.cat([a, b], dim=1), a + b.

    inputs: port to variable name (a list of names for a list port). module: text of the module.
    texts: what stands for a setting instead of its literal.
    """
    return _filled(
        template(block, settings, frozenset(inputs)), block, settings, inputs, module, texts
    )


def follow(
    block: Block,
    settings: Mapping[str, Any],
    inputs: Mapping[str, Any],
    output: str,
    texts: Mapping[str, Text] | None = None,
) -> str:
    """Write the statement behind the expression, x[:, 0] = 1; "" for nearly every block."""
    if block.after is None:
        return ""
    form = block.after(settings, frozenset(inputs))
    return _filled(form, block, settings, {**inputs, "output": output}, "", texts)


def _filled(
    form: str,
    block: Block,
    settings: Mapping[str, Any],
    inputs: Mapping[str, Any],
    module: str,
    texts: Mapping[str, Text] | None,
) -> str:
    named = {hole["name"] for hole in HOLE.finditer(form)} | {*WORD.findall(form)}
    texts = texts or {}

    def fill(match: re.Match[str]) -> str:
        name = match["name"]
        if name == "module":
            return module
        if name == "settings":
            return _rest(block, settings, named, texts, inputs)
        if name in inputs:
            variable = inputs[name]
            return variable if isinstance(variable, str) else ", ".join(variable)
        setting = block.setting(name)
        if setting is None:
            raise KeyError(f"{block.name}: {{{name}}} is neither a connected port nor a setting")
        return _text(setting, settings, inputs, texts, bool(match["spread"]))

    return HOLE.sub(fill, form)


def _rest(
    block: Block,
    settings: Mapping[str, Any],
    named: set[str],
    texts: Mapping[str, Text],
    inputs: Mapping[str, Any],
) -> str:
    others = [a for a in arguments(block, settings, call=bool(block.init)) if a.name not in named]
    words = [Argument(a.name, a.value, False, a.default) for a in others]
    wired = {port.split(".")[0] for port in inputs}
    composed = {
        s.name: _wired_text(s, settings, inputs, texts) for s in block.settings if s.name in wired
    }
    return "".join(f", {text}" for text in write_arguments(tuple(words), {**texts, **composed}))


def _wired_text(
    setting: Setting,
    settings: Mapping[str, Any],
    inputs: Mapping[str, Any],
    texts: Mapping[str, Text],
) -> str:
    whole = inputs.get(setting.name)
    return whole if isinstance(whole, str) else _text(setting, settings, inputs, texts)


def returns(block: Block, settings: Mapping[str, Any]) -> str:
    """How the outputs are nested in the value, for these settings."""
    return block.returns(settings) if callable(block.returns) else block.returns


def unpack(
    block: Block, settings: Mapping[str, Any], names: Mapping[str, str], outputs: Iterable[str]
) -> str:
    """Write the assignment target for the outputs in use; the others become _.

    outputs: all outputs there are, `output.0`, `output.1`, ... of a list port.
    """
    lists = {port.name for port in block.outputs if port.listed}

    def fill(hole: re.Match[str]) -> str:
        if hole["name"] not in lists:
            return names.get(hole["name"], "_")
        mine = [names.get(port, "_") for port in outputs if port.split(".")[0] == hole["name"]]
        return ", ".join(mine) + "," * (len(mine) == 1)

    filled = HOLE.sub(fill, returns(block, settings))
    while (shorter := re.sub(r"\(_(?:, _)*\)", "_", filled)) != filled:
        filled = shorter
    return filled
