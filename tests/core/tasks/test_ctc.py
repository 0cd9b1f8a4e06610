"""Connectionist temporal classification: how scores are aligned, read and measured."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse_project
from core.analyse.training_checks import training_mistakes
from core.data import DataError, describe, load
from core.engine.feature_maps import losses_per_sample
from core.engine.objective import LossTerm, objective_of
from core.graph.edits import apply
from core.project import open_project
from core.tasks.ctc import ctc_arguments, edit_distance, greedy_decode

PROJECT = Path(__file__).parents[3] / "projects/ctc_digit_rows.loom.json"
ROWS = {"source": "digit_rows"}
ENDS: Any = (1, 8, 48), (24, 11)


def scores(*steps: list[int], classes: int = 4) -> Tensor:
    """Log-probabilities that are sure of these classes, (N, T, classes)."""
    return (20.0 * nn.functional.one_hot(torch.tensor(steps), classes)).log_softmax(2)


@pytest.mark.parametrize(
    ("steps", "read"),
    [
        ([0, 0, 0, 0, 0], []),
        ([1, 1, 2, 2, 2], [1, 2]),
        ([1, 0, 1, 1, 0], [1, 1]),
        ([0, 3, 3, 0, 3], [3, 3]),
        ([3, 2, 1, 2, 3], [3, 2, 1, 2, 3]),
    ],
)
def test_repetitions_go_before_blanks(steps: list[int], read: list[int]) -> None:
    assert greedy_decode(scores(steps)) == [read]


@pytest.mark.parametrize(
    ("predicted", "wanted", "edits"),
    [
        ([], [], 0),
        ([], [1, 2, 3], 3),
        ([1, 2], [], 2),
        ([1, 2, 3], [1, 2, 3], 0),
        ([1, 3], [1, 2, 3], 1),
        ([2, 3, 1], [1, 2, 3], 2),
        ([11, 9, 20, 20, 5, 14], [19, 9, 20, 20, 9, 14, 7], 3),  # kitten, sitting
    ],
)
def test_edits_are_levenshteins(predicted: list[int], wanted: list[int], edits: int) -> None:
    assert edit_distance(predicted, wanted) == edit_distance(wanted, predicted) == edits


def test_the_loss_is_minus_the_logarithm_of_the_sum_over_all_alignments() -> None:
    """Of 1 in two steps: 1 1, 1 blank, blank 1."""
    first, second = torch.tensor([0.5, 0.25, 0.25]), torch.tensor([0.125, 0.75, 0.125])
    given = torch.stack([first, second]).log()[None]
    probability = 0.25 * 0.75 + 0.25 * 0.125 + 0.5 * 0.75
    loss = nn.CTCLoss()(*ctc_arguments(given, torch.tensor([[1, 0, 0]])))
    assert loss.item() == pytest.approx(-torch.tensor(probability).log().item())


def aim() -> LossTerm:
    info = describe(ROWS, *ENDS)
    training = {"loss": "CTCLoss", "loss_settings": {"zero_infinity": True}}
    return objective_of(info.terms, training).main


def test_accuracy_counts_whole_sequences_and_ler_edits_by_length() -> None:
    log_probs = scores([1, 0, 2, 2, 0], [3, 3, 0, 0, 0], [0, 0, 0, 0, 0])
    targets = torch.tensor([[1, 2, 0], [3, 1, 0], [1, 2, 3]])
    measure = aim().measure
    assert measure is not None
    assert measure.rows(log_probs, targets).tolist() == [[1, 1, 0, 2], [1, 0, 1, 2], [1, 0, 3, 3]]
    found = measure.values(measure.sums(log_probs, targets))
    assert found == {"accuracy": pytest.approx(1 / 3), "ler": pytest.approx(4 / 7)}


def test_the_losses_of_samples_have_the_loss_of_the_batch_as_their_mean() -> None:
    torch.manual_seed(0)
    log_probs, targets = torch.randn(3, 24, 11).log_softmax(2), load(ROWS, *ENDS).targets[:3]
    one = aim()
    assert losses_per_sample(one, [log_probs], targets).mean().item() == pytest.approx(
        one.loss([log_probs], [targets]).item()
    )


def test_rows_are_made_of_digits_each_of_which_stands_in_one() -> None:
    data, digits = load(ROWS, *ENDS), load({"source": "digits"}, (1, 8, 8), (10,))
    lengths = (data.targets > 0).sum(1)
    assert data.targets.shape == (456, 5)
    assert lengths.bincount().tolist() == [0, 0, 0, 162, 163, 131]
    windows = data.inputs.unfold(3, 8, 1).transpose(3, 2).reshape(456, -1, 64)
    assert digits.labels is not None
    used: list[int] = []
    for row, target in zip(windows, data.targets, strict=True):
        found = (torch.cdist(row, digits.inputs.reshape(-1, 64)) < 1e-4).nonzero()[:, 1].tolist()
        assert (digits.labels[found] + 1).tolist() == target[target > 0].tolist()
        used += found
    assert len(set(used)) == len(used) == 1793


@pytest.mark.parametrize("output", [(24, 10), (8, 11), (11, 24), (11,)])
def test_too_few_steps_or_classes_are_refused(output: tuple[int, ...]) -> None:
    with pytest.raises(DataError, match=r"needs scores for a blank and 10 classes at 9 steps"):
        describe(ROWS, (1, 8, 48), output)


def test_without_log_softmax_check_offers_one() -> None:
    project = open_project(PROJECT)
    found = analyse_project(project)
    assert training_mistakes(project, found) == ()
    edits = [{"op": "remove", "node": "log_softmax"}, {"op": "connect", "edge": "fc -> log_probs"}]
    edited = replace(project, graph=apply(project.graph, edits))
    (finding,) = training_mistakes(edited, analyse_project(edited))
    assert finding.message == (
        "log_probs needs a LogSoftmax before it for CTCLoss but receives Linear."
    )
    fixed = replace(edited, graph=apply(edited.graph, finding.fixes[0]["edits"]))
    assert training_mistakes(fixed, analyse_project(fixed)) == ()
