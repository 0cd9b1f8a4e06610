"""Operators of the project's custom Python in files that refer to them by name."""

from torch import nn
from torch._library.custom_ops import CustomOpDef

from core.export.format import Format
from core.export.result import ExportError

HERE = "layerloom_model_"
"""How the names begin of files that stand in memory only."""


def own_operators(module: nn.Module) -> list[str]:
    """Names of the operators that classes of a module define, torch.library.custom_op."""
    kinds = {type(part): None for part in module.modules()}
    found = [v for kind in kinds for v in vars(kind).values() if isinstance(v, CustomOpDef)]
    return [str(operator._qualname) for operator in found]  # pyright: ignore[reportPrivateUsage]


def note_on_operators(module: nn.Module, kind: Format) -> str:
    """What to do before loading a file of this format, "" if nothing.

    Raises ExportError for an operator whose name cannot exist elsewhere.
    """
    operators = own_operators(module) if kind.by_name else []
    if lost := [operator for operator in operators if operator.startswith(HERE)]:
        inner = lost[0].partition("::")[2]
        raise ExportError(
            f"The file would call {inner}, an operator of the project's custom Python, named "
            "after its source text and does not exist elsewhere.",
            f'Name it "own::{inner}" in the code of the block, and import the Python source before '
            "loading the file; or export only the Python source.",
        )
    if not operators:
        return ""
    return f"import the Python source before it is loaded: it defines {', '.join(operators)}"
