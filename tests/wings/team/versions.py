"""Two versions of LeNet for the tests of this wing: the old one, and what somebody made of it."""

import json
from pathlib import Path
from typing import Any

from core.project import Project, read_text
from core.project.templates import load_template
from core.project.write import write_text


def lenet() -> dict[str, Any]:
    """LeNet on digits, as JSON values."""
    return json.loads(write_text(load_template("lenet_digits")))


def changed() -> dict[str, Any]:
    """LeNet with a wider convolution, a normalisation more, a tanh less, a head that is renamed, a
    moved block and another rate."""
    project = lenet()
    nodes, layout = project["graph"]["nodes"], project["layout"]
    nodes["conv1"]["settings"]["out_channels"] = 12
    del nodes["tanh2"], layout["tanh2"]
    nodes["bn2"] = {"block": "BatchNorm2d"}
    nodes["head"], layout["head"] = nodes.pop("fc3"), layout.pop("fc3")
    layout["bn2"], layout["fc2"] = [624, 152], [312, 500]
    edges = [edge.replace("fc3", "head") for edge in project["graph"]["edges"]]
    project["graph"]["edges"] = [edge for edge in edges if "tanh2" not in edge] + [
        "conv2 -> bn2",
        "bn2 -> pool2",
    ]
    project["training"]["lr"] = 0.01
    return project


def read(project: dict[str, Any]) -> Project:
    """The project of JSON values."""
    return read_text(json.dumps(project))


def written(file: Path, project: dict[str, Any]) -> Path:
    """A project's file."""
    file.write_text(json.dumps(project), "utf-8")
    return file
