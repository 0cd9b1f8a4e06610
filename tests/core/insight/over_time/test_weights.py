"""A sample through the weights of an epoch: what is shown is what a plain script computes."""

import base64
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from app.cli import main
from core.common.network_ref import Moment, ProjectRef
from core.engine.load_module import load_module
from core.insight.load_model import NotReady, open_run
from core.insight.one_sample.api import look, probe
from core.insight.over_time.api import film, health
from core.insight.over_time.weights import at, fits
from tests.core.insight.drawn import PROJECT

REF = ProjectRef(PROJECT)
SEVENTH = {"part": "validation", "index": 7}


@pytest.mark.slow
def test_a_probe_at_an_epoch_is_a_plain_forward_with_its_weights(trained: Path):
    probed = probe(REF, SEVENTH, "fc1", "output", 0, Moment(trained, 2))
    sample = open_run(trained).dataset.all_validation()[0][0][7:8]
    with torch.no_grad():
        truth = load_module(trained, "epoch-000002")(sample)
    assert probed["value"]["page"]["rows"][0] == truth[0, :6].tolist()
    later = probe(REF, SEVENTH, "fc1", "output", 0, Moment(trained, 3))
    assert later["value"]["page"]["rows"] != probed["value"]["page"]["rows"]
    assert later["gradient"] is not None


@pytest.mark.gate
def test_the_weights_of_the_network_itself_are_left_alone(trained: Path):
    before = look(REF, SEVENTH, "")
    assert look(REF, SEVENTH, "", Moment(trained, 3))["blocks"] != before["blocks"]
    assert look(REF, SEVENTH, "")["blocks"] == before["blocks"]
    assert at(REF, None) is at(REF, None)


def test_an_epoch_that_is_gone_says_so(trained: Path):
    with pytest.raises(NotReady, match="no longer has the weights of epoch 9"):
        at(REF, Moment(trained, 9))


def test_weights_fit_a_drawing_without_a_block_that_has_none(trained: Path):
    project = json.loads(PROJECT)
    assert fits(PROJECT, str(trained))
    assert fits(json.dumps(bridged(project, "relu1")), str(trained))
    project["graph"]["nodes"]["fc1"]["settings"]["out_features"] += 1
    assert not fits(json.dumps(project), str(trained))
    assert not fits("{}", str(trained))
    assert not fits(PROJECT, str(trained.parent / "gone"))


def bridged(project: dict[str, Any], gone: str) -> dict[str, Any]:
    """A project without a block, whose neighbours are wired to each other."""
    graph = project["graph"]
    (before,) = (e.partition(" -> ")[0] for e in graph["edges"] if e.endswith(f" -> {gone}"))
    edges = [e.replace(f"{gone} -> ", f"{before} -> ") for e in graph["edges"]]
    edges = [e for e in edges if not e.endswith(f" -> {gone}")]
    nodes = {name: node for name, node in graph["nodes"].items() if name != gone}
    return {**project, "graph": {**graph, "nodes": nodes, "edges": edges}}


def test_a_healthy_run_has_measures_and_no_mark(trained: Path):
    moment = Moment(trained, 3)
    measured = health(REF, str(trained), moment, moment)
    assert measured["marks"] == []
    assert measured["step"] == 69
    assert measured["samples"] == 128
    assert measured["vitals"]["relu1"]["dead"] < 0.5
    assert 0 < measured["vitals"]["fc1"]["update_ratio"] < 0.2
    assert measured["vitals"]["fc1"]["gradient"] > 0


@pytest.mark.parametrize("kind", ["webp", "gif"])
def test_a_film_has_a_frame_for_each_epoch(trained: Path, kind: str):
    made = film(REF, SEVENTH, ["conv1", "fc1"], kind, str(trained), [0, 1, 2, 3])
    picture = Image.open(BytesIO(base64.b64decode(made["data"])))
    assert (made["frames"], made["type"]) == (4, f"image/{kind}")
    assert (picture.n_frames, picture.width) == (4, 720)  # type: ignore[attr-defined]


def test_a_block_that_gives_nothing_is_not_filmed(trained: Path):
    with pytest.raises(NotReady, match="nowhere has no output"):
        film(REF, SEVENTH, ["nowhere"], "gif", str(trained), [1])


def test_the_command_films_a_run_and_its_arrays_are_plain_forwards(trained: Path, tmp_path: Path):
    arguments = ["look", trained.name, "--runs", str(trained.parent), "--what", "film"]
    arguments += ["--sample", "7", "--block", "fc1", "-o"]
    assert main([*arguments, str(tmp_path / "film.gif")]) == 0
    with Image.open(tmp_path / "film.gif") as picture:
        assert (picture.format, picture.n_frames) == ("GIF", 4)  # type: ignore[attr-defined]
    assert main([*arguments, str(tmp_path / "film.npz")]) == 0
    sample = open_run(trained).dataset.all_validation()[0][0][7:8]
    with np.load(tmp_path / "film.npz") as arrays, torch.no_grad():
        assert arrays["epochs"].tolist() == [0, 1, 2, 3]
        truth = load_module(trained, "epoch-000002")(sample)[0].numpy()
        np.testing.assert_array_equal(arrays["fc1"][2].ravel(), truth)
    assert main([*arguments, str(tmp_path / "film.png")]) == 2
    assert main([*arguments, str(tmp_path / "film.webp"), "--epoch", "2"]) == 2


def test_a_project_has_no_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "small.loom.json"
    file.write_text(PROJECT, "utf-8")
    assert main(["look", str(file), "--what", "film"]) == 1
    assert "There are no epochs to film." in capsys.readouterr().err
