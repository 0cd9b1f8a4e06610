"""Requirements of the cards on speed, as sentences about a drawing."""

from blocks import declaration
from core.wings.cards.drawing import Drawing


def without_attention(drawing: Drawing) -> str:
    """Why there is no attention to calculate in other ways, "" where there is."""
    if "F.scaled_dot_product_attention(" in str(drawing.report["source"]):
        return ""
    return "It needs the block scaled_dot_product_attention, and this drawing has none."


def without_causal_attention(drawing: Drawing) -> str:
    """Why no token is generated after another by attention, "" where it can be."""
    if problem := without_attention(drawing):
        return problem
    if "is_causal=True" in str(drawing.report["source"]):
        return ""
    return "It needs attention with is_causal, where no token looks at later ones."


def without_tokens(drawing: Drawing) -> str:
    """Why there are no texts of different lengths, "" for a network that reads tokens."""
    reads = any(
        declaration(part.block).setting("num_embeddings") for part in drawing.parts.values()
    )
    if reads and len(drawing.input_shape or ()) == 1 and drawing.dtype in ("int64", "int32"):
        return ""
    return "It needs a network that reads tokens through an Embedding, and this one does not."
