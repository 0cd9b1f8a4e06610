"""What people write first comes in: nn.Sequential, a layer alone, numbered and odd names, lazy
layers. All are equal to the bit, and their weights find their places."""

from collections import OrderedDict

import pytest
from torch import Tensor, nn
from torch.nn import functional as F

from core.analyse import analyse, build
from core.wings.importing import ImportedModel, ImportRefused, import_module
from core.wings.importing.verify.equivalence import verdicts


def drawn(module: nn.Module, *shape: int) -> tuple[ImportedModel, str]:
    """Import it, and check that the sample, another batch and a training step are equal."""
    found = import_module(module.eval(), [shape])
    report = analyse(found.project.graph, found.project.name)
    assert report.source, [e.message for e in report.errors]
    judged = verdicts(module, build(report.source), found.keys, [shape])
    assert [v.note for v in judged if v.equal is False] == []
    assert judged[0].equal
    assert judged[1].equal
    return found, report.source


class Numbered(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        for i in range(3):
            self.add_module(str(i), nn.Linear(4, 4))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.children():
            x = F.relu(layer(x))
        return x


def test_a_plain_sequential_is_the_class_that_one_would_write():
    found, source = drawn(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), 4)
    assert found.keys == {"fc1.weight": "0.weight", "fc1.bias": "0.bias",
                          "fc2.weight": "2.weight", "fc2.bias": "2.bias"}  # fmt: skip
    assert source.partition("\n\n\n")[2] == (
        "class Net(nn.Module):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        "        self.fc1 = nn.Linear(4, 8)\n"
        "        self.relu1 = nn.ReLU()\n"
        "        self.fc2 = nn.Linear(8, 2)\n"
        "\n"
        "    def forward(self, features: Tensor) -> Tensor:\n"
        "        x = self.fc1(features)  # (N, 8)\n"
        "        x = self.relu1(x)\n"
        "        x = self.fc2(x)  # (N, 2)\n"
        "        return x\n"
    )


def stage(a: int, b: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(a, b), nn.ReLU())


ONE = nn.Linear(4, 4)
CHAINS: dict[str, nn.Module] = {
    "one layer": nn.Sequential(nn.Linear(4, 4)),
    "equal layers": nn.Sequential(*[nn.Linear(4, 4) for _ in range(3)]),
    "nested": nn.Sequential(stage(4, 8), stage(8, 8), nn.Linear(8, 2)),
    "deeper": nn.Sequential(nn.Sequential(stage(4, 4), nn.Sequential(stage(4, 3))), nn.Tanh()),
    "a layer twice": nn.Sequential(ONE, nn.ReLU(), ONE, nn.Sequential(ONE, nn.Tanh())),
    "names": nn.Sequential(OrderedDict([
        ("conv-1", nn.Linear(4, 5)), ("2nd", nn.ReLU()), ("class", nn.Linear(5, 5)),
        ("x", nn.Linear(5, 5)), ("größe", nn.Linear(5, 4)), ("forward pass", nn.Linear(4, 2)),
    ])),
    "digits as names": Numbered(),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
def test_chains_of_layers_come_in_equal_with_all_their_weights(name: str):
    found, source = drawn(CHAINS[name], 4)
    mine = {found.keys.get(key, key) for key in build(source).state_dict()}
    theirs = {n for n, _ in CHAINS[name].named_parameters()}
    assert mine == theirs


LAYERS: dict[str, tuple[nn.Module, tuple[int, ...], str]] = {
    "Linear": (nn.Linear(4, 2), (4,), "fc1"),
    "Conv2d": (nn.Conv2d(1, 2, 3), (1, 8, 8), "conv1"),
    "LSTM": (nn.LSTM(4, 2, batch_first=True), (5, 4), "lstm1"),
    "TransformerEncoderLayer": (
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (5, 8), "encoder1"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_alone_is_one_block(name: str):
    layer, shape, node = LAYERS[name]
    found, _ = drawn(layer, *shape)
    blocks = {n: part.block for n, part in found.project.graph.nodes.items()}
    assert blocks[node] == name
    assert sorted(set(blocks.values())) == sorted({"Input", "Output", name})


class Lazy(nn.Module):
    def __init__(self, further: bool) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(3)
        )
        if further:
            self.head = nn.LazyLinear(2)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


def test_lazy_layers_take_their_sizes_from_a_sample():
    found, source = drawn(Lazy(further=False), 1, 6, 6)
    assert found.lazy == ("net.0", "net.1", "net.4")
    assert "nn.Linear(64, 3)" in source
    assert "nn.BatchNorm2d(4)" in source


def test_a_lazy_layer_that_is_never_called_is_left_out_as_unused():
    found = import_module(Lazy(further=True).eval(), [(1, 6, 6)])
    assert found.unused == ("head (lazy, without a size)",)
    assert found.lazy == ("net.0", "net.1", "net.4")


def test_a_lazy_model_that_cannot_run_is_refused_for_its_reason():
    with pytest.raises(ImportRefused, match=r"cannot be run on \(3,\)"):
        import_module(nn.Sequential(nn.LazyConv2d(4, 3), nn.Flatten(0)).eval(), [(3,)])


class Judges(nn.Module):
    """A model that gives its loss, whose classes count differently."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.loss = nn.Linear(6, 3), nn.CrossEntropyLoss(weight=Tensor([1, 2, 3]))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.loss(self.fc(x), y)


def test_a_loss_that_was_given_a_tensor_is_refused_with_what_to_do():
    with pytest.raises(ImportRefused) as refused:
        import_module(Judges().eval(), [(6,), ()], dtypes=["float32", "int64<3"])
    assert refused.value.message == (
        "is a CrossEntropyLoss with a tensor as weight, whose numbers an import does not read."
    )
    assert "enter the numbers in weight of the block" in refused.value.hint


class JudgesAtOnce(nn.Module):
    """A model whose loss has the last layer in it, which newer torch offers."""

    def __init__(self) -> None:
        super().__init__()
        loss = getattr(nn, "LinearCrossEntropyLoss")  # noqa: B009 - of newer torch
        self.fc, self.loss = nn.Linear(6, 5), loss(5, 4)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.loss(self.fc(x), y)


@pytest.mark.skipif(not hasattr(nn, "LinearCrossEntropyLoss"), reason="of newer torch")
def test_a_loss_with_the_last_layer_in_it_comes_in():
    model, shapes, dtypes = JudgesAtOnce().eval(), [(6,), ()], ["float32", "int64<4"]
    found = import_module(model, shapes, dtypes=dtypes)
    report = analyse(found.project.graph, found.project.name)
    assert report.source
    judged = verdicts(model, build(report.source), found.keys, shapes, dtypes)
    assert [v.equal for v in judged] == [True, True, None, True]
