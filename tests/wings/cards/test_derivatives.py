"""Numbers of the cards on derivatives, against loops and full matrices that know no torch.func."""

import math

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from tests.wings.cards.conftest import Alone, subject


def test_per_sample_gradients_are_those_of_a_loop(alone: Alone) -> None:
    it = subject("per-sample-gradients")
    norms: list[float] = []
    for sample, label in zip(it.x, it.y, strict=True):
        scores = it.model(sample[None])[0]
        loss = scores.logsumexp(0) - scores[label]
        parts = torch.autograd.grad(loss, list(it.model.parameters()))
        norms.append(sum(float(part.square().sum()) for part in parts) ** 0.5)
    values = alone.values("per-sample-gradients")
    assert values["pulls"] == pytest.approx(sorted(norms, reverse=True), rel=1e-4)
    assert values["ratio"] == pytest.approx(max(norms) / min(norms), rel=1e-4)
    assert values["difference"] < 1e-6


def test_the_jacobian_is_one_backward_pass_for_each_output(alone: Alone) -> None:
    it = subject("jacobian", "mlp_iris")
    x = it.x[:1].clone().requires_grad_()
    rows = [torch.autograd.grad(out, x, retain_graph=True)[0][0] for out in it.model(x)[0]]
    values = alone.values("jacobian", "mlp_iris")
    assert values["size"] == 3 * 4
    assert values["pictures"][0] == pytest.approx(torch.stack(rows), rel=1e-4, abs=1e-7)
    singular = torch.linalg.svdvals(torch.stack(rows))
    assert values["largest"] == pytest.approx(float(singular[0]), rel=1e-4)


def test_the_largest_curvature_is_that_of_the_whole_hessian(alone: Alone) -> None:
    it = subject("curvature", "mlp_iris")
    weights = list(it.model.parameters())
    loss = F.cross_entropy(it.model(it.x), it.y)
    slopes = torch.autograd.grad(loss, weights, create_graph=True)
    slope = torch.cat([part.flatten() for part in slopes])
    rows: list[Tensor] = []
    for each in slope:
        parts = torch.autograd.grad(each, weights, retain_graph=True, materialize_grads=True)
        rows.append(torch.cat([part.flatten() for part in parts]))
    largest = float(torch.linalg.eigvalsh(torch.stack(rows))[-1])
    values = alone.values("curvature", "mlp_iris")
    assert values["eigenvalue"] == pytest.approx(largest, rel=0.02)
    assert values["rate"] == pytest.approx(2 / values["eigenvalue"])


def test_the_steepest_slope_is_the_length_of_the_gradient(alone: Alone) -> None:
    it = subject("forward-mode", "mlp_iris")
    loss = F.cross_entropy(it.model(it.x), it.y)
    parts = torch.autograd.grad(loss, list(it.model.parameters()))
    length = float(torch.cat([part.flatten() for part in parts]).norm())
    values = alone.values("forward-mode", "mlp_iris")
    assert values["slope"] == pytest.approx(length, rel=1e-4)
    assert values["best"] == values["exponents"][values["logs"].index(min(values["logs"]))]
    assert -5 <= values["best"] <= -1


def test_the_gradients_of_an_ensemble_are_those_of_its_members(alone: Alone) -> None:
    it = subject("ensemble", "mlp_iris")
    found: list[Tensor] = []
    for seed in range(8):
        torch.manual_seed(seed)
        member = type(it.model)().eval()
        loss = F.cross_entropy(member(it.x), it.y)
        parts = torch.autograd.grad(loss, list(member.parameters()))
        found.append(torch.cat([part.flatten() for part in parts]))
    cosines = [
        float(F.cosine_similarity(a, b, dim=0))
        for i, a in enumerate(found) for j, b in enumerate(found) if i != j
    ]  # fmt: skip
    values = alone.values("ensemble", "mlp_iris")
    assert values["alike"] == pytest.approx(sum(cosines) / len(cosines), abs=1e-4)
    assert values["difference"] < 1e-6


def test_without_weights_all_classes_are_alike_and_the_network_stays_as_it_is(alone: Alone) -> None:
    values = alone.values("functional-call")
    it = subject("functional-call")
    assert values["at_zero"] == pytest.approx(math.log(10), rel=1e-5)
    assert values["at_one"] == pytest.approx(F.cross_entropy(it.model(it.x), it.y).item(), rel=1e-5)
    with torch.no_grad():
        for weight in it.model.parameters():
            weight *= 2
    doubled = F.cross_entropy(it.model(it.x), it.y).item()
    assert values["losses"][-1] == pytest.approx(doubled, rel=1e-4)
    assert (values["scales"][0], len(values["losses"])) == (0.0, 21)
    assert values["changed"] == values["difference"] == 0.0
