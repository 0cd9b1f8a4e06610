"""Hints for a model that accepts none of the guessed inputs, from the code of its forward."""

import ast
import inspect
import textwrap
from collections.abc import Iterator

import torch
from torch import Tensor, nn

USUAL = "Describe its input, such as --input 3,224,224 or --input '12:int64<100'."
SIZES = "SIZES"
"""Stands for the sizes of an input in a hint."""


def input_hint(module: nn.Module, usual: str = USUAL) -> str:
    """One sentence or two: for weights of another dtype, for arguments that are dictionaries,
    tuples or objects, else `usual`."""
    odd = next((p.dtype for p in module.parameters() if _is_other_float(p)), None)
    if odd is not None:
        name = str(odd).removeprefix("torch.")
        return f"Its weights are {name}, and a drawing takes float32: import model.float()."
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
    return usual


def _is_other_float(tensor: Tensor) -> bool:
    return tensor.is_floating_point() and tensor.dtype != torch.float32


def _parts(module: nn.Module) -> Iterator[tuple[str, str, str]]:
    """Parts of arguments that forward reads: name, key or number or attribute, and which it is."""
    try:
        text = textwrap.dedent(inspect.getsource(type(module).forward))
        (function,) = ast.parse(text).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return  # a forward without a file: nothing is known of it
    if not isinstance(function, ast.FunctionDef):
        return
    names = {argument.arg for argument in function.args.args[1:]}
    for node in ast.walk(function):
        yield from _parts_of(node, names)


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
