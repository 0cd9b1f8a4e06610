"""Folders, pipes, ports, full disks and closed streams: one sentence each, nothing half done."""

import errno
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.cli import files, look, main, output, templates

LENET = str(Path(__file__).resolve().parents[3] / "projects/lenet_digits.loom.json")
Capture = pytest.CaptureFixture[str]


def test_code_into_a_folder_asks_for_a_file(tmp_path: Path, capsys: Capture) -> None:
    assert main(["code", LENET, "-o", str(tmp_path)]) == 2
    assert "is a folder.\n  hint: Give a file name." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_code_goes_straight_into_a_pipe_which_stays_one(tmp_path: Path, capsys: Capture) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text)
        assert main(["code", LENET, "-o", str(pipe)]) == 0
        assert "class LeNetOnDigits" in read.result(30)
    assert pipe.is_fifo()


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


WRITERS: dict[str, Any] = {
    "read_bytes": templates.copy,
    "replace": lambda template, out: files.write_out("text", out),
}


@pytest.mark.parametrize("part", WRITERS)
def test_a_full_disk_is_named_and_nothing_half_written_is_left(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = templates.find("mlp_iris")
    monkeypatch.setattr(f"pathlib.Path.{part}", full)
    with pytest.raises(output.UsageError) as error:
        WRITERS[part](template, tmp_path / "net")
    assert error.value.message.endswith("net cannot be written (No space left on device).")
    assert error.value.hint.startswith(f"Free some space on the disk of {tmp_path}, or choose")
    assert list(tmp_path.iterdir()) == []


KINDS = {"png": {"picture": b"p"}, "webp": {"film": b"f"}, "npz": {"arrays": {"a": [1.0]}}}


@pytest.mark.parametrize("kind", KINDS)
def test_a_look_on_a_full_disk_leaves_no_empty_file(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: Any = SimpleNamespace(**{"film": b"", "picture": b"", "arrays": {}, **KINDS[kind]})
    look.write(found, {}, tmp_path / f"whole.{kind}")
    assert (tmp_path / f"whole.{kind}").stat().st_size > 0
    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(output.UsageError, match="No space left on device"):
        look.write(found, {}, tmp_path / f"other.{kind}")
    assert [path.name for path in tmp_path.iterdir()] == [f"whole.{kind}"]


def test_half_a_character_is_named_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(output.UsageError, match=r"has \\ud800, which is half a character"):
        files.write_out("a \ud800", tmp_path / "net")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("port", ["0", "-1", "65536"])
def test_a_number_that_is_no_port_is_status_2(port: str, capsys: Capture) -> None:
    assert main([f"--port={port}", "--no-browser"]) == 2
    assert capsys.readouterr().err.startswith(f"error: {port} is not a port.")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_closed_stream_is_no_error(
    stream: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(sys, stream, None)
    assert main(["blocks", "nothing_of_this_name"]) == 2
    assert main(["blocks", "ReLU"]) == 0
    out, err = capsys.readouterr()
    assert ("There is no block" in err) is (stream == "stdout")
    assert "There is no block" not in out


@pytest.mark.parametrize("command", ["resume", "pause", "checkpoint"])
def test_a_file_where_a_run_is_needed_is_named_as_a_file(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.loom.zip").write_bytes(b"PK")
    assert main([command, "net.loom.zip"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: net.loom.zip is a file, not a run.\n  hint: `layerloom runs")
