"""Requirements of the cards on weights, as sentences about a drawing."""

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
