"""Small modules that decide by values or by sizes: refused, or drawn and right on other inputs."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, analyse_project, build
from core.project import read_text, write_text
from core.wings.importing import ImportRefused, import_module
from core.wings.importing.verify.equivalence import verdicts


class Base(nn.Module):
    """Two layers that a decision may choose between."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 6)


class ByMean(Base):
    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        return self.second(x) if x.mean() > 0 else x


class ByMask(Base):
    def forward(self, x: Tensor) -> Tensor:
        chosen, out = x[:, 0] > 0.5, torch.zeros_like(x)
        if chosen.any():
            out[chosen] = self.first(x[chosen])
        return out


class ByCount(Base):
    def forward(self, x: Tensor) -> Tensor:
        places = (x[:, 0] > 0.5).nonzero()
        return self.first(x) if places.shape[0] > 2 else self.second(x)


class Loops(Base):
    def forward(self, x: Tensor) -> Tensor:
        for _ in (x[:, 0] > 0.5).nonzero():
            x = self.first(x)
        return x


class Times(Base):
    def forward(self, x: Tensor) -> Tensor:
        for _ in range(int(x[:, 0].abs().sum()) + 1):
            x = self.first(x)
        return x


class Scales(Base):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) * float(x.max())


class Picks(Base):
    def forward(self, x: Tensor) -> Tensor:
        return x[:, int(x.sum(0).argmax())]


class Lists(Base):
    def forward(self, x: Tensor) -> Tensor:
        largest = max(x[:, 0].tolist())
        return self.first(x) + largest


class Compares(Base):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) if torch.equal(x, x.relu()) else self.second(x)


class Contains(Base):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) if 0.0 in x else self.second(x)


class Indexes(Base):
    def forward(self, x: Tensor) -> Tensor:
        layers = [self.first, self.second]
        return layers[(x.mean() > 0).long()](x)


class Thaws(Base):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) * x.detach().numpy().max()


class Tosses(Base):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) if torch.rand(()) > 0.5 else self.second(x)


class Fills(Base):
    def forward(self, x: Tensor) -> Tensor:
        found = torch.zeros(6)
        found[2] = x.mean()
        return self.first(x) if found.sum() > 0 else self.second(x)


BY_VALUES = [ByMean, ByMask, ByCount, Loops, Times, Scales, Picks, Lists, Compares, Contains,
             Indexes, Thaws, Tosses, Fills]  # fmt: skip


@pytest.mark.gate
@pytest.mark.parametrize("kind", BY_VALUES)
def test_a_decision_by_values_is_refused_with_its_line(kind: type[nn.Module]):
    with pytest.raises(ImportRefused) as refused:
        import_module(kind().eval(), [(6,)])
    assert "decides by values that it computes from its input" in refused.value.message
    assert refused.value.place.startswith(f"{kind.__name__} (test_data_dependent.py, line ")


def test_what_was_decided_for_one_sample_stands_in_the_file_and_is_warned_of():
    torch.manual_seed(0)
    found = import_module(ByMean().eval(), [(6,)], specialise=True)
    project = read_text(write_text(found.project))
    assert project.specialised == found.decisions
    (decision,) = found.decisions
    assert decision.endswith(
        " decides by values that it computes from its input (Python reads the bool of a tensor): "
        "drawn as it ran for one sample."
    )
    first = analyse_project(project).warnings[0]
    assert first.code == "specialised"
    assert decision in first.message


class Asserts(Base):
    def forward(self, x: Tensor) -> Tensor:
        assert (x.abs() < 1000).all()
        return self.first(x)


class Masks(Base):
    def forward(self, x: Tensor) -> Tensor:
        chosen, out = x[:, 0] > 0.5, torch.zeros_like(x)
        out[chosen] = self.first(x[chosen])
        return out


