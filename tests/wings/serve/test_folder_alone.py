"""A server folder runs with only what it names; its shared files are those that are tested."""

import json
import re
import subprocess
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.project.templates import load_template
from core.wings.serve.server.folder import COMMON, READERS, SERVERS
from tests.core.export.only import command, named, surroundings

CLOSE = 1e-5


@pytest.fixture(scope="module")
def subject() -> Subject:
    return subject_of(load_template("mlp_iris"))


def served_folder(folder: Path, names: list[str]) -> tuple[str, "subprocess.Popen[str]"]:
    """Start serve.py on a free port, which it says itself."""
    server = subprocess.Popen(
        command(folder / "serve.py", names, "--port", "0", beside=True), cwd=folder,
        env=surroundings(folder), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stderr is not None
    seen = list[str]()
    for line in server.stderr:
        seen.append(line)
        if "running on http://" in line:
            return line.split("running on ")[1].split()[0], server
    raise AssertionError("".join(seen))


def _answer(address: str, body: bytes, path: str = "/predict") -> dict[str, Any]:
    with urllib.request.urlopen(urllib.request.Request(address + path, body)) as got:
        return json.loads(got.read())


def _refusal(address: str, body: bytes, path: str = "/predict") -> tuple[int, str]:
    with pytest.raises(urllib.error.HTTPError) as error:
        _answer(address, body, path)
    return error.value.code, json.loads(error.value.read())["error"]["message"]


def _get(address: str, path: str) -> bytes:
    with urllib.request.urlopen(address + path) as got:
        return got.read()


def _numbers(answer: dict[str, Any]) -> list[float]:
    return list(answer["predictions"][0]["logits"]["probabilities"].values())


@pytest.mark.slow
def test_a_server_folder_answers_with_what_it_names(subject: Subject, tmp_path: Path) -> None:
    made = export_subject(subject, "server", tmp_path / "net.zip")
    assert made.max_difference == 0.0
    with zipfile.ZipFile(made.path) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "mlp_on_iris_server"
    assert sorted(path.name for path in folder.iterdir()) == [
        "Dockerfile",
        "README.md",
        "answer.json",
        "apart.py",
        "batching.py",
        "date_parts.py",
        "desk.py",
        "few_parts.py",
        "frames.py",
        "inputs.py",
        "interface.json",
        "limits.py",
        "model.py",
        "number_spelling.py",
        "openapi.json",
        "outputs.py",
        "patience.py",
        "picture_files.py",
        "picture_sizes.py",
        "reading_process.py",
        "request_error.py",
        "requirements.txt",
        "sample.json",
        "sent_numbers.py",
        "sent_pictures.py",
        "sent_rows.py",
        "sent_sounds.py",
        "sent_windows.py",
        "serve.py",
        "sounds.py",
        "steady.py",
        "text_tokens.py",
        "thread_count.py",
        "threads.py",
        "upright.py",
        "weights.safetensors",
    ]
    names = named((folder / "serve.py").read_text("utf-8").split('"""')[1])
    wanted = ["torch", "numpy", "safetensors", "starlette", "uvicorn", "pillow"]
    lines = (folder / "requirements.txt").read_text().splitlines()
    assert names == [line.partition("==")[0] for line in lines] == wanted
    assert "+" not in "".join(lines)
    address, server = served_folder(folder, names)
    try:
        asked = (folder / "sample.json").read_bytes()
        got = _answer(address, asked)
        answer = json.loads((folder / "answer.json").read_text("utf-8"))
        assert _numbers(got) == pytest.approx(_numbers(answer), abs=CLOSE)
        assert (
            got["predictions"][0]["logits"]["class"]
            == (answer["predictions"][0]["logits"]["class"])
        )
        status, message = _refusal(address, b'{"samples": [{"features": [1, 2]}]}')
        assert (status, message) == (422, "features needs its 4 columns but receives 2.")
        status, message = _refusal(address, asked, "/elsewhere")
        assert (status, message) == (404, "POST /elsewhere is not served here.")
        assert json.loads(_get(address, "/health")) == {"ok": True}
        assert json.loads(_get(address, "/openapi.json"))["openapi"] == "3.1.0"
    finally:
        server.terminate()
        assert server.wait(600) is not None
    refused = subprocess.run(
        command(folder / "serve.py", names, "--host", "0.0.0.0", beside=True), cwd=folder,
        env=surroundings(folder), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert refused.returncode == 2
    assert "set the environment variable TOKEN" in refused.stderr


def test_a_server_folder_is_formatted_and_its_shared_files_are_the_tested_ones(
    subject: Subject, tmp_path: Path
) -> None:
    import sys

    with zipfile.ZipFile(export_subject(subject, "server", tmp_path / "net.zip").path) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "mlp_on_iris_server"
    homes = {name: "samples" for name in READERS} | {name: "wings/serve" for name in SERVERS}
    homes |= {name: "common" for name in COMMON}
    for name, home in homes.items():
        tested = (Path(__file__).parents[3] / "core" / home / name).read_text("utf-8")
        tested = re.sub(r"from core\.(?:common|samples|wings\.serve)\.", "from ", tested)
        # only the order of imports may differ
        assert sorted((folder / name).read_text("utf-8").split("\n")) == sorted(tested.split("\n"))
    for words in (["format", "--check"], ["check", "--select", "F,I,B,UP,SIM"]):
        ruff = [sys.executable, "-m", "ruff", *words, "--isolated", "--line-length", "100", "."]
        done = subprocess.run(ruff, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    docker = (folder / "Dockerfile").read_text("utf-8").splitlines()
    assert docker[0] == "FROM python:3.12-slim"
    assert "USER app" in docker
    assert any(line.startswith("HEALTHCHECK") for line in docker)
