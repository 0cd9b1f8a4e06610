"""The plane of points: what the network says all over it is what a plain script says."""

import base64
import json
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file
from torch import nn

from app.cli import main
from core.analyse import analyse_project
from core.common.network_ref import Moment, NetworkRef, PartRef, ProjectRef
from core.data import DataError, ends, load_project
from core.data.batches.points import ranges
from core.data.facts.metadata import read_own
from core.insight.one_sample.plane import SIDE, accuracy, grid_of, seen
from core.insight.one_sample.plane_pictures import plane
from core.insight.over_time.api import film
from core.project import Project, read_text, write_text
from core.project.templates import load_template

NODES: dict[str, Any] = {
    "features": {"block": "Input", "settings": {"shape": [2]}},
    "fc1": {"block": "Linear", "settings": {"out_features": 6}},
    "bn": {"block": "BatchNorm1d"},
    "tanh": {"block": "Tanh"},
    "drop": {"block": "Dropout", "settings": {"p": 0.5}},
    "fc2": {"block": "Linear", "settings": {"out_features": 6}},
    "sum": {"block": "add"},
    "fc3": {"block": "Linear", "settings": {"out_features": 2}},
    "logits": {"block": "Output"},
}
EDGES = ["features -> fc1", "fc1 -> bn", "bn -> tanh", "tanh -> drop", "drop -> fc2",
         "fc2 -> sum.input", "tanh -> sum.other", "sum -> fc3", "fc3 -> logits"]  # fmt: skip


def project(source: str = "spirals", **data: Any) -> Project:
    graph = {"nodes": NODES, "edges": EDGES}
    return read_text(json.dumps({
        "layerloom": 1, "name": "Plane", "graph": graph, "data": {"source": source, **data},
        "training": {"seed": 3}, "layout": {},
    }))  # fmt: skip


def ref_of(made: Project) -> NetworkRef:
    return ProjectRef(write_text(made))


def by_script(made: Project) -> tuple[nn.Module, torch.Tensor, Any]:
    """The network, and the grid as a script makes it from the data file's own words."""
    report = analyse_project(made)
    space: dict[str, Any] = {"__name__": "copied"}
    torch.manual_seed(3)
    exec(report.source or "", space)
    module: nn.Module = space[report.class_name]().eval()
    data = load_project(made, *ends(report.inputs, report.outputs), seed=3)
    assert data.mean is not None
    assert data.std is not None
    (left, right), (low, high) = ranges(data.inputs * data.std + data.mean)
    xs = [left + (k + 0.5) / SIDE * (right - left) for k in range(SIDE)]
    ys = [high - (k + 0.5) / SIDE * (high - low) for k in range(SIDE)]
    grid = torch.tensor([[x, y] for y in ys for x in xs])
    return module, (grid - data.mean) / data.std, data


def test_every_unit_and_the_answer_are_those_of_a_plain_forward() -> None:
    made = project()
    module, grid, data = by_script(made)
    found = seen(ref_of(made), ["fc1", "bn", "sum", "logits"])
    with torch.no_grad():
        first = module.get_submodule("fc1")(grid)
        tanh = torch.tanh(module.get_submodule("bn")(first))
        residual = module.get_submodule("fc2")(tanh) + tanh
        logits = module.get_submodule("fc3")(residual)
    assert torch.allclose(grid_of(ref_of(made)).inputs[0], grid, atol=1e-6)
    for path, wanted in (("fc1", first), ("sum", residual), ("logits", logits)):
        assert torch.allclose(found.units[path], wanted.T.reshape(-1, SIDE, SIDE), atol=1e-5), path
    assert found.region is not None
    assert found.region.shares is not None
    assert found.region.classes is not None
    assert torch.equal(found.region.classes, logits.argmax(1).reshape(SIDE, SIDE))
    assert torch.allclose(
        found.region.shares, logits.softmax(1).T.reshape(2, SIDE, SIDE), atol=1e-5
    )
    with torch.no_grad():
        predicted = module(data.inputs[data.validation_indices]).argmax(1)
    share = (predicted == data.labels[data.validation_indices]).float().mean().item()
    assert accuracy(ref_of(made))["validation"] == pytest.approx(share)


def test_the_canvas_gets_bytes_on_a_scale_with_zero_in_it() -> None:
    made = project()
    answer = plane(ref_of(made), "", "tanh")
    units = seen(ref_of(made), ["tanh"]).units["tanh"]
    shown = answer["blocks"]["tanh"]
    levels = np.frombuffer(base64.b64decode(shown["data"]), np.uint8).reshape(shown["shape"])
    assert (shown["kind"], shown["shape"], shown["of"]) == ("units", [4, SIDE, SIDE], 6)
    assert shown["low"] == -shown["high"]
    values = shown["low"] + levels / 254 * (shown["high"] - shown["low"])
    assert np.abs(values - units[:4].numpy()).max() <= (shown["high"] - shown["low"]) / 500
    assert answer["plane"]["units"]["shape"] == [6, SIDE, SIDE]
    assert answer["blocks"]["logits"]["kind"] == "classes"
    assert answer["blocks"]["logits"]["names"] == ["spiral 1", "spiral 2"]
    samples = answer["plane"]["samples"]
    assert (len(samples["places"]), samples["validation"], samples["of"]) == (500, 100, 500)
    json.dumps(answer, allow_nan=False)


