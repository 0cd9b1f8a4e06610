"""Labels that are likely wrong: by probabilities alone, and where the samples stand in files."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from core.common.network_ref import ProjectRef, RunRef
from core.data import load
from core.data.facts.metadata import read_own
from core.data.sources.io_spec import End
from core.insight import network_cache
from core.insight.attribution.subject import NoSuch
from core.insight.look.catalogue import look
from core.insight.look.view import LookRequest
from core.insight.thumbnails import Sample
from core.runs.files import write_json
from core.tasks.measure import class_probabilities, probabilities
from core.tasks.readings.sums import RightOrWrong
from core.wings.findings import out_of_sample
from core.wings.findings.file_rows import places_of
from core.wings.findings.out_of_sample import JudgedSamples, fold_runs, where
from core.wings.findings.wrong_labels import likely_wrong, usual_probabilities
from tests.wings.findings.planted import people


def sure(*labels: int, classes: int = 3, at: float = 0.94) -> Any:
    """Probabilities of a network that is sure of these classes."""
    rest = (1 - at) / (classes - 1)
    return np.where(np.arange(classes) == np.array(labels)[:, None], at, rest)


def test_a_label_against_a_sure_network_is_named_with_both_probabilities() -> None:
    given = np.array([0] * 20 + [1] * 20 + [2] * 20)
    found = sure(*given)
    found[3] = [0.01, 0.97, 0.02]
    found[59] = [0.96, 0.01, 0.03]
    told = likely_wrong(given, found)
    assert [(s.number, s.given, s.predicted, s.probability, s.of_label) for s in told] == [
        (3, 0, 1, 0.97, 0.01),
        (59, 2, 0, 0.96, 0.03),
    ]


def test_a_mistake_of_a_network_that_is_in_doubt_is_not_named() -> None:
    given = np.array([0] * 20 + [1] * 20)
    found = sure(*given, classes=2)
    found[3] = [0.3, 0.7]
    assert likely_wrong(given, found) == ()


def test_where_classes_overlap_mistakes_say_nothing_though_confident_learning_names_them() -> None:
    rng = np.random.default_rng(2)
    score = rng.normal(0, 1, 400)
    given = (score + rng.normal(0, 1, 400) > 0).astype(int)
    yes = 1 / (1 + np.exp(-6 * score))  # overconfident
    found = np.stack([1 - yes, yes], axis=1)
    plain = (found >= usual_probabilities(given, found)) & (found > 0.5)
    named = plain.any(1) & (plain.argmax(1) != given)
    assert named.sum() == 76
    assert len(likely_wrong(given, found)) == 0


def test_a_class_without_samples_is_nobodys_right_class() -> None:
    given = np.array([0] * 10 + [1] * 10)
    found = sure(*given)
    found[0] = [0.02, 0.02, 0.96]
    assert usual_probabilities(given, found)[2] == np.inf
    assert likely_wrong(given, found) == ()


def test_probabilities_of_yes_and_no_and_of_classes_are_those_of_their_predictions() -> None:
    class Classes(RightOrWrong):
        from core.tasks.classification import CLASSES as declared

    class YesNo(RightOrWrong):
        from core.tasks.classification import YES_NO as declared

    logits = torch.tensor([[2.0, 0.0, -1.0], [0.0, 0.0, 0.0]])
    each = class_probabilities(logits, Classes())
    assert torch.equal(each, logits.softmax(1))
    assert torch.equal(probabilities(logits, torch.tensor([1, 2]), Classes()), each[[0, 1], [1, 2]])
    yes = torch.tensor([[0.0], [3.0]])
    each = class_probabilities(yes, YesNo())
    assert torch.allclose(each, torch.tensor([[0.5, 0.5], [0.0474, 0.9526]]), atol=1e-4)
    assert torch.equal(probabilities(yes, torch.tensor([1.0, 0.0]), YesNo()), each[[0, 1], [1, 0]])


@pytest.mark.parametrize("more", [{}, {"limit": 100}, {"folds": 4, "fold": 2}])
def test_rows_of_a_table_are_those_whose_label_the_network_is_held_against(
    read: Any, tmp_path: Path, more: dict[str, Any]
) -> None:
    table = people(np.random.default_rng(1), classes=3)
    table["height"][3] = ""  # this row is left out
    data = {**read(table), "fill": {"height": "drop"}, **more}
    read_own(data)
    found = load(data, (8,), (3,), seed=5)
    places = places_of(found)
    lines = [*csv.reader((tmp_path / "table.csv").open(encoding="utf-8"))]
    classes = [found.classes[i] for i in found.targets[found.validation_indices].tolist()]
    assert 5 not in places
    assert [lines[row - 1][-1] for row in places] == classes


def test_files_of_texts_and_pictures_are_named(workspace: Path) -> None:
    for kind in ("a", "b"):
        (workspace / "texts" / kind).mkdir(parents=True)
        (workspace / "pictures" / kind).mkdir(parents=True)
        for number in range(10):
            text = "" if number == 0 else f"{kind} word{number} and more"
            (workspace / "texts" / kind / f"{number}.txt").write_text(text)
            grey = np.full((8, 8), 20 * number, np.uint8)
            Image.fromarray(grey).save(workspace / "pictures" / kind / f"{number}.png")
    texts, pictures = ({"source": s, "root": r} for s, r in
                       (("TextFolder", "texts"), ("ImageFolder", "pictures")))  # fmt: skip
    for data in (texts, pictures):
        read_own(data)
    found = load(texts, (End("x", (4,), "int64"),), (End("y", (2,)),))
    kinds = [place.split("/")[0] for place in places_of(found)]
    assert kinds == [found.classes[i] for i in found.targets[found.validation_indices].tolist()]
    assert "a/0.txt" not in places_of(found)
    found = load(pictures, (1, 8, 8), (2,))
    grey = [
        Image.open(workspace / "pictures" / place).getpixel((0, 0)) for place in places_of(found)
    ]
    rows = found.validation_indices
    assert [round(255 * float(found.inputs[i].flatten()[0])) for i in rows] == grey


def test_all_folds_of_a_run_are_found_beside_it_and_no_other_run(tmp_path: Path) -> None:
    data = {"source": "iris", "folds": 3}
    for name, change, training in (
        ("one", {"fold": 1}, {"lr": 0.1}),
        ("two", {"fold": 2}, {"lr": 0.1}),
        ("three", {"fold": 3}, {"lr": 0.1}),
        ("again", {"fold": 2}, {"lr": 0.1}),
        ("other rate", {"fold": 3}, {"lr": 0.2}),
        ("other folds", {"folds": 5}, {"lr": 0.1}),
    ):
        (tmp_path / name / "ckpt").mkdir(parents=True)
        (tmp_path / name / "ckpt" / "best.pt").write_bytes(b"")
        spec = {"source_sha256": "ab", "data": {**data, **change}, "training": training}
        write_json(tmp_path / name / "spec.json", spec)
    found = fold_runs(RunRef(tmp_path / "two"))
    assert [ref.folder.name for ref in found if isinstance(ref, RunRef)] == ["two", "one", "three"]


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trained network on iris that is sure of a class that the label of sample 3 is not."""
    given = np.array([0] * 15 + [1] * 15)
    found = sure(*given)
    found[3] = [0.01, 0.97, 0.02]
    ref = ProjectRef("")
    made = JudgedSamples(
        ("setosa", "versicolor", "virginica"), given, found, tuple(range(40, 70)), (ref,) * 30,
        np.arange(30),
    )  # fmt: skip
    monkeypatch.setattr(out_of_sample, "judged_of", lambda *_: made)
    shown = Sample(3, b"", "setosa", (5.1, 3.5, 1.4, 0.2))
    monkeypatch.setattr(network_cache, "sample_of", lambda *_: shown)


