"""Requirements of the cards on operators, as blocks of a drawing."""

from core.wings.cards.drawing import Drawing


def behind_one(drawing: Drawing) -> tuple[str, ...]:
    """Blocks that give one tensor."""
    return tuple(part.path for part in drawing.parts.values() if part.shape is not None)