class Chooses(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.where(x.mean() > 0, self.first(x), self.second(x))


class Counts(Base):
    def forward(self, x: Tensor) -> Tensor:
        table = torch.arange(6)
        return self.first(x) * float(table.sum()) + len(table.tolist())


def test_an_assertion_on_values_is_left_out_and_reported():
    (note,) = import_module(Asserts().eval(), [(6,)]).specialised
    assert note.startswith("an assertion on values that the drawing leaves out, Asserts (test_data")


@pytest.mark.parametrize("kind", [Masks, Chooses, Counts])
def test_values_that_decide_nothing_in_python_are_drawn(kind: type[nn.Module]):
    assert import_module(kind().eval(), [(6,)]).decisions == ()


class Sized(nn.Module):
    """Two convolutions that a size may choose between."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 2, 3, padding=1), nn.Conv2d(2, 2, 3, padding=1)


class Above(Sized):
    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        return self.second(y) if x.shape[2] > 100 else y


class Exactly(Sized):
    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        return self.second(y) if x.shape[2] == 12 else y


class Root(Sized):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) / math.sqrt(x.shape[2])


class Bits(Sized):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) * (x.shape[2] & 7)


class Named(Sized):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) * {"8": 1.0, "12": 2.0}.get(str(int(x.shape[2])), 3.0)


class Share(Sized):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x[:, :, : int(x.shape[2] * 0.3)])


class Steps(Sized):
    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        return sum((y[:, :, i] for i in range(x.shape[2])), torch.zeros(()))


class Listed(Sized):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) * torch.tensor([[2.0]] * x.shape[2])


class Insists(Sized):
    def forward(self, x: Tensor) -> Tensor:
        assert x.shape[2] == 8
        return self.first(x).mean((2, 3))


BY_SIZE = [Above, Exactly, Root, Bits, Named, Share, Steps, Listed, Insists]


def source_of(model: nn.Module, shape: tuple[int, ...]) -> str:
    source = analyse(import_module(model.eval(), [shape]).project.graph, "Drawn").source
    assert source
    return source


@pytest.mark.gate
@pytest.mark.parametrize("kind", BY_SIZE)
def test_a_drawing_that_was_decided_by_a_size_refuses_another_one_in_a_sentence(
    kind: type[nn.Module],
):
    torch.manual_seed(0)
    model = kind()
    source = source_of(model, (1, 8, 8))
    ours = build(source)
    ours.load_state_dict(model.state_dict(), strict=False)
    for other in ((2, 1, 8, 8), (1, 1, 8, 12)):
        x = torch.randn(other)
        assert torch.equal(ours(x), model(x))
    for side in (7, 12, 16, 101):
        with pytest.raises(ValueError, match=r"image needs to be \(N, any, 8, any\), the size it"):
            ours(torch.randn(1, 1, side, 8))
    torch.jit.script(ours)


class Mean(Sized):
    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x)).sum((2, 3)) / (x.shape[2] * x.shape[3])


class Even(Sized):
    def forward(self, x: Tensor) -> Tensor:
        assert x.shape[2] % 4 == 0
        assert x.shape[2] > 2
        return self.first(x)


class Twice(Sized):
    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        return self.second(y) if y.shape[2] == x.shape[2] else y


@pytest.mark.parametrize("kind", [Mean, Even, Twice])
def test_a_drawing_that_follows_the_sizes_takes_others(kind: type[nn.Module]):
    torch.manual_seed(0)
    model = kind()
    ours = build(source_of(model, (1, 8, 8)))
    ours.load_state_dict(model.state_dict(), strict=False)
    for other in ((1, 1, 4, 4), (2, 1, 12, 7), (1, 1, 100, 8)):
        x = torch.randn(other)
        assert torch.equal(ours(x), model(x))


class Clips(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.mean((3, 4)) * (2.0 if x.shape[2] > 6 else 1.0)


class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2 if x.shape[1] > 20 else x


@pytest.mark.parametrize(
    ("model", "shape", "needed"),
    [(Clips(), (1, 4, 8, 8), "video needs to be (N, any, 4, any, any)"),
     (Block(), (12, 6), "features needs to be (N, 12, any)")],
)  # fmt: skip
def test_videos_and_sequences_of_another_length_are_refused_and_the_verdict_says_so(
    model: nn.Module, shape: tuple[int, ...], needed: str
):
    source = source_of(model, shape)
    by_name = {v.name: v for v in verdicts(model, build(source), {}, [shape])}
    assert by_name["the sample"].equal
    size = by_name["another image size"]
    assert size.equal is None
    assert size.note == f"the drawing rejects it: {needed}, the size it was drawn for"


class OfOne(Base):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) if x.shape[0] == 1 else self.second(x)


class Each(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([self.first(sample) for sample in x])


class SqueezesAll(Base):
    """A batch of one sample loses its dimension, too."""

    def forward(self, x: Tensor) -> Tensor:
        return self.first(x)[:, :1].squeeze()


class CrossesAnywhere(Base):
    """A batch of three samples is crossed along the batch."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.cross(x[:, :3], x[:, 3:])


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(SqueezesAll, "squeeze() without a dimension drops that of the batch, too, when it holds one "
      "sample"),
     (CrossesAnywhere, "torch.cross without a dimension takes the first of size 3, and so that of "
      "a batch of three samples")],
)  # fmt: skip
def test_a_function_of_all_dimensions_says_to_name_one(kind: type[nn.Module], reason: str):
    with pytest.raises(ImportRefused) as refused:
        import_module(kind().eval(), [(6,)])
    assert "test_data_dependent.py, line " in refused.value.place
    assert str(refused.value).partition("): ")[2] == (
        f"decides by the size of the batch: {reason}. A drawing does the same for every input. "
        "Name the dimension, as in dim=1, or draw it as it runs for one sample: "
        "--specialise, specialise=True."
    )
    found = import_module(kind().eval(), [(6,)], specialise=True)
    assert len(found.decisions) == 1


class Squeezes(Base):
    """Dimensions that no sample decides: those of a weight."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.rand(1, 6, 1))

    def forward(self, x: Tensor) -> Tensor:
        return self.first(x * self.scale.squeeze())


def test_a_squeeze_of_a_weight_names_the_dimensions_it_drops():
    project = import_module(Squeezes().eval(), [(6,)]).project
    (node,) = (n for n in project.graph.nodes.values() if n.block == "squeeze")
    assert node.settings["dim"] == (0, 2)


class Few(Base):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) if x.shape[0] <= 4 else self.second(x)


class Many(Base):
    def forward(self, x: Tensor) -> Tensor:
        return self.first(x) if x.shape[0] >= 1000 else self.second(x)


@pytest.mark.gate
@pytest.mark.parametrize("kind", [OfOne, Each, Few, Many])
def test_a_decision_by_the_size_of_the_batch_is_refused(kind: type[nn.Module]):
    with pytest.raises(ImportRefused, match="decides by the size of the batch"):
        import_module(kind().eval(), [(6,)])


def test_an_input_of_another_shape_than_its_network_holds_for_is_an_error_with_a_way_back():
    graph = import_module(Above().eval(), [(1, 8, 8)]).project.graph
    settings = {**graph.nodes["image"].settings, "shape": (1, 12, 8)}
    nodes = {**graph.nodes, "image": replace(graph.nodes["image"], settings=settings)}
    report = analyse(replace(graph, nodes=nodes))
    (error,) = report.errors
    assert (error.node, error.code) == ("image", "static_shape")
    assert error.message == (
        "image has the shape (1, 12, 8) but the network holds for (any, 8, any) only: it was "
        "imported from a model that decides by this size."
    )
    assert [fix["title"] for fix in error.fixes] == ["Set shape to [1, 8, 8]"]
