"""One opened sample: its figures are what a plain script of torch gives, for every target."""

import hashlib
from pathlib import Path

import pytest
import torch
from sklearn.datasets import load_diabetes, load_iris

from core.common.network_ref import CheckpointRef, ProjectRef, RunRef
from core.data import load
from core.insight import sample_views, views
from core.insight.load_model import open_run
from core.insight.network_cache import sample_of
from core.project import write_text
from core.project.templates import load_template


def drawn(name: str) -> ProjectRef:
    """The NetworkRef of a template that is not trained."""
    return ProjectRef(write_text(load_template(name)))


def place(run: Path) -> RunRef:
    return RunRef(run)


def test_scores_are_the_softmax_of_a_plain_forward(trained: Path) -> None:
    worst = views.misses(place(trained), 1)[0]
    found = sample_views.detail(place(trained), worst.sample.index, ["conv1", "relu1", "fc1"])
    module = open_run(trained).module
    x, y = load({"source": "digits"}, (1, 8, 8), (10,)).validation()
    with torch.no_grad():
        probabilities = module(x[worst.sample.index][None]).softmax(dim=1)[0]
    (head,) = found.heads
    assert [s.probability for s in head.scores] == pytest.approx(probabilities.tolist(), abs=1e-6)
    assert [s.true for s in head.scores].index(True) == int(y[worst.sample.index])
    assert [s.predicted for s in head.scores].index(True) == int(probabilities.argmax())
    assert (head.target, head.predicted) == (worst.sample.answer, worst.predicted)
    assert head.loss == pytest.approx(
        -float(probabilities[int(y[worst.sample.index])].log()), rel=1e-4
    )
    assert [shot.node for shot in found.blocks] == ["conv1", "relu1", "fc1"]
    assert found.miss.confidence == worst.confidence


def test_mistakes_of_one_pair_are_those_the_matrix_counts(trained: Path) -> None:
    matrix = views.confusion_of(place(trained))
    assert matrix is not None
    pairs = [(t, p) for t in range(10) for p in range(10) if t != p and matrix.counts[t][p]]
    true, predicted = max(pairs, key=lambda pair: matrix.counts[pair[0]][pair[1]])
    found = views.misses(place(trained), 99, str(true), str(predicted))
    assert len(found) == matrix.counts[true][predicted]
    assert {(m.sample.answer, m.predicted) for m in found} == {(str(true), str(predicted))}
    assert len(views.misses(place(trained), 999, str(true))) == sum(
        n for k, n in enumerate(matrix.counts[true]) if k != true
    )


def test_the_columns_of_a_row_are_those_of_the_file() -> None:
    ref = drawn("mlp_iris")
    dataset = load({"source": "iris"}, (4,), (3,))
    truth = torch.tensor(load_iris().data)
    learned = truth[dataset.train_indices]
    row = truth[dataset.validation_indices[4]]
    cells = sample_views.detail(ref, 4, []).cells
    assert [c.column for c in cells] == [
        "sepal_length", "sepal_width", "petal_length", "petal_width"
    ]  # fmt: skip
    assert [c.value for c in cells] == pytest.approx(row.tolist(), abs=1e-5)
    assert [float(cell) for cell in sample_of(ref, 4).cells] == row.tolist()
    far = (row - learned.mean(dim=0)) / learned.std(dim=0, correction=0)
    assert [c.deviation for c in cells] == pytest.approx(far.tolist(), abs=1e-4)


def test_of_a_number_the_error_is_shown_in_its_own_unit() -> None:
    ref = drawn("regression_diabetes")
    worst = views.misses(ref, 1)[0].sample.index
    (head,) = sample_views.detail(ref, worst, []).heads
    assert head.error is not None
    assert float(head.predicted) - float(head.target) == pytest.approx(head.error, abs=1.0)
    assert abs(head.error) > 50
    true, predicted = sample_views.numbers(ref)
    dataset = load({"source": "diabetes"}, (10,), (1,))
    truth = torch.tensor(load_diabetes().target)[dataset.validation_indices]
    assert true == pytest.approx(truth.tolist(), abs=1e-3)
    assert predicted[worst] - true[worst] == pytest.approx(head.error, abs=1e-3)


def test_every_head_tells_its_own_target() -> None:
    digit, picture = sample_views.detail(drawn("two_heads_digits"), 0, []).heads
    assert (digit.name, picture.name) == ("digit", "picture")
    assert len(digit.scores) == 10
    assert sum(s.probability for s in digit.scores) == pytest.approx(1.0, abs=1e-5)
    assert picture.scores == ()
    assert len(picture.pictures) == 2


def test_labels_have_a_probability_each() -> None:
    (head,) = sample_views.detail(drawn("multilabel_digits"), 0, []).heads
    assert head.target.split() == [s.name for s in head.scores if s.true]
    assert head.predicted.split() == [s.name for s in head.scores if s.predicted] or not any(
        s.predicted for s in head.scores
    )
    assert all((s.probability > 0.5) == s.predicted for s in head.scores)


@pytest.mark.gate
def test_of_a_text_the_places_that_count_have_target_and_prediction() -> None:
    found = sample_views.detail(drawn("bert_text"), 0, [])
    covered = [t for t in found.tokens if t.true]
    assert 0 < len(covered) < len(found.tokens)
    assert "".join(t.true for t in covered) == found.heads[0].target
    assert "".join(t.predicted for t in covered) == found.heads[0].predicted
    names = sample_views.detail(drawn("rnn_letter_names"), 0, [])
    assert "".join(t.text for t in names.tokens) == names.miss.sample.words


def test_the_nearest_training_samples_are_those_of_a_plain_script(trained: Path) -> None:
    module = open_run(trained).module
    dataset = load({"source": "digits"}, (1, 8, 8), (10,))
    with torch.no_grad():
        x, _ = dataset.training()
        code = torch.nn.Sequential(
            module.get_submodule("conv1"), torch.nn.ReLU(), torch.nn.Flatten()
        )
        own = code(dataset.validation()[0][7:8])
        far, order = torch.cdist(own, code(x))[0].sort(stable=True)
    labels = dataset.training()[1][order[:6]]
    found = sample_views.neighbours(place(trained), 7)
    assert [n.answer for n in found] == [str(int(label)) for label in labels]
    assert [n.distance for n in found] == pytest.approx(far[:6].tolist(), rel=1e-3)


def test_looking_never_changes_a_run(trained: Path) -> None:
    def files() -> dict[str, str]:
        every = [p for p in trained.rglob("*") if p.is_file()]
        return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in every}

    before = files()
    for ref in (place(trained), CheckpointRef(trained, "last", "1")):
        views.misses(ref)
        sample_views.detail(ref, 0, ["conv1"])
        sample_views.neighbours(ref, 0)
    assert files() == before


def test_the_last_weights_of_a_run_can_be_opened_beside_the_best(trained: Path) -> None:
    ref = CheckpointRef(trained, "last", "1")
    truth = torch.load(trained / "ckpt" / "last.pt", weights_only=True)
    found = sample_views.opened(ref).module.state_dict()["conv1.weight"]
    assert torch.equal(found, truth["model"]["conv1.weight"])
