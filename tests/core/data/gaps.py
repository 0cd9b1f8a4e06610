"""A table whose columns miss values, each filled in another way, and a network for it."""

from pathlib import Path

from core.data.facts.metadata import read_own
from core.graph import Edge, Graph, Node
from core.project import Project

NAME = "data/gaps.csv"
AGES = ("20", "", "40", "30", "NA", "30", "20", "40", "10", "50", "20", "40")
SIZES = ("1.5", "2.5", "", "9.5", "1.5", "2.5", "1.5", "9.5", "2.5", "2.5", "2.5", "2.5")
PLANS = ("pro", "pro", "basic", "", "pro", "pro", "pro", "basic", "pro", "pro", "pro", "pro")
CITIES = ("Bonn", "", "Jena", "Bonn", "Jena", "", "Bonn", "Jena", "", "Bonn", "Jena", "Bonn")
CALLS = tuple(str(number) for number in range(12))
FILL = {"age": "mean", "size": "median", "plan": "most_frequent", "city": "missing"}
FEATURES = 8


def text() -> str:
    """The file: a header, and twelve rows that end in a class."""
    rows = zip(AGES, SIZES, PLANS, CITIES, CALLS, strict=True)
    kinds = ("yes", "no")
    lines = [",".join((*row, kinds[i % 2])) for i, row in enumerate(rows)]
    return "\n".join(["age,size,plan,city,calls,kind", *lines, ""])


def project(workspace: Path) -> Project:
    """A linear network on the table, which lies in the workspace."""
    file = workspace / NAME
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text(), "utf-8")
    data = {"source": "CSV", "file": NAME, "fill": FILL, "normalize": True}
    read_own(data)
    nodes = {
        "row": Node("Input", {"shape": (FEATURES,)}),
        "fc": Node("Linear", {"out_features": 2}),
        "logits": Node("Output"),
    }
    wires = (Edge("row", "output", "fc", "input"), Edge("fc", "output", "logits", "input"))
    training = {"loss": "CrossEntropyLoss", "epochs": 1, "seed": 0}
    return Project(name="Gaps", graph=Graph(nodes, wires), data=data, training=training)
