"""Streamlit's settings are ours and the user's, never those of the folder that somebody opened."""

import inspect
import socket
from pathlib import Path

import pytest
from streamlit import config
from streamlit.web.server.starlette import starlette_server

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


def test_streamlit_serves_at_the_socket_that_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["address", "port", "backlog"]
    assert list(inspect.signature(starlette_server._bind_socket).parameters) == asked
    monkeypatch.setattr(starlette_server, "_bind_socket", starlette_server._bind_socket)
    with socket.create_server(("127.0.0.1", 0)) as line:
        main._serve_at(line)
        assert starlette_server._bind_socket("127.0.0.1", 1, 1) is line
        assert not line.getblocking()
        taken, _ = starlette_server._bind_server_socket("127.0.0.1", "127.0.0.1", 1, 1)
        assert taken is line  # Streamlit looks for the function where we put ours


def test_a_streamlit_that_binds_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(starlette_server, "_bind_socket")
    with (
        socket.create_server(("127.0.0.1", 0)) as line,
        pytest.raises(RuntimeError, match="binds its port by another function than _bind_socket"),
    ):
        main._serve_at(line)
