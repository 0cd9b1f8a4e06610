"""Requirements of the cards on graphs, as sentences about a drawing."""

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
