"""F.pad is drawn for every number of pairs that torch takes, unless it adds samples."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.analyse import analyse, build
from core.wings.importing.from_module import import_module


class Padded(nn.Module):
    """Adds a border in forward."""

    def __init__(self, pad: tuple[int, ...], **settings: Any) -> None:
        super().__init__()
        self.pad, self.settings = pad, settings

    def forward(self, x: Tensor) -> Tensor:
        return F.pad(x, self.pad, **self.settings)


@pytest.mark.parametrize(
    ("shape", "pad", "settings"),
    [
        ((5, 3), (0, 0, 0, 1, 0, 0), {}),
        ((3,), (1, 0, 0, 0), {"value": 2.0}),
        ((4, 5, 3), (0, 0, 0, -1, 2, 0, 0, 0), {"value": -1.0}),
        ((3,), (1, 1), {"mode": "reflect"}),
        ((5, 3), (1, 2, 2, 1), {"mode": "replicate"}),
        ((5, 3), (1, 2), {"mode": "circular"}),
        ((4, 4, 5), (1, 1, 2, 2, 1, 1), {"mode": "reflect"}),
    ],
)
def test_a_border_is_drawn_as_torch_makes_it(
    shape: tuple[int, ...], pad: tuple[int, ...], settings: dict[str, Any]
) -> None:
    module = Padded(pad, **settings)
    report = analyse(import_module(module, [shape], "net", ["float32"]).project.graph, "net")
    assert report.source, report.errors
    x = torch.randn(4, *shape)
    assert torch.equal(build(report.source)(x), module(x))


def test_a_border_of_samples_is_refused_with_the_numbers() -> None:
    project = import_module(Padded((0, 0, 0, 1, 0, 1)), [(5, 3)], "net", ["float32"]).project
    (error,) = analyse(project.graph, "net").errors
    assert error.message == (
        "pad1 needs pad as pairs (before, after) for up to 2 dimensions of (N, 5, 3) "
        "but has 6 numbers."
    )
