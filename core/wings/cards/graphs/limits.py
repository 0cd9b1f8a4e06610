"""Requirements of the cards on graphs, as sentences about a drawing."""

from blocks import declaration, has
from core.wings.cards.drawing import Drawing

TAKEN = ("add_submodule", "code", "delete_all_unused_submodules", "delete_submodule", "graph",
         "print_readable", "recompile", "to_folder")  # fmt: skip
"""Names that torch.fx.GraphModule has besides those of every module; a test compares the list."""


def untraceable(drawing: Drawing) -> str:
    """Why torch.fx cannot hold the blocks of a drawing under their names, "" where it can."""
    taken = next((path for path in drawing.parts if path.partition(".")[0] in TAKEN), "")
    if not taken:
        return ""
    name = taken.partition(".")[0]
    return f"torch.fx uses the name {name} itself. Rename that block to run this card."


def on_images(block: str, trait: str) -> bool:
    """Whether a block has a trait and takes pictures, (N, C, H, W), alone."""
    return has(block, trait) and [port.rank for port in declaration(block).inputs] == [(4,)]


def norm_behind(drawing: Drawing, path: str) -> str:
    """The BatchNorm that reads a convolution, and nothing else reads it; "" for none."""
    outer, _, name = path.rpartition(".")
    graph = drawing.project.graph
    composites = graph.composites
    for step in outer.split(".") if outer else ():
        if step in graph.nodes:  # else the number of a repeated block
            graph = composites[graph.nodes[step].block].graph
    readers = [edge.target for edge in graph.out_of(name)]
    if len(readers) != 1 or not on_images(drawing.parts[path].block, "convolves"):
        return ""
    norm = f"{outer}.{readers[0]}" if outer else readers[0]
    part = drawing.parts.get(norm)
    return norm if part and on_images(part.block, "batch_statistics") else ""
