"""Sounds that are dropped or chosen: kept together, read, a network drawn for them."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import soundfile

from app.process import pool
from app.services import documents, first_network, staging
from app.services.data_previews import preview_data
from app.services.file_choices import Choice, choices
from app.services.file_drop import open_dropped
from app.services.staging import Staged
from core.analyse import analyse_project
from core.data import DataError
from core.data.facts.metadata import read_own
from core.data.sources.io_spec import ends
from core.project.values import frozen
from tests.core.data.sound_sets import KINDS, write_sounds

pytestmark = pytest.mark.usefixtures("workspace")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch):
    def run(function, *args, timeout_s):
        try:
            return function(*args)
        except DataError as error:
            raise pool.PoolError(error.message, error.hint) from error

    monkeypatch.setattr(pool, "run", run)


def dropped(names: dict[str, bytes]):
    with staging.staging() as folder:
        staged: list[Staged] = []
        for number, (name, content) in enumerate(names.items()):
            (folder / str(number)).write_bytes(content)
            staged.append(Staged(name, folder / str(number)))
        return open_dropped(staged)


def files(folder: Path) -> dict[str, bytes]:
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder.parent).as_posix(): path.read_bytes() for path in found}


def test_a_folder_of_sounds_is_kept_with_its_classes_and_read(tmp_path: Path, workspace: Path):
    write_sounds(tmp_path / "words", each=4)
    given = {**files(tmp_path / "words"), "words/readme.txt": b"tones and noise"}
    found = dropped(given)
    assert (found.page, found.error) == ("data", "")
    assert found.data == {"source": "SoundFolder", "root": "data/words"}
    assert found.notes[0] == "12 sounds. Each folder is a class: 3 classes (chirp, noise, tone)."
    assert sorted(path.name for path in (workspace / "data/words").iterdir()) == list(KINDS)


def test_a_zip_of_sounds_is_read_as_its_folder(tmp_path: Path):
    write_sounds(tmp_path / "words", each=3)
    with zipfile.ZipFile(tmp_path / "words.zip", "w") as archive:
        for name, content in files(tmp_path / "words").items():
            archive.writestr(name, content)
    found = dropped({"words.zip": (tmp_path / "words.zip").read_bytes()})
    assert (found.data, found.error) == ({"source": "SoundFolder", "root": "data/words"}, "")


def test_covers_beside_more_sounds_are_left_out(tmp_path: Path):
    write_sounds(tmp_path / "words", each=3)
    found = dropped({**files(tmp_path / "words"), "words/tone/cover.png": b"\x89PNG"})
    assert found.data == {"source": "SoundFolder", "root": "data/words"}
    assert "Skipped: 1 of 10 files, which are not sounds." in found.notes


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("a.wav", "a.wav is a sound without a class.", "sub-folder for each class"),
        ("a.mp3", "a.mp3 is a sound in a format that cannot be read (.mp3).", "WAV, FLAC or OGG"),
    ],
)
def test_one_sound_alone_is_no_data(name: str, message: str, hint: str):
    with pytest.raises(DataError) as error:
        dropped({name: b"RIFF"})
    assert error.value.message == message
    assert hint in error.value.hint


def test_a_folder_of_the_workspace_is_offered(workspace: Path):
    write_sounds(workspace / "data/words", each=2)
    assert choices() == [Choice("SoundFolder", "data/words")]


@pytest.mark.gate
@pytest.mark.parametrize(
    ("form", "blocks"), [("spectrogram", "Conv2d BatchNorm2d"), ("wave", "Conv1d BatchNorm1d")]
)
def test_a_network_is_drawn_for_sounds(workspace: Path, form: str, blocks: str):
    write_sounds(workspace / "data/words", each=4)
    data = {"source": "SoundFolder", "root": "data/words", "form": form}
    read_own(data)
    document = documents.empty()
    document.replace(replace(document.project, data=frozen(data)))
    first_network.make(document)
    nodes = document.project.graph.nodes
    assert [node.block for node in nodes.values()][1:3] == blocks.split()
    report = analyse_project(document.project)
    assert not report.errors
    assert [end.shape for end in ends(report.inputs, report.outputs)[1]] == [(3,)]


def test_some_sounds_are_shown_and_one_of_each_class_played(workspace: Path):
    write_sounds(workspace / "data/words", each=5)
    read_own({"source": "SoundFolder", "root": "data/words"})
    shown = preview_data('{"source": "SoundFolder", "root": "data/words"}', 0)
    assert len(shown.pictures) == 15
    assert all(png.startswith(b"\x89PNG") for png, _ in shown.pictures)
    assert shown.counts == (("chirp", 4, 1), ("noise", 4, 1), ("tone", 4, 1))
    assert [name for name, _ in shown.sounds] == list(KINDS)
    (workspace / "played.wav").write_bytes(shown.sounds[0][1])
    assert soundfile.info(workspace / "played.wav").samplerate == 8000
