"""What is not learned is in the source: masks and positions of a model are written, not lost."""

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.wings.importing import import_module


class Tables(nn.Module):
    """The buffers of textbook code: masks, positions, and tables that only weights can hold."""

    def __init__(self, **tables: Tensor) -> None:
        super().__init__()
        self.names = list(tables)
        for name, tensor in tables.items():
            self.register_buffer(name, tensor)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return tuple(x + getattr(self, name) for name in self.names)


def source_of(module: nn.Module) -> str:
    report = analyse(import_module(module, [(5, 5)], "tables").project.graph, "tables")
    assert report.source, report.errors
    return report.source


WRITTEN = {
    "torch.tril(torch.ones(1, 1, 5, 5))": torch.ones(5, 5).tril().view(1, 1, 5, 5),
    "torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)": torch.ones(5, 5).triu(1) > 0,
    'torch.triu(torch.full((5, 5), float("-inf")), 1)': torch.full((5, 5), -torch.inf).triu(1),
    "torch.cumsum(torch.ones(1, 5), -1, dtype=torch.int64) - 1": torch.arange(5).view(1, 5),
    "torch.cumsum(torch.ones(5), -1) - 1": torch.arange(5.0),
    "torch.full((5,), 0.1)": torch.full((5,), 0.1),
    "torch.full((5,), 0.12345679104328156)": torch.full((5,), 0.12345679),
    "torch.full((5,), 7.0, dtype=torch.int64)": torch.full((5,), 7),
    "torch.ones(5, 5, dtype=torch.bool)": torch.ones(5, 5, dtype=torch.bool),
    "torch.zeros(5, dtype=torch.int64)": torch.zeros(5, dtype=torch.int64),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_mask_or_a_row_of_positions_is_in_the_source_to_the_bit(text: str):
    table = WRITTEN[text]
    source = source_of(Tables(table=table))
    assert f"self.table=nn.Buffer({text})".replace(" ", "") in "".join(source.split())
    assert torch.equal(build(source).state_dict()["table"], table)
    assert "weights" not in source


@pytest.mark.parametrize("table", [
    torch.tensor([0.485, 0.456, 0.406, 0.4, 0.3]), torch.tensor([4, 2, 0, 1, 3]),
    torch.full((5, 5), torch.nan), torch.ones(5, 5).triu(),
])  # fmt: skip
def test_values_that_no_statement_makes_are_marked_to_come_with_the_weights(table: Tensor):
    lines = source_of(Tables(table=table)).splitlines()
    line = next(i for i, text in enumerate(lines) if "self.table = nn.Buffer(torch.zeros" in text)
    assert lines[line - 1] == "        # its values come with the weights"


def test_a_parameter_that_training_leaves_as_it_is_comes_with_the_weights_too():
    module = Tables()
    module.names = ["places"]
    module.places = nn.Parameter(torch.arange(25.0).view(5, 5).sin(), requires_grad=False)
    source = source_of(module)
    assert "# its values come with the weights\n        self.places = nn.Parameter(" in source
    assert "requires_grad=False" in source
