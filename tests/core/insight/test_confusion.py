"""Judgement, confusion matrix and worst mistakes on cases worked out by hand."""

import math

import pytest
import torch
from torch import Tensor, nn

from core.engine.objective import LossTerm
from core.insight.confusion import Mistake, confusion, judge, mistakes, worst
from core.insight.confusion_scores import ClassScore
from core.tasks.metrics import measure_of


class Echo(nn.Module):
    """Gives its input back, so a test chooses the logits."""

    def forward(self, x: Tensor) -> Tensor:
        return x


class Codes(nn.Module):
    """Gives back what it is given, as several outputs."""

    def forward(self, *codes: Tensor) -> tuple[Tensor, ...]:
        return codes


def aim(loss: str, kind: str, places: tuple[int, ...] = (0,), **settings: float) -> LossTerm:
    """A loss of these outputs."""
    measure = measure_of(kind, loss, settings)
    target = None if kind == "triplet" else 0
    return LossTerm(
        "told", getattr(nn, loss)(**settings), places, target, kind=kind, measure=measure
    )


CLASSES = aim("CrossEntropyLoss", "classes")
LOGITS = torch.log(
    torch.tensor(
        [
            [0.7, 0.2, 0.1],  # cat, right
            [0.1, 0.8, 0.1],  # cat taken for dog
            [0.2, 0.5, 0.3],  # dog, right
            [0.9, 0.05, 0.05],  # dog taken for cat, badly
            [0.6, 0.3, 0.1],  # dog taken for cat
        ]
    )
)
TARGETS = torch.tensor([0, 0, 1, 1, 1])


def test_the_matrix_counts_true_rows_against_predicted_columns() -> None:
    got = confusion(TARGETS, torch.tensor([0, 1, 1, 0, 0]), ["cat", "dog", "owl"])
    assert got.counts == ((1, 1, 0), (2, 1, 0), (0, 0, 0))
    assert got.accuracy == 0.4


def test_precision_recall_and_f1_follow_from_the_counts() -> None:
    got = confusion(TARGETS, torch.tensor([0, 1, 1, 0, 0]), ["cat", "dog", "owl"])
    assert got.scores == (
        ClassScore("cat", 2, 1 / 3, 1 / 2, 2 / 5, 1 / 4),
        ClassScore("dog", 3, 1 / 2, 1 / 3, 2 / 5, 1 / 4),
        ClassScore("owl", 0, None, None, None),
    )


def test_the_worst_mistakes_come_first_with_their_confidence() -> None:
    got = mistakes(judge(Echo(), [LOGITS], TARGETS, CLASSES))
    assert [(m.index, m.true, m.predicted) for m in got] == [(3, 1, 0), (1, 0, 1), (4, 1, 0)]
    assert got[0].confidence == pytest.approx(0.9)
    assert got[0].loss == pytest.approx(-math.log(0.05))
    assert isinstance(got[0], Mistake)


def test_the_number_of_mistakes_is_limited() -> None:
    assert [m.index for m in mistakes(judge(Echo(), [LOGITS], TARGETS, CLASSES), count=1)] == [3]


def test_batches_do_not_change_the_judgement() -> None:
    whole, parts = (
        judge(Echo(), [LOGITS], TARGETS, CLASSES),
        judge(Echo(), [LOGITS], TARGETS, CLASSES, batch=2),
    )
    assert torch.equal(whole.losses, parts.losses)


def test_a_regression_is_judged_by_the_loss_it_trains_with() -> None:
    outputs, targets = torch.tensor([[1.0], [2.0], [5.0]]), torch.tensor([1.0, 4.0, 4.0])
    got = judge(Echo(), [outputs], targets[:, None], aim("MSELoss", "regression"))
    assert got.losses.tolist() == [0.0, 4.0, 1.0]
    assert worst(got, 2) == [(1, 4.0), (2, 1.0)]
    other = judge(Echo(), [outputs], targets[:, None], aim("L1Loss", "regression"))
    assert other.losses.tolist() == [0.0, 2.0, 1.0]
    with pytest.raises(ValueError, match="needs a classification"):
        mistakes(got)


def test_judging_leaves_training_flags_and_random_state_as_they_were() -> None:
    module = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5), nn.BatchNorm1d(3).eval())
    module[0].train()
    before = torch.get_rng_state()
    judge(module, [LOGITS], TARGETS, CLASSES)
    assert [part.training for part in module] == [True, True, False]
    assert torch.equal(torch.get_rng_state(), before)


def test_a_single_output_for_two_classes_is_yes_above_its_threshold() -> None:
    targets = torch.tensor([[1.0], [0.0], [1.0]])
    logits = torch.tensor([[2.0], [-1.0], [-3.0]])
    probabilities = torch.tensor([[0.9], [0.2], [0.4]])
    got = judge(Echo(), [logits], targets, aim("BCEWithLogitsLoss", "yes_no"))
    assert got.predicted is not None
    assert got.predicted.tolist() == [1, 0, 0]
    assert got.losses[2].item() == pytest.approx(math.log(1 + math.exp(3.0)), rel=1e-6)
    sure = judge(Echo(), [probabilities], targets, aim("BCELoss", "yes_no"))
    assert sure.confidence is not None
    assert sure.confidence.tolist() == pytest.approx([0.9, 0.8, 0.6], rel=1e-5)
    assert [m.index for m in mistakes(sure)] == [2]


def test_labels_that_are_surely_right_are_no_mistakes() -> None:
    logits, targets = torch.tensor([[8.0, -8.0], [-1.0, 1.0]]), torch.tensor([[1.0, 0.0]] * 2)
    got = judge(Echo(), [logits], targets, aim("BCEWithLogitsLoss", "labels"))
    assert [index for index, _ in worst(got)] == [1, 0]
    assert got.losses[1].item() == pytest.approx(math.log(1 + math.e), rel=1e-6)


def test_a_pair_far_apart_is_right_where_it_is_of_two_classes() -> None:
    distances, signs = torch.tensor([[5.0], [0.5], [3.0]]), torch.tensor([[-1.0], [-1.0], [1.0]])
    got = judge(Echo(), [distances], signs, aim("HingeEmbeddingLoss", "pair", margin=2.0))
    assert got.losses.tolist() == [0.0, 1.5, 3.0]


def test_triplets_are_judged_by_the_distances_of_their_codes() -> None:
    codes = [torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 2.0]])]
    several = aim("TripletMarginLoss", "triplet", places=(0, 1, 2))
    got = judge(Codes(), codes, None, several)
    assert got.losses.tolist() == pytest.approx([4.0], abs=1e-5)  # 5 - 2 + the margin of 1


def test_of_a_text_only_the_places_that_count_are_judged() -> None:
    scores = torch.zeros(1, 3, 2)
    scores[0, 1] = torch.tensor([math.log(3.0), 0.0])
    text = aim("CrossEntropyLoss", "tokens")
    got = judge(Echo(), [scores], torch.tensor([[-100, 0, -100]]), text)
    assert got.losses.tolist() == pytest.approx([math.log(4 / 3)])
