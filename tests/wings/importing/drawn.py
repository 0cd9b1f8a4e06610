"""A small module, imported and compared."""

from typing import Any

import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.project.comparison import OutputComparison
from core.wings.importing import ImportedModel, import_module
from core.wings.importing.verify.equivalence import verdicts

FIRST = ("the sample", "another batch")
"""Verdicts that can always be reached."""


class Calls(nn.Module):
    """A module whose forward is one function."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Any:
        return self.function(x)


def compared(module: nn.Module, *shape: int, dtype: str = "float32") -> dict[str, OutputComparison]:
    """The verdicts on the drawing of a module, by name."""
    return compared_with_drawing(module, *shape, dtype=dtype)[0]


def compared_with_drawing(
    module: nn.Module, *shape: int, dtype: str = "float32"
) -> tuple[dict[str, OutputComparison], ImportedModel, nn.Module]:
    """The verdicts on the drawing of a module by name, the import, and the drawing's module."""
    found = import_module(module.eval(), [shape], dtypes=[dtype])
    report = analyse(found.project.graph)
    assert report.source, report.errors
    ours = build(report.source)
    judged = verdicts(module, ours, found.keys, [shape], [dtype])
    return {verdict.name: verdict for verdict in judged}, found, ours


def values_of(function: Any, x: Tensor) -> Tensor:
    """What the drawing of a function of tensors gives for x."""
    found = import_module(Calls(function), [tuple(x.shape[1:])])
    report = analyse(found.project.graph)
    assert report.source, report.errors
    with torch.no_grad():
        return build(report.source)(x)
