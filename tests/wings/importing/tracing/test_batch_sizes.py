"""What a model decides by the size of its batch is refused by its line, wherever the border is."""

from pathlib import Path

import pytest
from torch import Tensor, nn

from core.wings.importing import ImportRefused, import_module


class Layered(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(6, 3)


class Beyond(Layered):
    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) * 2 if x.shape[0] > 5000 else self.fc(x)  # beyond


class Remainder(Layered):
    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) * 2 if x.size(0) % 97 == 41 else self.fc(x)  # remainder


class Counted(Layered):
    def forward(self, x: Tensor) -> Tensor:
        n = len(x)
        return self.fc(x) * 2 if n % 16 == 3 else self.fc(x)  # counted


class Values(Layered):
    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) * 2 if x.numel() > 3000 else self.fc(x)  # values


class LookedUp(Layered):
    def forward(self, x: Tensor) -> Tensor:
        y = self.fc(x)
        return y + y if {34: True}.get(len(x), False) else y  # looked up


class Cut(Layered):
    """Does the same for every batch, though it names a number."""

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) - self.fc(x[:150]).mean()


def line_of(word: str) -> int:
    with Path(__file__).open(encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if line.endswith(f"  # {word}\n"))


@pytest.mark.parametrize(
    ("kind", "word"),
    [(Beyond, "beyond"), (Remainder, "remainder"), (Values, "values")],
)
def test_a_border_that_a_comparison_follows_is_refused_by_line(
    kind: type[nn.Module], word: str
) -> None:
    with pytest.raises(ImportRefused, match="decides by the size of the batch") as refused:
        import_module(kind().eval(), [(6,)])
    assert refused.value.place == f"{kind.__name__} (test_batch_sizes.py, line {line_of(word)})"


@pytest.mark.parametrize("kind", [Counted, LookedUp])
def test_a_border_that_only_the_text_names_is_tried(kind: type[nn.Module]) -> None:
    with pytest.raises(ImportRefused, match="decides by the size of the batch"):
        import_module(kind().eval(), [(6,)])


def test_a_number_that_decides_nothing_is_drawn() -> None:
    assert import_module(Cut().eval(), [(6,)]).project.graph.of_block("Input") == ("features",)
