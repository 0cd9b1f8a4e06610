"""Check that a network gets the sizes it was drawn for."""

from blocks.checks.fixes import set_to
from blocks.spec import Problem, Settings


def another_size(settings: Settings) -> Problem | None:
    """The problem of an Input whose shape is not the one that its network holds for."""
    shape, static = tuple(settings["shape"]), settings.get("static_shape")
    if not static:
        return None
    pairs = list(zip(shape, static, strict=False))
    if len(shape) == len(static) and all(held in (None, size) for size, held in pairs):
        return None
    needed = tuple(size if held is None else held for size, held in pairs)
    needed += tuple(held or 1 for held in static[len(shape) :])
    said = ", ".join("any" if held is None else str(held) for held in static)
    return Problem(
        "static_shape",
        f"has the shape {shape} but the network holds for ({said}) only: it was imported from a "
        "model that decides by this size.",
        "Give it that shape, or import the model again with the other one.",
        (set_to(shape=needed),),
    )
