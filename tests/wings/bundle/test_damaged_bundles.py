"""Whatever a bundle from outside holds, it is opened or refused by its one typed error."""

import io
import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.common.errors import ProjectError
from core.prepare.requirements import missing
from core.project import open_project
from core.wings.bundle import open_bundle
from core.wings.bundle.weights import check_safetensors
from core.wings.bundle.write import needed_runs
from tests.damage import mutations, otherwise, tried
from tests.wings.bundle.test_hostile_bundles import archived, packed

LENET = Path("projects/mlp_iris.loom.json")
MEMBERS = {
    "bundle.json": json.dumps({"layerloom_bundle": 1, "layerloom": "0.1.0", "project": "P",
                               "data": {"source": "iris"}, "runs": {}, "members": []}).encode(),
    "project.loom.json": LENET.read_bytes(),
}  # fmt: skip


def test_bundles(tmp_path: Path):
    def read(content: bytes) -> None:
        open_bundle(io.BytesIO(content), "b.loom.zip", tmp_path / "ws", tmp_path / "ws" / "runs")

    read(packed(MEMBERS))
    refused = 0
    for content in mutations(packed(MEMBERS), 40):
        try:
            read(content)
        except ProjectError:
            refused += 1
    assert refused > 30


@pytest.mark.parametrize("key", ["start_from", "distil"])
@pytest.mark.parametrize(
    "value", [{"run": []}, {"run": {}}, {"run": None}, [], {"run": 1}, {"run": "a" * 300},
              {"weights": "a" * 300 + ".safetensors"}, {"run": "\0"}],
)  # fmt: skip
def test_bundles_whose_project_begins_with_something_strange(tmp_path: Path, key: str, value: Any):
    project = json.loads(MEMBERS["project.loom.json"])
    project["training"][key] = value
    content = packed({**MEMBERS, "project.loom.json": json.dumps(project).encode()})
    opened = open_bundle(io.BytesIO(content), "b.loom.zip", tmp_path, tmp_path / "runs")
    found = open_project(opened.project)
    assert found.training[key] is not None
    assert all(need["message"] for need in missing(found, tmp_path, tmp_path / "runs"))
    assert isinstance(needed_runs(found), list)


def test_heads_of_bundles(tmp_path: Path):
    head = json.loads(packed(MEMBERS)[30 + len("bundle.json") :].split(b"PK\3\4")[0])
    refused = 0
    for other in islice(otherwise(head), 0, None, 3):
        content = archived({**MEMBERS, "bundle.json": json.dumps(other).encode()})
        try:
            open_bundle(io.BytesIO(content), "b.loom.zip", tmp_path / "ws", tmp_path / "runs")
        except ProjectError:
            refused += 1
    assert refused > 10


def test_weights_in_safetensors(tmp_path: Path):
    from safetensors.numpy import save

    path = tmp_path / "w.safetensors"
    good = save({"a": np.ones((2, 3), np.float32), "b": np.zeros(4, np.int64)})
    read = lambda: check_safetensors(path, path.name)  # noqa: E731
    assert tried(path, mutations(good), read, ProjectError) > 30
