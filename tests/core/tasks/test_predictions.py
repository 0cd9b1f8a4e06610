"""Pairs, triplets, classes and texts: what a network says of them is kept beside what is right."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.insight import samples
from core.insight.samples import EpochSamples
from core.prepare.create import prepare
from core.project import open_project
from core.tasks.metric_learning import nearest, principal
from core.tasks.prediction_batch import PredictionBatch, Validated
from core.tasks.predictions import predictions
from core.tasks.readings.compared import Cosine, Pair, Triplet
from core.tasks.readings.numeric import Series
from core.tasks.readings.sequences import Tokens
from tests.core.single_output import single_loss
from tests.core.small_runs import train_here

PROJECTS = Path(__file__).parents[3] / "projects"


def beside(outputs: tuple[Tensor, ...], true: Tensor | None, **more: Any) -> PredictionBatch:
    """What one loss reads, without a run. more: of the network, of the data, and kinds."""
    info: Any = SimpleNamespace(kind="table", feeds=(), classes=("a", "b"), **more.pop("info", {}))
    validated: Any = SimpleNamespace(**more.pop("validated", {}))
    return PredictionBatch(validated, info, 0, outputs, true, lambda: torch.zeros(0), **more)


def listed(found: dict[str, np.ndarray]) -> dict[str, Any]:
    return {name: value.tolist() for name, value in found.items()}


def test_pairs_alternate_between_one_class_and_two_however_they_lie() -> None:
    distances = torch.tensor([[0.5], [1.5], [0.25], [3.0], [0.75]])
    same = torch.tensor([[1.0], [1.0], [1.0], [-1.0], [-1.0]])
    no_map = {"validated": {"module": nn.Identity()}, "kinds": torch.tensor([0, 1])}
    assert listed(Pair(1.0).arrays(beside((distances,), same, **no_map))) == {
        "apart": [[0.5], [3.0], [1.5], [0.75]],
        "alike_true": [True, False, True, False],
        "alike_said": [True, False, False, True],
        "similar": False,
        "limit": 1.0,
    }


def test_pairs_of_one_sort_only_are_shown_all_the_same() -> None:
    found = Pair(1.0).arrays(beside((torch.tensor([[0.5], [1.5]]),), torch.ones(2, 1)))
    assert found["apart"].tolist() == [[0.5], [1.5]]


def test_pairs_compared_by_their_direction_are_alike_above_the_limit() -> None:
    first, second = torch.tensor([[1.0, 0.0], [3.0, 0.0]]), torch.tensor([[2.0, 0.0], [0.0, 5.0]])
    found = Cosine(0.5).arrays(beside((first, second), torch.tensor([1.0, -1.0])))
    assert listed(found) == {
        "apart": [[1.0], [0.0]], "alike_true": [True, False], "alike_said": [True, False],
        "similar": True, "limit": 0.5,
    }  # fmt: skip


def test_triplets_tell_the_way_from_the_anchor_to_both() -> None:
    anchor, near = torch.tensor([[0.0, 0.0], [1.0, 1.0]]), torch.tensor([[3.0, 4.0], [1.0, 2.0]])
    far = torch.tensor([[0.0, 2.0], [1.0, 6.0]])
    found = Triplet().arrays(beside((anchor, near, far), None))
    assert listed(found) == {"apart": [[5.0, 2.0], [1.0, 5.0]]}


def test_codes_are_placed_along_their_directions_of_most_variance() -> None:
    codes = torch.tensor([[3.0, 0.0, 7.0], [-3.0, 0.0, 7.0], [0.0, 1.0, 7.0], [0.0, -1.0, 7.0]])
    found = principal(codes.double())
    assert np.allclose(found["places"], [[3, 0], [-3, 0], [0, 1], [0, -1]], atol=1e-6)
    assert np.allclose(found["shares"], [0.9, 0.1])


def test_codes_of_one_number_lie_on_a_line_and_equal_ones_nowhere() -> None:
    found = principal(torch.tensor([[1.0], [3.0]]).double())
    assert found["places"].tolist() == [[-1.0, 0.0], [1.0, 0.0]]
    assert found["shares"].tolist() == [1.0, 0.0]
    assert principal(torch.ones(3, 2).double()) == {}
    assert principal(torch.tensor([[1.0, 2.0], [torch.nan, 0.0]]).double()) == {}


def test_the_nearest_other_code_counts_and_not_the_code_itself() -> None:
    codes = torch.tensor([[0.0], [1.0], [10.0], [12.0], [13.0]]).double()
    assert nearest(codes, torch.tensor([0, 0, 1, 0, 1])) == 0.4


def test_next_values_of_series_are_kept_as_numbers_and_not_drawn_as_lines() -> None:
    true, predicted = torch.tensor([[0.5], [1.0]]), torch.tensor([[0.25], [1.5]])
    losses = single_loss({"loss": "MSELoss", "loss_settings": {}}, Series()).terms
    validated = Validated(nn.Identity(), (true,), (true,), (predicted,), 2)
    info: Any = SimpleNamespace(kind="series", feeds=())
    found = predictions(losses, validated, info, lambda: true)
    assert listed(found) == {"numbers_true": [0.5, 1.0], "numbers_said": [0.25, 1.5]}


class Echo(nn.Module):
    """Says at each place the letter after the one that was written before it, from 5 on one off."""

    def forward(self, source: Tensor, before: Tensor) -> Tensor:
        del source
        return nn.functional.one_hot((before + 1 + (before == 3)) % 8, 8).float()


def test_an_answer_is_written_on_what_the_network_wrote_itself() -> None:
    """One wrong letter leads the rest astray, which scores on the right letters do not show."""
    feeds = (SimpleNamespace(column="input"), SimpleNamespace(column="before"))
    wanted = torch.tensor([[1, 2, 3, 4, 5]])
    inputs = (torch.tensor([[7, 6]]), torch.tensor([[0, 1, 2, 3, 4]]))
    info = {"target": "answer", "origin": SimpleNamespace(alphabet="01234567")}
    given = beside(
        (Echo()(*inputs),), wanted,
        validated={"module": Echo(), "inputs": inputs}, info=info,
    )  # fmt: skip
    given.info.kind, given.info.feeds = "text", feeds  # type: ignore[misc]
    found = Tokens().arrays(given)
    assert found["read"].tolist() == [[7, 6]]
    assert found["written"].tolist() == [[1, 2, 3, 5, 6]]
    assert given.predictions[0].argmax(-1).tolist() == [[1, 2, 3, 5, 5]]
    assert inputs[1].tolist() == [[0, 1, 2, 3, 4]]


def trained(
    name: str, folder: Path, **changes: object
) -> tuple[Path, dict[str, Any], EpochSamples]:
    project = open_project(PROJECTS / f"{name}.loom.json")
    settings = {"epochs": 1, "threads": 1, "device": "cpu", **changes}
    run = prepare(project, analyse_project(project), folder, settings)
    assert train_here(run).state == "finished"
    newest = max((run / "live" / "made").glob("*.npz"))
    with np.load(newest, allow_pickle=False) as file:
        found = {name: file[name] for name in file.files}
    shown = samples.read_samples(run, int(newest.stem))
    assert shown is not None
    return run, found, shown


@pytest.mark.slow
def test_a_siamese_network_shows_pairs_with_the_distance_it_gives_them(tmp_path: Path) -> None:
    run, found, shown = trained("siamese_digits", tmp_path)
    assert found["first"].shape == found["second"].shape == (12, 1, 8, 8)
    assert [pair.true for pair in shown.pair_predictions] == ["same", "different"] * 6
    module = load_module(run, "last")
    with torch.inference_mode():
        wanted = module(torch.from_numpy(found["first"]), torch.from_numpy(found["second"]))
    assert np.allclose(found["apart"], wanted.reshape(12, 1), atol=1e-4)
    assert shown.limit == 1.0  # half of the margin of 2
    assert all(len(pair.pictures) == 2 for pair in shown.pair_predictions)
    assert shown.embedding is not None
    assert (len(shown.embedding.xs), sorted(set(shown.embedding.kinds))) == (300, list(range(10)))
    assert shown.embedding.nearest > 0.5


@pytest.mark.slow
def test_a_map_of_triplets_has_the_class_of_each_anchor(tmp_path: Path) -> None:
    _, found, shown = trained("triplet_digits", tmp_path)
    assert found["third"].shape == (12, 1, 8, 8)
    assert {each.predicted for each in shown.pair_predictions} <= {"nearer", "farther"}
    assert [each.predicted == "nearer" for each in shown.pair_predictions] == [
        a < b for a, b in found["apart"]
    ]
    assert shown.embedding is not None
    assert shown.embedding.nearest > 0.5  # a tenth, were the classes those of other samples


@pytest.mark.slow
def test_dates_are_written_letter_by_letter(tmp_path: Path) -> None:
    _, _, shown = trained("seq2seq_dates", tmp_path)
    assert len(shown.text_predictions) == 8
    assert all(len(each.predicted) == len(each.true) == 10 for each in shown.text_predictions)
    assert {each.true[4] + each.true[7] for each in shown.text_predictions} == {"--"}
    assert all(sum(each.wrong) < 10 for each in shown.text_predictions)


@pytest.mark.slow
def test_covered_letters_are_filled_in_and_the_others_stay(tmp_path: Path) -> None:
    _, found, shown = trained("bert_text", tmp_path)
    assert len(shown.text_predictions) == 3
    for text, covered in zip(shown.text_predictions, found["covered"], strict=True):
        assert sum(text.counted) == (covered == len(str(found["alphabet"]))).sum()
        assert 0 < sum(text.counted) < len(text.predicted) / 3
        assert not any(w and not c for w, c in zip(text.wrong, text.counted, strict=True))


@pytest.mark.slow
def test_a_picture_is_shown_with_its_class_and_what_the_network_says(tmp_path: Path) -> None:
    run, found, shown = trained("two_heads_digits", tmp_path)
    with torch.inference_mode():
        scores = load_module(run, "last")(torch.from_numpy(found["asked"]))[0]
    assert [each.predicted for each in shown.answers] == [str(n) for n in scores.argmax(1).tolist()]
    sure = scores.softmax(1).max(1).values
    assert np.allclose([each.sure or 0.0 for each in shown.answers], sure, atol=1e-4)
    assert shown.matrix is not None
    assert sum(map(sum, shown.matrix.counts)) == 359
    assert [len(row) for row in shown.pairs] == [3] * 8  # noisy, cleaned, clean
    assert found["clean"].min() >= 0 > found["inputs"].min()


@pytest.mark.slow
def test_several_labels_are_named_together(tmp_path: Path) -> None:
    _, found, shown = trained("multilabel_digits", tmp_path)
    assert found["answers_true"].shape == (12, 10)
    assert shown.answers[0].true == " ".join(
        str(n) for n in np.flatnonzero(found["answers_true"][0])
    )
    assert shown.answers[0].sure is None
    assert shown.matrix is None


@pytest.mark.slow
def test_sequences_are_shown_as_words(tmp_path: Path) -> None:
    _, found, shown = trained("ctc_digit_rows", tmp_path)
    assert [each.true for each in shown.answers[:2]] == found["answers_true"][:2].tolist()
    assert all(3 <= len(each.true) <= 5 and each.true.isdigit() for each in shown.answers)
    assert all(each.predicted == "nothing" or each.predicted.isdigit() for each in shown.answers)
    assert all(each.picture for each in shown.answers)


@pytest.mark.slow
def test_a_name_is_read_back_from_its_tokens(tmp_path: Path) -> None:
    _, _, shown = trained("rnn_letter_names", tmp_path)
    scripts = {"arabic", "cyrillic", "ethiopic", "greek", "latin", "yi"}
    assert {each.true for each in shown.answers} <= scripts
    assert all(each.words.strip() and "\0" not in each.words for each in shown.answers)
