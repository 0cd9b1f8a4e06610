"""Streamlit's settings are ours and the user's, never those of the folder that somebody opened."""

from pathlib import Path

import pytest
from streamlit import config

from app.server import main


@pytest.mark.parametrize("name", ["config.toml", "secrets.toml"])
def test_no_file_of_the_working_folder_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / name).write_text('[logger]\nlevel = "debug"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    files = config.get_config_files(name)
    assert str(main.HERE / ".streamlit" / name) in files
    assert [file for file in files if file.startswith(str(tmp_path))] == []
