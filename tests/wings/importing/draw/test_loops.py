"""Layers in a list that all take the same mask: a loop in the source, with the model's own keys."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.insight.features import capture
from core.source.audit import audit
from core.wings.importing import ImportedModel, import_module

GOLDEN = Path(__file__).parents[3] / "golden" / "imported" / "masked_transformer.py"
SHAPES = [(12, 16), (12,)]


class Layer(nn.Module):
    def __init__(self, heads: int, p: float) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(16, heads, batch_first=True)
        self.norm1 = nn.LayerNorm(16)
        self.feed = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
        self.drop = nn.Dropout(p)
        self.norm2 = nn.LayerNorm(16)

    def forward(self, x: Tensor, padding: Tensor) -> Tensor:
        seen, _ = self.attention(x, x, x, key_padding_mask=padding)
        x = self.norm1(x + self.drop(seen))
        return self.norm2(x + self.drop(self.feed(x)))


class Masked(nn.Module):
    """An encoder as tutorials write it. rates: of the layers' dropout."""

    def __init__(self, rates: tuple[float, ...] = (0.1, 0.1, 0.1)) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Layer(4, p) for p in rates])
        self.head = nn.Linear(16, 5)

    def forward(self, x: Tensor, length: Tensor) -> Tensor:
        padding = length == 0
        for layer in self.layers:
            x = layer(x, padding)
        return self.head(x)


class Decoder(nn.Module):
    """Two lists of torch's own layers: what the second is given every time is the first's."""

    def __init__(self) -> None:
        super().__init__()
        self.below = nn.ModuleList(
            [nn.TransformerEncoderLayer(16, 2, 32, batch_first=True) for _ in range(2)]
        )
        self.above = nn.ModuleList(
            [nn.TransformerDecoderLayer(16, 2, 32, batch_first=True) for _ in range(2)]
        )

    def forward(self, x: Tensor, length: Tensor) -> Tensor:
        padding = length == 0
        memory = x
        for layer in self.below:
            memory = layer(memory, src_key_padding_mask=padding)
        for layer in self.above:
            x = layer(x, memory)
        return x


def drawn(model: nn.Module) -> tuple[ImportedModel, str]:
    found = import_module(model, SHAPES, "Masked", ["float32", "int64<2"])
    report = analyse(found.project.graph)
    assert report.source, report.errors
    audit(report.source)
    return found, report.source


def inputs() -> tuple[Tensor, Tensor]:
    torch.manual_seed(0)
    length = torch.randint(0, 2, (3, 12))
    length[:, 0] = 1
    return torch.randn(3, 12, 16), length


def forward_of(source: str) -> str:
    return source[source.rindex("    def forward") :]


def test_layers_that_share_a_mask_come_out_as_a_list_and_a_loop() -> None:
    _, source = drawn(Masked())
    assert source == GOLDEN.read_text()


@pytest.mark.gate
@pytest.mark.parametrize("model", [Masked(), Masked((0.1, 0.2, 0.2)), Decoder()])
def test_the_loop_gives_the_same_bits_under_the_same_keys(model: nn.Module) -> None:
    found, source = drawn(model.eval())
    assert found.keys == {}
    module = build(source).eval()
    assert list(module.state_dict()) == list(model.state_dict())
    module.load_state_dict(model.state_dict())
    assert torch.equal(module(*inputs()), model(*inputs()))


def test_layers_of_other_numbers_stand_in_one_list() -> None:
    _, source = drawn(Masked((0.1, 0.2, 0.3)))
    assert "nn.ModuleList([Layer(p=0.1), Layer(p=0.2), Layer(p=0.3)])" in source


def test_what_every_round_reads_keeps_its_name() -> None:
    _, source = drawn(Decoder())
    assert "            below = layer(below, src_key_padding_mask=padding)" in forward_of(source)
    assert "        x = features\n        for layer in self.above:" in forward_of(source)
    assert "            x = layer(x, below)" in forward_of(source)


@torch.no_grad()
def test_the_blocks_inside_a_loop_can_be_looked_into() -> None:
    model = Masked().eval()
    found, _ = drawn(model)
    report = analyse(found.project.graph)
    module = build(report.source or "")
    module.load_state_dict(model.state_dict())
    values = capture(module, report, inputs()).values
    x, length = inputs()
    first = model.layers[0](x, length == 0)
    assert torch.equal(values["layers.0"], first)
    last = model.layers[2](model.layers[1](first, length == 0), length == 0)
    assert torch.equal(values["layers.2"], last)
    assert torch.equal(values["layers"], last)


def test_a_repeat_with_further_inputs_counts_every_copy() -> None:
    found, _ = drawn(Masked())
    graph = found.project.graph
    assert (graph.nodes["layers"].block, graph.nodes["layers"].repeat) == ("Layer", 3)
    report = analyse(graph)
    assert report.nodes["layers"].params == sum(p.numel() for p in Masked().layers.parameters())
    assert str(report.nodes["layers"].outputs["output"]) == "(N, 12, 16)"
