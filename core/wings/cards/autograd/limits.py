"""Requirements of the cards on gradients, as blocks of a drawing."""

from core.wings.cards.drawing import Drawing


def inner(drawing: Drawing) -> tuple[str, ...]:
    """Blocks with weights, without the first: a gradient passes through their input, too."""
    found = [path for path, part in drawing.parts.items() if part.params and part.shape]
    return tuple(found[1:])


def one_tensor(drawing: Drawing, path: str) -> bool:
    """Whether a block gives one tensor, and no tuple as an LSTM does."""
    outputs = drawing.report["nodes"][path]["outputs"]
    return len(outputs) == 1 and drawing.parts[path].shape is not None


def inner_tensor(drawing: Drawing) -> tuple[str, ...]:
    """Blocks with weights that give one tensor, without the first block with weights."""
    return tuple(path for path in inner(drawing) if one_tensor(drawing, path))


def differentiable(drawing: Drawing) -> tuple[str, ...]:
    """Blocks that give one tensor: those of one's own first, then those with weights."""
    own = drawing.project.graph.composites
    parts = [part for part in drawing.parts.values() if part.shape is not None]

    def place(block: str, weights: int) -> int:
        return 0 if block in own and own[block].python else 1 if weights else 2

    return tuple(p.path for p in sorted(parts, key=lambda p: place(p.block, p.params)))
