"""Numbers of the cards on training by hand, against formulas of the optimisers and schedules."""

import math

import pytest
import torch
from torch import Tensor

from tests.wings.cards.conftest import Alone, Subject, subject


def loss_of(it: Subject) -> Tensor:
    scores = it.model(it.x)
    return (scores.logsumexp(1) - scores[range(len(it.y)), it.y]).mean()


def gradients(it: Subject) -> tuple[float, list[Tensor]]:
    loss = loss_of(it)
    return loss.item(), list(torch.autograd.grad(loss, list(it.model.parameters())))


def descend(it: Subject, steps: int, rate: float) -> list[float]:
    """Losses of gradient descent, and the loss after it."""
    losses: list[float] = []
    for _ in range(steps):
        loss, each = gradients(it)
        losses.append(loss)
        with torch.no_grad():
            for weight, gradient in zip(it.model.parameters(), each, strict=True):
                weight -= rate * gradient
    return [*losses, loss_of(it).item()]


def test_the_loop_is_gradient_descent(alone: Alone) -> None:
    values = alone.values("loop-by-hand")
    expected = descend(subject("loop-by-hand"), 20, 0.05)
    assert values["curve"] == pytest.approx(expected, rel=1e-4)
    assert values["share"] == pytest.approx(expected[-1] / expected[0], rel=1e-4)


def adamw(it: Subject, steps: int) -> list[float]:
    """Loshchilov & Hutter (2019) with torch's defaults, by its formula."""
    weights = list(it.model.parameters())
    means = [torch.zeros_like(w) for w in weights]
    squares = [torch.zeros_like(w) for w in weights]
    losses: list[float] = []
    for step in range(1, steps + 1):
        loss, each = gradients(it)
        losses.append(loss)
        with torch.no_grad():
            for w, g, m, v in zip(weights, each, means, squares, strict=True):
                w.mul_(1 - 1e-3 * 1e-2)
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.999).add_(g * g, alpha=0.001)
                w -= 1e-3 * (m / (1 - 0.9**step)) / ((v / (1 - 0.999**step)).sqrt() + 1e-8)
    return losses


def test_a_training_that_went_on_is_the_one_never_stopped(alone: Alone) -> None:
    values = alone.values("checkpoint-by-hand")
    assert values["difference"] == 0.0
    assert values["whole"] == pytest.approx(adamw(subject("checkpoint-by-hand"), 6), rel=1e-3)
    assert values["resumed"] == values["whole"]
    assert values["lost"] > 0
    assert values["entries"] == 4
    weights = sum(w.numel() for w in subject("checkpoint-by-hand").model.parameters())
    assert values["size"] > 3 * 4 * weights  # weights, and two moments of each


def test_two_workers_read_a_stream_twice_unless_they_share_it_out(alone: Alone) -> None:
    values = alone.values("iterable-workers", "mlp_iris")
    assert values["counts"] == [16, 32, 16]
    assert values["distinct"] == [16, 16, 16]
    assert (values["twice"], values["once"]) == (32, 16)


def test_a_balanced_epoch_has_as_many_of_the_rare_class(alone: Alone) -> None:
    values = alone.values("samplers", "mlp_iris")
    generator = torch.Generator().manual_seed(0)
    weights = torch.tensor([1 / 90] * 90 + [1 / 10] * 10)
    rows = torch.multinomial(weights.double(), 100, True, generator=generator)
    assert 35 < values["drawn"] < 65
    assert values["drawn"] == int((rows >= 90).sum())
    assert values["distinct"] == [100, 100, len(set(rows.tolist()))]
    assert (values["usual"], values["steps"], values["fewer"]) == (10, 4, 3)


def test_clipping_shortens_and_does_not_turn(alone: Alone) -> None:
    values = alone.values("gradient-clipping")
    _, each = gradients(subject("gradient-clipping"))
    norms = [math.sqrt(float(g.double().square().sum())) for g in each]
    norm = math.sqrt(sum(n * n for n in norms))
    assert values["norm"] == pytest.approx(norm, rel=1e-4)
    assert values["clipped"] == pytest.approx(norm / 4, rel=1e-4)
    assert values["short"] == pytest.approx([n / 4 for n in norms], rel=1e-3)
    assert values["cosine"] == pytest.approx(1.0, abs=1e-5)


def test_schedules_follow_their_formulas(alone: Alone) -> None:
    values = alone.values("lr-schedules")
    cosine = [0.05 * (1 + math.cos(math.pi * k / 100)) for k in range(100)]
    assert values["cosine"] == pytest.approx(cosine)
    assert values["half"] == pytest.approx(0.05)
    assert values["step"] == pytest.approx([0.1 * 0.1 ** (k // 30) for k in range(100)])
    assert values["linear"] == pytest.approx([0.1 * (0.1 + 0.9 * min(k, 20) / 20)
                                              for k in range(100)])  # fmt: skip
    assert values["peak"] == 0.3 * 100 - 1


def test_tensorboard_keeps_a_histogram_of_each_weight_and_the_loss(alone: Alone) -> None:
    pytest.importorskip("tensorboard")
    values = alone.values("tensorboard-of-it")
    it = subject("tensorboard-of-it")
    assert values["histograms"] == len(list(it.model.parameters()))
    assert values["curve"] == pytest.approx(descend(it, 5, 0.05)[:5], rel=1e-4)
