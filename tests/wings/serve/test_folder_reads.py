"""The reader of an exported server folder reads picture files and tables as training does."""

import importlib
import json
import sys
import zipfile
from pathlib import Path

import pytest

from core.wings.serve.server.folder import READERS, SERVERS, make_server
from tests.core.data.table_spellings import SPELLINGS
from tests.core.export import test_one_picture_reader as picture_reader
from tests.core.export import test_one_row_reader as row_reader


def of_folder(subject, tmp_path: Path, monkeypatch):
    """The reader of an exported server folder, by itself."""
    archive = tmp_path / "server.zip"
    archive.write_bytes(make_server(subject).content)
    with zipfile.ZipFile(archive) as found:
        found.extractall(tmp_path / "server")
    (folder,) = (tmp_path / "server").iterdir()
    for name in [name.removesuffix(".py") for name in (*READERS, *SERVERS)]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    module = importlib.import_module("inputs")
    assert Path(str(module.__file__)).parent == folder
    return module.read, json.loads((folder / "interface.json").read_text("utf-8"))


@pytest.mark.parametrize("name", picture_reader.CHOSEN)
def test_a_folder_reads_a_picture_file_as_training_does(
    name: str, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = {"folder": lambda subject: of_folder(subject, tmp_path, monkeypatch)}
    picture_reader.agree(name, workspace, folder)


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_folder_reads_the_lines_of_a_file_as_the_run_does(
    name: str, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = {"folder": lambda subject: of_folder(subject, tmp_path, monkeypatch)}
    row_reader.agree(name, workspace, folder)
