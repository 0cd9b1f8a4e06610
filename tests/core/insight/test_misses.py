"""The worst samples of every task: the same while a run trains and after, by the loss it trains."""

import signal
from pathlib import Path

import pytest

from core.analyse import analyse_project
from core.common.network_ref import ProjectRef, RunRef
from core.insight import live, views
from core.insight.thumbnails import Miss
from core.prepare.create import prepare
from core.project import open_project
from core.runs.listing import view_run
from core.worker import main

PROJECTS = Path(__file__).parents[3] / "projects"
NAMES = ("siamese_digits", "triplet_digits", "multilabel_digits", "rnn_letter_names", "bert_text",
         "seq2seq_dates", "lstm_waves", "regression_diabetes", "autoencoder_digits", "unet_digits",
         "two_heads_digits", "dcgan_digits", "ctc_digit_rows")  # fmt: skip

PICTURED = ("autoencoder_digits", "unet_digits", "dcgan_digits")
"""Of these a run knows pictures only; afterwards the class of the picture is told as well."""


def trained(name: str, folder: Path) -> Path:
    project = open_project(PROJECTS / f"{name}.loom.json")
    settings = {"epochs": 1, "threads": 1, "device": "cpu"}
    run = prepare(project, analyse_project(project), folder, settings)
    handler = signal.getsignal(signal.SIGTERM)
    try:
        main.main(run)
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert view_run(run).state == "finished"
    return run


def by_index(misses: list[Miss]) -> dict[int, tuple[str, str, str, bool, bool]]:
    return {
        m.sample.index: (
            m.predicted,
            m.sample.words,
            m.sample.answer,
            m.lines is None,
            bool(m.more),
        )
        for m in misses
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_live_and_afterwards_the_same_samples_are_the_worst(name: str, tmp_path: Path) -> None:
    run = trained(name, tmp_path)
    during, after = live.misses(run), views.misses(RunRef(run))
    assert 10 < len(during) <= 24
    assert [m.loss for m in during] == pytest.approx([m.loss for m in after], rel=1e-3)
    same = by_index(during).items() & by_index(after).items()
    assert name in PICTURED or len(same) >= len(during) - 2
    pictured = {bool(m.sample.picture) for m in (*during, *after)}
    assert len(pictured) == 1
    first = live.samples(run), views.samples(RunRef(run), "", 0, 8)
    assert [s.words for s in first[0]] == [s.words for s in first[1]]
    assert [s.cells for s in first[0]] == [s.cells for s in first[1]]
    cells = {m.sample.index: m.sample.cells for m in after}
    assert all(cells.get(m.sample.index, m.sample.cells) == m.sample.cells for m in during)
    assert name in PICTURED or [s.answer for s in first[0]] == [s.answer for s in first[1]]


def test_a_row_is_shown_as_its_file_has_it_live_and_afterwards(tmp_path: Path) -> None:
    run = trained("mlp_iris", tmp_path)
    (during,), (after,) = live.samples(run)[:1], views.samples(RunRef(run), "", 0, 1)
    assert during == after
    assert during.values(4) == "5.4, 3, 4.5, 1.5"
    missed = live.misses(run)
    assert missed[0].sample == views.misses(RunRef(run), 1)[0].sample
    assert all(0 < float(cell) < 8 for cell in missed[0].sample.cells)


@pytest.mark.slow
def test_the_worst_pairs_are_those_on_the_wrong_side(tmp_path: Path) -> None:
    """Distances far apart are right of two classes, near ones of one."""
    run = trained("siamese_digits", tmp_path)
    worst = views.misses(RunRef(run))[:5]
    far = {m.sample.answer: float(m.predicted.removeprefix("a distance of ")) for m in worst}
    assert far.get("one class", 9.0) > 1.0
    assert far.get("two classes", 0.0) < 1.0


@pytest.mark.parametrize(
    ("name", "classes"),
    [("lenet_digits", 10), ("autoencoder_digits", 10), ("siamese_digits", 0),
     ("multilabel_digits", 0), ("seq2seq_dates", 0)],
)  # fmt: skip
def test_samples_can_be_chosen_by_class_where_each_is_of_one(name: str, classes: int) -> None:
    text = (PROJECTS / f"{name}.loom.json").read_text("utf-8")
    assert len(views.overview(ProjectRef(text))["classes"]) == classes
