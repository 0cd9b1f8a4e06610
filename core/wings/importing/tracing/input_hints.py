"""Hints for a model that accepts none of the guessed inputs, from the code of its forward."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor, nn

from core.project.inputs import Input

USUAL = "Describe its input, such as --input 3,224,224 or --input '12:int64<100'."
SIZES = "SIZES"
"""Stands for the sizes of an input in a hint."""


def input_hint(module: nn.Module, usual: str = USUAL, like: Input | None = None) -> str:
    """One sentence or two: for weights of another dtype, for arguments that are dictionaries,
    tuples or objects, for several of them, else `usual`. like: what the first layer takes."""
    if odd := other_dtype(module):
        return f"Its weights are {odd}, and a drawing takes float32: import model.float()."
    found = list(dict.fromkeys(_parts(module)))
    objects = [f"{name}.{part}" for name, part, kind in found if kind == "attribute"]
    if objects:
        return (
            f"Its forward reads {', '.join(objects)} of an object: let forward take a tensor for "
            f"each, such as forward(self, {', '.join(o.partition('.')[2] for o in objects)})."
        )
    inputs = [f"--input {name}.{part}={SIZES}" for name, part, _ in found]
    if inputs:
        return f"Its forward reads parts of one argument: pass each one, as in {' '.join(inputs)}."
    names = _several(module) if like else []
    if len(names) > 1:
        each = " ".join(f"--input {replace(like, name=name)}" for name in names if like)
        return f"Its forward takes several inputs: give one --input for each, such as {each}."
    return usual


def other_dtype(module: nn.Module) -> str:
    """The dtype of weights that are floating but not float32, "" without such."""
    odd = next((p.dtype for p in module.parameters() if _is_other_float(p)), None)
    return str(odd).removeprefix("torch.") if odd is not None else ""


def _several(module: nn.Module) -> list[str]:
    """Names of the inputs that forward needs; of *inputs, "" for as many as it reads."""
    parameters = inspect.signature(module.forward).parameters.values()
    several = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "")
    fixed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [p.name for p in parameters if p.kind in fixed and p.default is p.empty]
    if not several:
        return [*needed, *keywords(module)] if len(needed) + len(keywords(module)) > 1 else []
    return [""] * (len(needed) + max([2, *_counts(module, several)]))


def keywords(module: nn.Module) -> list[str]:
    """Names that forward reads of its **keywords, in order."""
    parameters = inspect.signature(module.forward).parameters.values()
    several = {p.name for p in parameters if p.kind is p.VAR_KEYWORD}
    function = _forward(module) if several else None
    nodes = ast.walk(function) if function else ()
    found = (part for node in nodes for part in _parts_of(node, several))
    return list(dict.fromkeys(part for _, part, kind in found if kind == "key"))


def _counts(module: nn.Module, name: str) -> Iterator[int]:
    """Numbers of values that forward reads of *name: by place, by unpacking, by its length."""
    function = _forward(module)
    yield from (place + 1 for place in _places(function, name))
    for node in ast.walk(function) if function else ():
        match node:
            case ast.Compare(left=ast.Call(args=[ast.Name(id=read)]), comparators=[limit]):
                known = isinstance(limit, ast.Constant) and isinstance(limit.value, int)
                yield limit.value if known and read == name else 0  # pyright: ignore
            case _:
                yield from (
                    int(p) + 1 for _, p, kind in _parts_of(node, {name}) if kind == "number"
                )


def _is_other_float(tensor: Tensor) -> bool:
    return tensor.is_floating_point() and tensor.dtype != torch.float32


def _parts(module: nn.Module) -> Iterator[tuple[str, str, str]]:
    """Parts of arguments that forward reads: name, key or number or attribute, and which it is."""
    function = _forward(module)
    names = {argument.arg for argument in function.args.args[1:]} if function else set[str]()
    for node in ast.walk(function) if function else ():
        yield from _parts_of(node, names)
    for name in sorted(names) if function else ():
        places = _places(function, name)
        for place in range(max(places) + 1) if len(places) > 1 else ():  # x[0] alone is a sample
            yield name, str(place), "number"


def _places(function: ast.FunctionDef | None, name: str) -> set[int]:
    """The places of a list or tuple that are read, as in name[1]."""
    nodes = ast.walk(function) if function else ()
    return {
        node.slice.value
        for node in nodes
        if isinstance(node, ast.Subscript)
        and _is_named(node.value, {name})
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, int)
    }


def _forward(module: nn.Module) -> ast.FunctionDef | None:
    try:
        text = textwrap.dedent(inspect.getsource(type(module).forward))
        (function,) = ast.parse(text).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None  # a forward without a file: nothing is known of it
    return function if isinstance(function, ast.FunctionDef) else None


def _parts_of(node: ast.AST, names: set[str]) -> Iterator[tuple[str, str, str]]:
    if isinstance(node, ast.Subscript) and _is_named(node.value, names):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            yield _name(node.value), node.slice.value, "key"
    elif isinstance(node, ast.Attribute) and _is_named(node.value, names):
        if not hasattr(Tensor, node.attr) and not hasattr(dict, node.attr):
            yield _name(node.value), node.attr, "attribute"
    elif isinstance(node, ast.Assign) and _is_named(node.value, names):
        (target, *_) = node.targets
        if isinstance(target, ast.Tuple):
            for number in range(len(target.elts)):
                yield _name(node.value), str(number), "number"


def _is_named(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _name(node: ast.AST) -> str:
    assert isinstance(node, ast.Name)
    return node.id
