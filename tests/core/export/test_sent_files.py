"""The check of an export for people's files goes by files, through the reader that is exported."""

from pathlib import Path

import pytest
from PIL import ImageOps

from core.analyse import analyse_project
from core.data.facts.metadata import read_own
from core.export import ExportError, quality, subject_of
from core.export.formats import FORMATS
from core.export.run import export_subject
from core.export.sent_files import sent_inputs
from core.export.subject import Subject
from core.prepare.create import prepare
from core.samples import inputs, sent_pictures
from tests.core.data.own_sets import write_table
from tests.core.data.picture_sets_as_saved import READ
from tests.core.export.test_one_picture_reader import project
from tests.core.small_runs import project as small_project
from tests.core.small_runs import table_net, train_here
from tests.crossing import own_texts

pytestmark = pytest.mark.gate


@pytest.fixture
def run(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Photographs of a phone, which training turns."""
    monkeypatch.setattr(quality, "MOST_TIMES", 1)
    made = project(workspace, READ["photographs of a phone"].files, 3, normalize=True)
    folder = prepare(made, analyse_project(made), workspace / "runs")
    assert train_here(folder).state == "finished"
    return folder


@pytest.mark.parametrize("name", [kind.name for kind in FORMATS.values() if kind.takes_files])
def test_what_is_printed_comes_of_files(run: Path, tmp_path: Path, name: str) -> None:
    made = export_subject(subject_of(run), name, tmp_path / "out").quality
    assert made is not None
    assert made.as_files
    assert made.json()["as_files"] is True
    assert f"on {made.samples} samples sent as files" in made.words()
    assert made.file == made.eager


def test_what_takes_tensors_is_measured_by_them(run: Path, tmp_path: Path) -> None:
    made = export_subject(subject_of(run), "onnx", tmp_path / "out").quality
    assert made is not None
    assert not made.as_files


def test_an_export_whose_reader_differs_from_training_is_refused(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = subject_of(run)
    assert subject.opened is not None
    assert subject.opened.dataset.inputs.shape == (6, 3, 6, 4)
    monkeypatch.setattr(ImageOps, "exif_transpose", lambda picture: picture)
    with pytest.raises(ExportError, match=r"\.png, sent as a file, is read otherwise than in"):
        export_subject(subject, "web", tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


def table(workspace: Path, text: str) -> Subject:
    """An untrained network for a table of people's spelling."""
    write_table(workspace / "data/table.csv", text)
    data = {"source": "CSV", "file": "data/table.csv", "target_column": "sold", "normalize": True}
    facts = read_own(data)
    assert facts is not None
    return subject_of(small_project(table_net(facts.source.shape[0], 2), data))


ROWS = "".join(
    f"{1 + i % 28:02d}.{1 + i % 12:02d}.2024;{150 + i},5;{('Bonn', 'Jena')[i % 2]};{'yn'[i % 2]}\n"
    for i in range(40)
)


def test_the_rows_of_a_table_are_sent_as_they_stand(workspace: Path, tmp_path: Path) -> None:
    made = export_subject(table(workspace, f"seen;height;city;sold\n{ROWS}"), "web", tmp_path / "a")
    assert made.quality is not None
    assert made.quality.as_files
    assert made.quality.words().startswith("accuracy ")
    assert f"on {made.quality.samples} samples sent as files" in made.quality.words()


def test_a_table_of_texts_is_sent_whole_and_read_as_in_training(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = subject_of(own_texts.text_project(own_texts.mails(workspace)))
    assert subject.opened is not None
    dataset = subject.opened.dataset
    sent = sent_inputs(subject, 7)
    assert sent.inputs is not None
    assert sent.inputs.tolist() == dataset.inputs[dataset.validation_indices[:7]].tolist()
    monkeypatch.setattr(inputs, "sent_tokens", lambda _spec, _text, length: [1] * length)
    with pytest.raises(ExportError, match=r"of mails\.csv, sent as a file, is read otherwise than"):
        sent_inputs(subject, 7)


def test_a_file_that_the_reader_refuses_is_named(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_pictures, "MOST_PIXELS", 10)
    made = export_subject(subject_of(run), "web", tmp_path / "out.zip").quality
    assert made is not None
    assert not made.as_files
    assert made.refused == "image has 7 x 5 pixels."
    assert "on tensors, as a file is refused: image has 7 x 5 pixels." in made.words()
