"""Requirements of the cards on weights, as sentences about a drawing."""

from blocks import CATALOGUE, has
from core.wings.cards.drawing import Drawing


def without_weights(drawing: Drawing) -> str:
    """Why there are no weights to change, "" where there are."""
    if drawing.params:
        return ""
    return "It needs a block with weights, and this drawing has none: add a Linear."


def without_own_weights(drawing: Drawing) -> str:
    """Why there are no weights to change as they are, "" where there are."""
    parts = drawing.parts.values()
    computed = next((part for part in parts if part.settings.get("parametrize")), None)
    if computed:
        how = computed.settings["parametrize"]
        return f"It changes weights, and that of {computed.path} is computed from others ({how})."
    return without_weights(drawing)


def plain_weights(drawing: Drawing) -> tuple[str, ...]:
    """Blocks that could compute their weight, and do not."""
    return tuple(
        part.path
        for part in drawing.parts.values()
        if part.block in CATALOGUE
        and CATALOGUE[part.block].setting("parametrize")
        and not part.settings.get("parametrize")
    )


def linears(drawing: Drawing) -> tuple[str, ...]:
    """The Linear blocks of a drawing that hold their own weight."""
    return tuple(
        path
        for path, part in drawing.parts.items()
        if has(part.block, "dense") and not part.settings.get("parametrize")
    )


def with_outputs(drawing: Drawing) -> tuple[str, ...]:
    """Blocks whose own weight has a row for each output."""
    parts = drawing.parts
    return tuple(p for p in plain_weights(drawing) if has(parts[p].block, "dense", "convolves"))
