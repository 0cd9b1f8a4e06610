"""What a student does in the steps of the lessons: edits of drawings, settings of projects."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.graph.edits import apply
from core.lessons import Lesson, start
from core.project import Project

Edit = Mapping[str, Any]


@dataclass(frozen=True)
class Done:
    """What one step changes."""

    edits: tuple[Edit, ...] = ()
    training: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)


def remove(*nodes: str) -> tuple[Edit, ...]:
    return tuple({"op": "remove", "node": node} for node in nodes)


def connect(*wires: str) -> tuple[Edit, ...]:
    return tuple({"op": "connect", "edge": wire} for wire in wires)


def put(node: str, **given: Any) -> Edit:
    return {"op": "set", "node": node, "settings": given}


def insert(name: str, block: str, target: str, **given: Any) -> Edit:
    wire = {"target": target, "port": "input"}
    return {"op": "insert", "id": name, "block": block, "settings": given, **wire}


def change(node: str, block: str, **given: Any) -> Edit:
    return {"op": "replace", "node": node, "block": block, "settings": given}


CUT: tuple[Edit, ...] = (
    {"op": "remove", "node": "join", "composite": "Residual"},
    {"op": "connect", "edge": "bn2 -> relu2", "composite": "Residual"},
)
LSTM = change("gru", "LSTM", hidden_size=48, batch_first=True)

SOLUTIONS: dict[tuple[str, str], Done] = {
    ("01_one_neuron", "draw"): Done(
        (*remove("fc1", "relu1", "fc2", "relu2"), *connect("features -> fc3"))
    ),
    ("02_layers", "straight"): Done(
        (*remove("relu1", "relu2"), *connect("fc1 -> fc2", "fc2 -> fc3"))
    ),
    ("03_convolution", "keep"): Done((put("conv1", kernel_size=3, padding=1),)),
    ("04_pooling", "break"): Done((put("pool2", kernel_size=12),)),
    ("04_pooling", "max"): Done(
        (change("pool1", "MaxPool2d", kernel_size=2), change("pool2", "MaxPool2d", kernel_size=2))
    ),
    ("05_depth", "deeper"): Done(
        (
            insert("conv5", "Conv2d", "pool2", out_channels=32, kernel_size=3, padding=1),
            insert("relu6", "ReLU", "pool2"),
        )
    ),
    ("06_normalisation", "raw"): Done(data={"normalize": False}),
    ("06_normalisation", "insert"): Done((insert("bn1", "BatchNorm1d", "fc1"),)),
    ("07_overfitting", "longer"): Done(training={"epochs": 200}),
    ("07_overfitting", "insert"): Done((insert("drop1", "Dropout", "fc2"),)),
    ("09_residual", "deep"): Done(({"op": "repeat", "node": "stage1", "times": 6},)),
    ("09_residual", "cut"): Done(CUT),
    ("11_attention", "uneven"): Done((put("encoder", nhead=5),)),
    ("11_attention", "eight"): Done((put("encoder", nhead=8),)),
    ("10_recurrent", "lstm"): Done((LSTM,)),
    # steps of training that ask for another setting than the one before
    ("08_learning_rate", "large"): Done(training={"lr": 0.3}),
    ("08_learning_rate", "small"): Done(training={"lr": 0.00002}),
}


def changed(project: Project, done: Done) -> Project:
    """The project after one step."""
    return replace(
        project,
        graph=apply(project.graph, done.edits),
        training={**project.training, **done.training},
        data={**project.data, **done.data},
    )


def along(lesson: Lesson) -> list[tuple[str, Project]]:
    """The name of each step, and the project once a student has done what it asks for."""
    project, found = start(lesson), []
    for step in lesson.steps:
        project = changed(project, SOLUTIONS.get((lesson.name, step.name), Done()))
        found.append((step.name, project))
    return found
