"""An imported model among the projects of the crossing."""

from dataclasses import replace
from pathlib import Path

from core.data.facts.metadata import read_own
from core.graph.edits import apply, set_settings
from core.project import Project
from core.wings.importing import import_module
from tests.core.data.own_sets import write_pictures


def imported(workspace: Path) -> Project:
    """A network of torchvision, its first half frozen, on a folder of pictures."""
    from torchvision.models import shufflenet_v2_x0_5

    from tests.crossing.projects import SHORT  # which asks for these rows

    write_pictures(workspace / "data/shapes", 8)
    data = {"source": "ImageFolder", "root": "data/shapes", "normalize": True}
    read_own(data)
    made = import_module(shufflenet_v2_x0_5(weights=None).eval(), [(3, 64, 64)], "Shapes").project
    graph = set_settings(made.graph, "fc", {"out_features": 3})
    held = [name for name in graph.nodes if name.startswith(("conv1", "stage2"))]
    graph = apply(graph, [{"op": "learn", "node": name, "frozen": True} for name in held])
    training = {"loss": "CrossEntropyLoss", **SHORT, "batch_size": 8}
    return replace(made, graph=graph, data=data, training=training)


PROJECTS = {"imported, part frozen": imported}
