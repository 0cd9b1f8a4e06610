"""Weights that a layer computes: what a block's setting says is drawn as that, masks and own
parametrisations as steps, what is left as the weights that it makes, and training says so. A model
may return what it never computed.
"""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations, parametrize, prune

from core.analyse import analyse, build
from core.wings.importing import ImportedModel, import_module
from core.wings.importing.verify.equivalence import OutputComparison, verdicts
from core.wings.importing.weights import full_state, mapped_state


class Net(nn.Module):
    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.fc1, self.fc2 = layer, nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(x)))


class Symmetric(nn.Module):
    def forward(self, X: Tensor) -> Tensor:
        return X.triu() + X.triu(1).transpose(-1, -2)


def judged(module: nn.Module, *shape: int) -> tuple[ImportedModel, str, list[OutputComparison]]:
    found = import_module(module.eval(), [shape])
    report = analyse(found.project.graph, found.project.name)
    assert report.source, [e.message for e in report.errors]
    return found, report.source, verdicts(module, build(report.source), found.keys, [shape])


def masked(*ways: str) -> nn.Module:
    layer = nn.Linear(4, 4)
    for name in ways:
        prune.random_unstructured(layer, name, amount=0.5)
    return layer


def symmetric() -> nn.Module:
    layer = nn.Linear(4, 4)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    return layer


AS_STEPS = {"pruned": masked("weight"), "twice": masked("weight", "weight"),
            "both": masked("weight", "bias"), "own": symmetric()}  # fmt: skip


@pytest.mark.gate
@pytest.mark.parametrize("name", AS_STEPS)
def test_a_mask_or_an_own_parametrisation_is_drawn_and_trains_the_same(name: str):
    for module in (Net(AS_STEPS[name]), AS_STEPS[name]):
        found, source, seen = judged(module, 4)
        assert [v.equal for v in seen] == [True, True, None, True]
        assert found.computed == ()
        assert "F.linear(" in source


class Several(nn.Module):
    """Layers of several kinds, all with the same norm, one of them in an nn.Sequential."""

    def __init__(self, norm: Callable[[nn.Module], nn.Module]) -> None:
        super().__init__()
        self.conv1 = norm(nn.Conv2d(1, 4, 3))
        self.up1 = norm(nn.ConvTranspose2d(4, 3, 2))
        self.body = nn.Sequential(norm(nn.Conv2d(3, 3, 3)), nn.ReLU())
        self.fc1 = norm(nn.Linear(4, 4))

    def forward(self, x: Tensor) -> Tensor:
        return self.fc1(self.body(self.up1(self.conv1(x))))


def cayley(layer: nn.Module) -> nn.Module:
    return parametrizations.orthogonal(layer, orthogonal_map="cayley", use_trivialization=False)


AS_SETTINGS: dict[str, tuple[Callable[..., nn.Module], str, bool]] = {
    "weight_norm": (parametrizations.weight_norm, "weight_norm(", True),
    "older weight_norm": (nn.utils.weight_norm, "weight_norm(", True),
    "spectral_norm": (parametrizations.spectral_norm, "spectral_norm(", True),
    "older spectral_norm": (nn.utils.spectral_norm, "spectral_norm(", False),
    "orthogonal": (cayley, "orthogonal(", True),
}


@pytest.mark.gate
@pytest.mark.filterwarnings("ignore:.*weight_norm.*:FutureWarning")
@pytest.mark.parametrize("name", AS_SETTINGS)
def test_a_norm_of_torch_is_a_setting_of_the_block_and_trains_the_same(name: str):
    norm, text, trains = AS_SETTINGS[name]
    torch.manual_seed(0)
    module = Several(norm)
    found, source, seen = judged(module, 1, 7, 7)
    assert found.computed == found.unused == found.idle == ()
    assert source.count(text) == 4
    assert [v.equal for v in seen] == [True, True, None, trains]
    older = "body.0 has the older torch.nn.utils.spectral_norm. It is drawn as the one of"
    assert seen[3].note == "" if trains else older in seen[3].note
    ours, x = build(source), torch.rand(2, 1, 7, 7)
    ours.load_state_dict(mapped_state(full_state(module), found.keys, ours))
    assert torch.equal(ours.eval()(x), module.eval()(x))


AS_WEIGHTS = {
    "weight_norm": (
        parametrizations.weight_norm(nn.Linear(4, 4), dim=1), "fc1.weight (WeightNorm)",
    ),
    "orthogonal": (parametrizations.orthogonal(nn.Linear(4, 4)), "fc1.weight (Orthogonal)"),
}  # fmt: skip


@pytest.mark.parametrize("name", AS_WEIGHTS)
def test_a_norm_is_drawn_as_the_weight_that_it_makes_and_training_differs_for_its_reason(name: str):
    layer, computed = AS_WEIGHTS[name]
    found, source, seen = judged(Net(layer), 4)
    assert found.computed == (computed,)
    assert "self.fc1 = nn.Linear(4, 4)" in source
    assert [v.equal for v in seen] == [True, True, None, False]
    assert "fc1 computes its weight" in seen[3].note


def test_a_spectral_norm_of_two_iterations_divides_by_the_measure_it_has_now():
    _, source, seen = judged(Net(parametrizations.spectral_norm(nn.Linear(4, 4), "weight", 2)), 4)
    assert "x = weight / x" in source
    assert [v.equal for v in seen] == [True, True, None, False]
    assert "fc1 computes its weight (SpectralNorm)" in seen[3].note


def test_importing_leaves_the_original_as_it_was():
    model = Net(parametrizations.weight_norm(nn.Linear(4, 4))).eval()
    batch = torch.rand(3, 4)
    before = model(batch)
    import_module(model, [(4,)])
    assert torch.equal(model(batch), before)
    assert parametrize.is_parametrized(model.get_submodule("fc1"))


class Keeps(nn.Module):
    """Keeps its last result, and returns weights and numbers beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.scale = nn.Linear(4, 2), nn.Parameter(torch.rand(3))
        self.last: list[Tensor] = []

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        self.last = [self.fc(x)]
        return {"y": self.last[0] + self.scale[0], "scale": self.scale, "start": torch.ones(2)}


def test_a_model_that_ran_before_comes_in_with_results_that_no_input_has_a_part_in():
    model = Keeps()
    model(torch.rand(2, 4))
    found, _, seen = judged(model, 4)
    assert [v.equal for v in seen] == [True, True, None, True]
    assert found.project.graph.of_block("Output") == ("y", "scale2", "start")


class PerSample(nn.Module):
    """Mixes filters for each sample, and runs all samples as groups of one convolution (CondConv,
    Yang et al. 2019)."""

    def __init__(self) -> None:
        super().__init__()
        self.mix, self.experts = nn.Linear(3, 2), nn.Parameter(torch.randn(2, 4 * 3 * 3 * 3))

    def forward(self, x: Tensor) -> Tensor:
        n, c, h, w = x.shape
        weight = torch.matmul(self.mix(x.mean(dim=(2, 3))), self.experts).view(n * 4, c, 3, 3)
        out = nn.functional.conv2d(x.reshape(1, n * c, h, w), weight, padding=1, groups=n)
        return out.view(n, 4, h, w)


def test_filters_of_each_sample_are_groups_of_the_batch():
    _, source, seen = judged(PerSample(), 3, 8, 8)
    assert [v.equal for v in seen] == [True, True, True, True]
    assert "F.conv2d(x, weight, groups=image.size(0), padding=1)" in source
