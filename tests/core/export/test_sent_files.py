"""The check of an export for people's files goes by files, through the reader that is exported."""

from pathlib import Path

import pytest
from PIL import ImageOps

from core.analyse import analyse_project
from core.export import ExportError, quality, subject_of
from core.export.run import export_subject
from core.prepare.create import prepare
from tests.core.data.picture_sets_as_saved import READ
from tests.core.export.test_one_picture_reader import project
from tests.core.small_runs import train_here

pytestmark = pytest.mark.gate


@pytest.fixture
def run(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Photographs of a phone, which training turns."""
    monkeypatch.setattr(quality, "MOST_TIMES", 1)
    made = project(workspace, READ["photographs of a phone"].files, 3, normalize=True)
    folder = prepare(made, analyse_project(made), workspace / "runs")
    assert train_here(folder).state == "finished"
    return folder


@pytest.mark.parametrize("name", ["server", "web"])
def test_what_is_printed_comes_of_files(run: Path, tmp_path: Path, name: str) -> None:
    made = export_subject(subject_of(run), name, tmp_path / "out").quality
    assert made is not None
    assert made.as_files
    assert made.json()["as_files"] is True
    assert f"on {made.samples} files as people send them" in made.words()
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
        export_subject(subject, "server", tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()
