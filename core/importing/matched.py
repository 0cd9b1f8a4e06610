"""A step as a node, and the steps that are no calls of a named function: weights and indices."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from torch import nn

from blocks import CATALOGUE, Block
from core.importing.errors import ImportRefused
from core.importing.filling import drawn_like, same_values
from core.importing.settings import literal_of
from core.importing.steps import Ref, Step, Trace
from core.importing.tracked import Expression, Size


@dataclass
class Matched:
    """A step as a node. wires: port (tensors.0 in a list) to value. outputs: port to value.

    sizes: port to the expression of sizes that feeds it. burned: sizes that stay plain numbers,
    for people, with what they were calculated from.
    """

    block: Block
    settings: dict[str, Any]
    wires: dict[str, int]
    outputs: dict[str, int]
    sizes: dict[str, Expression] = field(default_factory=lambda: {})
    burned: dict[str, Expression] = field(default_factory=lambda: {})


def attribute(step: Step, trace: Trace) -> Matched:
    """A parameter or buffer that is used without a layer."""
    tensor = trace.tensors[step.path]
    settings: dict[str, Any] = {"shape": tuple(tensor.shape)}
    if isinstance(tensor, nn.Parameter):
        block = CATALOGUE["Parameter"]
        settings |= {} if tensor.requires_grad else {"requires_grad": False}
        settings |= drawn_like(tensor)
    else:
        block = CATALOGUE["Buffer"]
        settings["dtype"] = literal_of(tensor.dtype)
        settings |= same_values(tensor, settings)
    return Matched(block, settings, {}, {"output": step.makes[0]})


def index(step: Step) -> Matched:
    """A part of a tensor by an index of numbers and slices, or of tensors of numbers."""
    given = step.args[1]
    parts = (given,) if isinstance(given, Ref) or not isinstance(given, tuple) else given
    return _by_tensors(step, parts) or _by_text(step, parts)


def _by_tensors(step: Step, parts: tuple[Any, ...]) -> Matched | None:
    """Places that tensors name; None for an index that is not of tensors alone."""
    source, changes = step.args[0], step.name == "__setitem__"
    whole = next((i for i, part in enumerate(parts) if part != slice(None)), 0)
    numbers = parts[whole:]
    if numbers and all(isinstance(part, Ref) for part in numbers) and not changes:
        wires = {f"indices.{i}": part.value for i, part in enumerate(numbers)}
        wires["input"] = source.value
        settings = {"dim": whole} if whole else {}
        return Matched(CATALOGUE["index"], settings, wires, {"output": step.makes[0]})
    if parts and all(isinstance(part, Ref) for part in parts) and isinstance(step.args[2], Ref):
        wires = {f"indices.{i}": part.value for i, part in enumerate(parts)}
        wires |= {"input": source.value, "value": step.args[2].value}
        return Matched(CATALOGUE["index_put"], {}, wires, {"output": step.makes[0]})
    return None


def _by_text(step: Step, parts: tuple[Any, ...]) -> Matched:
    """Places that are written out, sizes among them as letters."""
    source, changes = step.args[0], step.name == "__setitem__"
    block, letters = CATALOGUE["setitem" if changes else "getitem"], iter("abcd")
    found = Matched(block, {}, {"input": source.value}, {"output": step.makes[0]})

    def text(part: Any) -> str:
        if part is None or part is Ellipsis:
            return "None" if part is None else "..."
        if isinstance(part, tuple):
            return f"[{', '.join(text(p) for p in cast(tuple[Any, ...], part))}]"
        if isinstance(part, slice):
            ends = ["" if p is None else text(p) for p in (part.start, part.stop)]
            return ":".join([*ends, *([] if part.step is None else [text(part.step)])])
        if isinstance(part, Size) and any(e[0] == "size" for e in expressions(part.expression)):
            letter = next(letters, None)
            if letter is None:
                raise strange(step, "an index of more than four sizes", int(part))
            found.sizes[letter] = part.expression
            return letter
        if isinstance(part, int) and not isinstance(part, bool):
            return str(int(part))
        raise strange(step, "an index", part)

    found.settings = {"index": f"[{', '.join(text(part) for part in parts)}]"}
    if changes and isinstance(step.args[2], Ref):
        found.wires["value"] = step.args[2].value
    elif changes:
        found.settings["value"] = literal_of(step.args[2])
    return found


def expressions(expression: Expression) -> Iterator[Expression]:
    """An expression and all its parts."""
    yield expression
    if expression[0] not in ("size", "int"):
        yield from expressions(expression[1])
        yield from expressions(expression[2])


def strange(step: Step, name: str, value: Any) -> ImportRefused:
    """Say that a call has an argument that its block does not take."""
    return ImportRefused(
        step.place,
        f"calls {step.name} with {name} = {value!r}, which its block does not take.",
        "Write this call in another way.",
    )
