"""Picture files as people have them are answered as the run answers its own validation samples."""

import base64
import json
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.wings.serve.served import served
from core.analyse import analyse_project
from core.common.network_ref import RunRef
from core.export.run import export_subject
from core.export.subject import subject_of
from core.insight.one_sample.api import look
from core.prepare.create import prepare
from tests.core.export.only import named
from tests.core.export.test_one_picture_reader import project
from tests.core.pictures_of_all_kinds import KINDS, shares_of
from tests.core.small_runs import train_here
from tests.wings.serve.app.conftest import asking
from tests.wings.serve.test_folder_alone import served_folder

MEDIA = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}
MEDIA |= {"tif": "image/tiff"}
Ask = Callable[[str, bytes], dict]


@pytest.fixture
def run(workspace: Path) -> Path:
    made = project(workspace, KINDS, 3, normalize=True)
    folder = prepare(made, analyse_project(made), workspace / "runs")
    assert train_here(folder).state == "finished"
    return folder


def check(run: Path, ask: Ask) -> None:
    for name, shares in shares_of(subject_of(run)).items():
        found = ask(MEDIA[name.rpartition(".")[2]], KINDS[name])["predictions"][0]["logits"]
        assert found["probabilities"] == pytest.approx(shares, abs=1e-5), name


@pytest.mark.slow
def test_v_answers_each_file_as_the_run_does(run: Path) -> None:
    for name, shares in shares_of(subject_of(run)).items():
        picture = base64.b64encode(KINDS[name]).decode()
        shown = look(RunRef(run), {"own": {"picture": picture}}, "")
        found = {score["name"]: score["value"] for score in shown["prediction"]["scores"]}
        assert found == pytest.approx(shares, abs=1e-5), name


@pytest.mark.gate
def test_a_server_answers_each_file_as_the_run_does(run: Path) -> None:
    with asking(served(run)) as http:

        def ask(media: str, body: bytes) -> dict:
            return http.post("/predict", content=body, headers={"content-type": media}).json()

        def as_json(_: str, body: bytes) -> dict:
            sample = {"image": base64.b64encode(body).decode()}
            return http.post("/predict", json={"samples": [sample]}).json()

        check(run, ask)
        check(run, as_json)


@pytest.mark.slow
@pytest.mark.alone
def test_a_server_folder_answers_each_file_as_the_run_does(run: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(
        export_subject(subject_of(run), "server", tmp_path / "a.zip").path
    ) as file:
        file.extractall(tmp_path / "folder")
    (folder,) = (tmp_path / "folder").iterdir()
    names = named((folder / "serve.py").read_text("utf-8").split('"""')[1])
    address, server = served_folder(folder, names)

    def ask(media: str, body: bytes) -> dict:
        request = urllib.request.Request(f"{address}/predict", body, {"content-type": media})
        with urllib.request.urlopen(request) as found:
            return json.load(found)

    try:
        check(run, ask)
    finally:
        server.terminate()
        server.wait()
