"""Operations between wires, and those that compute one number from many."""

from dataclasses import replace
from typing import Any

from blocks.checks.dims import in_range
from blocks.checks.floats import same_floats
from blocks.checks.joins import (
    batch_joined,
    joinable,
    no_booleans,
    one_tensor,
    same_shape,
    stackable,
    whole_alpha,
)
from blocks.checks.products import batch_multipliable, multipliable
from blocks.shared import ANY_RANK, DIMS, DIVISOR, TORCH, floats, operand
from blocks.spec import Block, Port, Setting, Settings, add

BOTH = (Port("input"), Port("other"))


def elementwise(
    name: str, summary: str, formula: str, forward: Any, numbers: str = "", **more: Any
) -> Block:
    """Declare an operation on two tensors of the same shape.

    numbers: the ports that a number may stand for.
    """
    declared: dict[str, Any] = {"checks": (same_shape,), "inputs": BOTH, **more}
    given = tuple(operand(port) for port in numbers.split())
    declared["settings"] = (*given, *declared.get("settings", ()))
    declared["inputs"] = tuple(
        replace(port, number=port.name in numbers.split()) for port in declared["inputs"]
    )
    declared["checks"] = (*declared["checks"], *((one_tensor,) if len(given) == 2 else ()))
    return Block(
        name,
        family="arithmetic",
        summary=summary,
        forward=forward,
        shape_in="two tensors of the same shape; a size of 1 is repeated"
        + ("; or one tensor and a number" if given else ""),
        shape_out="that shape",
        formula=formula,
        reference=f"{TORCH}{name}.html",
        **declared,
    )


def alpha(what: str) -> tuple[Setting, ...]:
    """Declare the factor on the second tensor."""
    return (Setting("alpha", "float", f"Factor on the second tensor before {what}.", default=1),)


def call_add(settings: Settings, ports: frozenset[str]) -> str:
    """Write a sum."""
    plain = settings["alpha"] == 1
    return "{input} + {other}" if plain else "torch.add({input}, {other}{settings})"


def call_sub(settings: Settings, ports: frozenset[str]) -> str:
    """Write a difference."""
    plain = settings["alpha"] == 1
    return "{input} - {other}" if plain else "torch.sub({input}, {other}{settings})"


def call_div(settings: Settings, ports: frozenset[str]) -> str:
    """Write a quotient."""
    plain = settings["rounding_mode"] is None
    return "{input} / {other}" if plain else "torch.div({input}, {other}{settings})"


def list_block(name: str, summary: str, formula: str, dim_help: str, **more: Any) -> Block:
    """Declare an operation on a list of wires."""
    return Block(
        name,
        family="arithmetic",
        summary=summary,
        inputs=(Port("tensors", kind="tensors", rank=ANY_RANK, help="Two or more wires."),),
        settings=(Setting("dim", "int", f"{dim_help} {DIMS}", default=0, start=1),),
        forward=f"torch.{name}([{{tensors}}]{{settings}})",
        formula=formula,
        reference=f"{TORCH}{name}.html",
        **more,
    )


RESIDUAL = "He, Zhang, Ren, Sun. Deep residual learning for image recognition. 2015"
DENSE = "Huang, Liu, van der Maaten, Weinberger. Densely connected convolutional networks. 2016"

add(
    elementwise(
        "add",
        "Adds two tensors element by element: the join of a residual connection.",
        r"y = a + \alpha b",
        call_add,
        "other",
        settings=alpha("adding"),
        checks=(same_shape, whole_alpha),
        paper=RESIDUAL,
        keywords=("plus", "sum", "residual", "skip", "join"),
        traits=frozenset({"adds"}),
        stem="join",
    ),
    elementwise(
        "sub",
        "Subtracts the second tensor from the first, element by element.",
        r"y = a - \alpha b",
        call_sub,
        "input other",
        settings=alpha("subtracting"),
        checks=(same_shape, whole_alpha, no_booleans),
        keywords=("minus", "difference", "subtract"),
    ),
    elementwise(
        "mul",
        "Multiplies two tensors element by element, as a gate does.",
        r"y = a \odot b",
        "{input} * {other}",
        "other",
        keywords=("times", "product", "gate", "multiply", "scale"),
        traits=frozenset({"multiplies"}),
    ),
    elementwise(
        "div",
        "Divides the first tensor by the second, element by element.",
        r"y = a / b",
        call_div,
        "input other",
        settings=(
            Setting(
                "rounding_mode",
                "choice",
                "Round the result: trunc towards zero, floor down; leave empty for no rounding.",
                default=None,
                choices=("trunc", "floor"),
                optional=True,
            ),
        ),
        checks=(same_shape, no_booleans),
        keywords=("divide", "ratio", "quotient"),
        domain=DIVISOR,
    ),
    elementwise(
        "maximum",
        "Keeps the larger value of two tensors, element by element.",
        r"y = \max(a, b)",
        "torch.maximum({input}, {other})",
        keywords=("max", "larger"),
    ),
    elementwise(
        "minimum",
        "Keeps the smaller value of two tensors, element by element.",
        r"y = \min(a, b)",
        "torch.minimum({input}, {other})",
        keywords=("min", "smaller"),
    ),
    Block(
        "matmul",
        family="arithmetic",
        summary="Multiplies matrices: rows of the first with columns of the second.",
        inputs=(
            floats("input", rank=ANY_RANK, form="(N, *, L, E)"),
            floats("other", rank=ANY_RANK, form="(N, *, E, S)"),
        ),
        forward="torch.matmul({input}, {other})",
        shape_in="(N, *, L, E) and (N, *, E, S); either may be a vector (E,)",
        shape_out="(N, *, L, S)",
        formula=r"y_{ij} = \sum_k a_{ik} b_{kj}",
        reference=TORCH + "matmul.html",
        checks=(multipliable, same_floats),
        keywords=("matrix product", "dot product", "attention scores"),
    ),
    Block(
        "bmm",
        family="arithmetic",
        summary="Multiplies one pair of matrices for each sample of the batch.",
        inputs=(
            floats("input", rank=(3,), form="(N, L, E)"),
            floats("mat2", rank=(3,), form="(N, E, S)"),
        ),
        forward="torch.bmm({input}, {mat2})",
        shape_in="(N, L, E) and (N, E, S)",
        shape_out="(N, L, S)",
        formula=r"y_{nij} = \sum_k a_{nik} b_{nkj}",
        reference=TORCH + "bmm.html",
        checks=(batch_multipliable, same_floats),
        keywords=("matrix product", "batch", "attention scores"),
    ),
    list_block(
        "cat",
        "Joins tensors along one dimension, such as channels.",
        r"C = C_1 + C_2 + \dots",
        "Dimension to join along; 1 is channels.",
        shape_in="tensors of equal sizes except in dim",
        shape_out="the same with the sizes of dim added up",
        checks=(in_range("dim", port="tensors"), joinable),
        warnings=(batch_joined,),
        paper=DENSE,
        keywords=("concatenate", "concat", "densenet", "inception", "u-net", "skip"),
        traits=frozenset({"regroups"}),
    ),
    list_block(
        "stack",
        "Stacks tensors of the same shape along a new dimension.",
        r"y_{:, i} = x_i",
        "Position of the new dimension; 1 is right after the batch.",
        shape_in="tensors of the same shape",
        shape_out="that shape with the number of tensors at dim",
        checks=(in_range("dim", port="tensors", extra=1), stackable),
        keywords=("list", "new dimension", "join"),
    ),
)
