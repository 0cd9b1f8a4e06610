"""The Input that receives a project's data: its name, its shape, and the data in words."""

from typing import Any

from app.services.first_network import picture_shape
from core.data import DataError, DataSettings, read_settings
from core.data.facts.input_columns import TOKENS
from core.data.sources.source import Shape
from core.project import Project
from core.tasks.registry import target_of

NAMES = {
    "image": "image",
    "table": "features",
    "text": "tokens",
    "series": "series",
    "wave": "sound",
}
WINDOW = "window"
"""The name of an Input that receives rows of a series."""


def of(project: Project) -> dict[str, Any] | None:
    """{"name", "settings", "about"} of the Input for the chosen data.

    None where no data is chosen or it cannot be read, where its shape depends on the network (a
    text that is cut into windows), and where several Inputs receive it.
    """
    if not project.data.get("source"):
        return None
    try:
        data = read_settings(project.data)
    except (DataError, OSError):
        return None
    if data.inputs or len(target_of(data.target, data.source).inputs) != 1 or not data.source.shape:
        return None
    kind = data.source.kind
    shape = picture_shape(data) if kind == "image" else data.source.shape
    if kind == "series" and len(shape) == 1:
        shape = (*shape, 1)  # one value at each step: layers of sequences take no fewer dimensions
    return {
        "name": WINDOW if data.source.ahead else NAMES["wave" if data.source.heard else kind],
        "settings": {"shape": list(shape), **({"dtype": TOKENS} if kind == "text" else {})},
        "about": f"{data.source.name}: {_words(data, shape)}",
    }


def _words(data: DataSettings, shape: Shape) -> str:
    source = data.source
    sizes = ", ".join(map(str, shape))
    if source.kind == "table":
        return f"{sizes} column" if shape == (1,) else f"{sizes} columns"
    if source.cut_by:
        return f"{source.things}, up to {sizes} {source.cut_by}s"
    if source.kind == "text":
        return f"{source.things}, up to {sizes} characters"
    return str(shape) if source.things == source.name else f"{source.things}, {shape}"
