"""Requirements of the cards on operators, as blocks of a drawing."""

from core.wings.cards.drawing import Drawing


def behind_one(drawing: Drawing) -> tuple[str, ...]:
    """Blocks that give one tensor."""
    return tuple(part.path for part in drawing.parts.values() if part.shape is not None)


def linears(drawing: Drawing) -> tuple[str, ...]:
    """Linear blocks whose weight is a tensor of their own."""
    found = (part for part in drawing.parts.values() if part.block == "Linear" and part.shape)
    return tuple(part.path for part in found if not part.settings.get("parametrize"))