def test_what_needs_other_numbers_says_so_and_one_output_or_a_number_works_too() -> None:
    iris = load_template("mlp_iris")
    with pytest.raises(DataError, match="two numbers in each sample"):
        plane(ProjectRef(write_text(iris)), "", "")
    nodes = {**NODES, "fc3": {"block": "Linear", "settings": {"out_features": 1}}}
    text = json.loads(write_text(project("XOR", normalize=False)))
    text["graph"]["nodes"] = nodes
    answer = plane(ProjectRef(json.dumps(text)), "", "")
    assert answer["blocks"]["logits"]["names"] == ["same sign", "other sign"]
    assert answer["plane"]["accuracy"].keys() == {"training", "validation"}


def test_a_drawing_with_an_error_shows_units_up_to_it() -> None:
    made = project()
    broken = made.graph.nodes["fc2"]
    nodes = {**made.graph.nodes, "fc2": replace(broken, settings={"out_features": 7})}
    text = write_text(replace(made, graph=replace(made.graph, nodes=nodes)))
    answer = plane(PartRef(text), "", "")
    assert answer["fault"] == "sum"
    assert answer["plane"]["region"] is None
    assert "tanh" in answer["blocks"]


def test_the_command_tells_areas_units_and_accuracy(tmp_path, capsys) -> None:
    made = project()
    file, out = tmp_path / "plane.loom.json", tmp_path / "plane.npz"
    file.write_text(write_text(made))
    assert main(["look", str(file), "--what", "boundary", "--json", "-o", str(out)]) == 0
    answer = json.loads(capsys.readouterr().out)
    logits = seen(ref_of(made), ["logits"]).units["logits"]
    predicted = logits.argmax(0)
    assert answer["areas"]["spiral 2"] == pytest.approx((predicted == 1).float().mean().item())
    assert answer["accuracy"] == accuracy(ref_of(made))
    assert np.array_equal(np.load(out)["classes"], predicted.numpy())
    assert main(["look", str(file), "--what", "boundary", "--block", "tanh"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("60 x 60 points, x1 from -1.2")
    assert lines[1].startswith("tanh[0]: lowest ")
    assert len(lines) == 7
    picture = tmp_path / "plane.png"
    assert main(["look", str(file), "--what", "boundary", "-o", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_number_predicted_from_two_columns_is_a_surface_in_its_own_unit(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    rows = [f"{a};{b};{100 + 3 * a - b}" for a in range(8) for b in range(5)]
    (tmp_path / "hill.csv").write_text("width;depth;height\n" + "\n".join(rows) + "\n")
    nodes = {**NODES, "fc3": {"block": "Linear", "settings": {"out_features": 1}}}
    text = json.loads(write_text(project()))
    text["graph"]["nodes"] = nodes
    text["data"] = {"source": "CSV", "file": "hill.csv", "target_column": "height"}
    read_own(text["data"])
    ref = ProjectRef(json.dumps(text))
    answer = plane(ref, "", "")
    assert answer["plane"]["columns"] == ["width", "depth"]
    assert answer["plane"]["accuracy"] == {}
    found = seen(ref, ["logits"])
    assert found.region is not None
    assert found.region.numbers is not None
    heights = torch.tensor([100.0 + 3 * a - b for a in range(8) for b in range(5)])
    drawn = found.units["logits"][0] * heights.std() + heights.mean()
    assert torch.allclose(found.region.numbers, drawn, atol=2.0)  # training samples' mean and std
    assert answer["blocks"]["logits"]["kind"] == "surface"
    assert len(answer["plane"]["samples"]["places"]) == 40


def test_a_film_goes_over_the_plane_with_the_weights_of_each_epoch(tmp_path) -> None:
    made = project()
    module, grid, _ = by_script(made)
    weights = tmp_path / "weights"
    weights.mkdir()
    for epoch in (1, 2):
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.mul_(1.5)
        save_file(module.state_dict(), weights / f"{epoch:06d}.safetensors")
    moment = Moment(tmp_path, 2)
    with torch.no_grad():
        wanted = module.get_submodule("fc1")(grid).T.reshape(-1, SIDE, SIDE)
    found = seen(ref_of(made), ["fc1"], moment).units["fc1"]
    assert torch.allclose(found, wanted, atol=1e-5)
    filmed = film(ref_of(made), {"plane": ""}, ["fc1", "logits"], "gif", str(tmp_path), [1, 2])
    with Image.open(BytesIO(base64.b64decode(filmed["data"]))) as image:
        assert (getattr(image, "n_frames", 1), image.width) == (2, 720)
        assert image.height > 2 * SIDE
