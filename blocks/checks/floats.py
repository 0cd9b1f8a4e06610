"""Checks of functions that need floats of one kind on all their wires.

torch refuses to mix them when it runs, but not on the meta device.
"""

from collections.abc import Iterator

from blocks.checks.fixes import insert
from blocks.signature import Signature
from blocks.spec import Inputs, Problem, Settings

HALVES = ("float16", "bfloat16")


def same_floats(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that all wires with floats carry the kind of the first one."""
    given = {
        port: wire for port, wire in inputs.items() if isinstance(wire, Signature) and wire.floating
    }
    if not given:
        return
    (port, first), *rest = given.items()
    others = {name: wire for name, wire in rest if wire.dtype != first.dtype}
    for name, wire in others.items():
        yield Problem(
            "other_floats",
            f"needs floats of one kind but receives {first.dtype} at {port} and {wire.dtype} at "
            f"{name}.",
            f"Turn the values at {name} into {first.dtype} first.",
            (insert(name, "to", dtype=first.dtype),),
        )


def same_or_half(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """The same, but for half floats that are normalised by weights of float32."""
    rest = {port: wire for port, wire in inputs.items() if port != "input"}
    full = bool(rest) and all(wire.dtype == "float32" for wire in rest.values())
    if not (full and inputs["input"].dtype in HALVES):
        yield from same_floats(settings, inputs)