@pytest.mark.usefixtures("judged")
def test_look_lists_the_row_with_its_label_prediction_and_probability() -> None:
    found = look(RunRef(Path("run")), LookRequest("labels"))
    assert found.document["likely_wrong"] == [
        {"index": 3, "row": 43, "file": None, "sample": "row 43", "label": "setosa",
         "predicted": "versicolor", "probability": 0.97, "probability_of_label": 0.01}
    ]  # fmt: skip
    assert found.lines[1] == "  row 43: setosa, predicted versicolor at 97.0%, setosa at 1.0%"
    assert found.heading.startswith(
        "1 of 30 validation samples probably has a wrong label (3.3%): look at it, and correct the "
        "file. Validation only: "
    )
    assert found.table == (
        {"values": "5.1, 3.5, 1.4, 0.2", "sample": "row 43", "label": "setosa",
         "predicted": "versicolor", "probability": "97.0%", "probability of label": "1.0%"},
    )  # fmt: skip


def test_a_network_that_is_not_trained_is_refused() -> None:
    with pytest.raises(NoSuch, match="is not trained yet"):
        look(ProjectRef(""), LookRequest("labels"))


@pytest.mark.slow
def test_a_trained_table_has_its_groups_and_labels_looked_at(read: Any, tmp_path: Path) -> None:
    from tests.wings.findings.bench.noisy_labels import trained

    table = people(np.random.default_rng(1), count=500, classes=2)
    ref = RunRef(trained(read(table), tmp_path / "runs"))
    groups = look(ref, LookRequest("groups"))
    assert groups.document["samples"] == 100
    rows = groups.document["groups"]
    assert {row["column"] for row in rows} == {"city"}
    assert sum(row["samples"] for row in rows) <= 100
    found = look(ref, LookRequest("labels"))
    assert found.document["samples"] == 100
    lines = (tmp_path / "table.csv").read_text("utf-8").splitlines()
    for suspect in found.document["likely_wrong"]:
        assert lines[suspect["row"] - 1].endswith(suspect["label"])
    assert len(found.document["likely_wrong"]) <= 5


def test_samples_without_a_place_in_a_file_are_named_by_the_run_of_their_fold() -> None:
    one, two = RunRef(Path("runs/one")), RunRef(Path("runs/two"))
    given = np.array([0, 1, 0])
    made = JudgedSamples(("a", "b"), given, sure(*given, classes=2), (), (one, one, two),
                         np.array([0, 1, 0]), folds=2, found=2)  # fmt: skip
    assert [where(made, number) for number in range(3)] == [
        "sample 0 of one",
        "sample 1 of one",
        "sample 0 of two",
    ]
    assert made.of_all
