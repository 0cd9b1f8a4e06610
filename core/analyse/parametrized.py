"""Requirements of parametrizations on a weight, with its sizes in torch."""

from collections.abc import Iterator, Mapping
from typing import Any

from torch import nn

from blocks import Block, Fix, Problem
from blocks.parametrize import SETTING, chosen
from core.analyse.calls import constructed_on_meta

LARGE = 2048
"""Side of the square matrix that `orthogonal` solves for in each call, from which on it is slow:
a tenth of a second and 16 MiB for each copy."""
PLAIN = Fix("Remove the parametrization", ({"op": "set", "settings": {SETTING.name: None}},))


def weight_problem(block: Block, settings: Mapping[str, Any]) -> Problem | None:
    """Why the weight's parametrization cannot compute it; None where that is not the cause."""
    sides = _sides(block, settings)
    if settings.get(SETTING.name) != "symmetric" or len(sides) < 2 or sides[-1] == sides[-2]:
        return None
    return Problem(
        "bad_setting",
        "needs a weight whose last two sizes are equal, so that it can be symmetric, but its "
        f"weight is {_shown(sides)}.",
        "Choose another parametrization, or sizes that make the weight square.",
        (PLAIN,),
    )


def weight_warnings(block: Block, settings: Mapping[str, Any]) -> Iterator[Problem]:
    """What computing the weight will cost, where that is much."""
    if settings.get(SETTING.name) != "orthogonal":
        return
    side = max(_sides(block, settings)[-2:], default=0)
    if side >= LARGE:
        yield Problem(
            "slow_parametrization",
            f"solves for a {side} x {side} matrix in every step, to keep its weight of "
            f"{_shown(_sides(block, settings))} orthogonal.",
            "This is slow and uses much memory; weight_norm and spectral_norm are cheap.",
            (PLAIN,),
        )


def _sides(block: Block, settings: Mapping[str, Any]) -> tuple[int, ...]:
    """The sizes of the weight without its parametrization; () without one."""
    if chosen(block, settings) is None:
        return ()
    made = constructed_on_meta(block, {**settings, SETTING.name: None})
    return tuple(made.get_parameter("weight").shape) if isinstance(made, nn.Module) else ()


def _shown(sides: tuple[int, ...]) -> str:
    return " x ".join(str(side) for side in sides)
