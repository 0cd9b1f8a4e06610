"""A first network for data: a template of its kind, with Input and last layer fitted to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from app.services import first_chains, suggestions
from app.services.document import Document
from core.data import DataError, DataSettings, read_settings
from core.graph import Graph
from core.graph.edits import rename, set_settings
from core.project import Project
from core.project.templates import load_template
from core.project.values import frozen

FEW_COLUMNS, SMALL, LARGE, LARGEST = 8, 32, 64, 96
"""Pictures of a folder are read at 32 or 64 pixels a side; larger arrays are made smaller."""
SMALLEST = 4
"""What two poolings leave a pixel of."""


LARGEST_MASKED, HALVED = 96, 4
U_NET_LABELS = ("enc1", "enc2", "bottom", "dec2", "dec1")
"""Blocks of the template whose labels are sizes of its own pictures."""


@dataclass(frozen=True)
class First:
    """A template, or what draws a network; settings of its nodes to change, and new names of
    nodes."""

    template: str | Callable[[], Project]
    edits: Mapping[str, Mapping[str, Any]]
    names: Mapping[str, str] = field(default_factory=lambda: {})


def can_make(settings: DataSettings) -> bool:
    """Whether there is a template for such data and target."""
    return _first(settings) is not None


def make(document: Document) -> None:
    """Draw a first network for the project's data in place of what is there; one step to undo.

    Raises DataError where the data was not read, or no template is for such data.
    """
    project = document.project
    first = _first(settings := read_settings(project.data))
    if first is None:
        raise DataError(
            f"There is no template for {settings.source.name}.", "Start from the canvas."
        )
    drawn = first.template
    made = load_template(drawn) if isinstance(drawn, str) else drawn()
    graph, layout = _fitted(made.graph, first.edits), dict(made.layout)
    for name, to in first.names.items():
        graph, layout[to] = rename(graph, name, to), layout.pop(name)
    seed = {key: value for key, value in project.training.items() if key == "seed"}
    document.replace(replace(project, graph=graph, layout=layout, notes=(), training=frozen(seed)))
    suggestions.use(document)
    document.form.before_use = None  # the drawing is undone on the canvas, with its settings kept


def _first(settings: DataSettings) -> First | None:
    source = settings.source
    if settings.target == "next" and source.kind == "text" and source.windows:
        count = len(source.alphabet)
        return First(
            "lstm_text", {"embed": {"num_embeddings": count}, "fc": {"out_features": count}}
        )
    if source.ahead and not settings.inputs:
        edits = {"window": {"shape": source.shape}, "fc3": {"out_features": source.ahead}}
        return First("mlp_rides", edits)
    if source.masked and not settings.inputs:
        return _u_net(settings)
    asked = ("label", "labels") if source.kind in ("table", "text") else ("label",)
    if settings.target not in asked or settings.inputs:
        return None
    outputs = len(source.classes) or 1
    if source.cut_by:
        edits = {
            "text": {"shape": source.shape},
            "embed": {"num_embeddings": source.most_tokens},
            "fc": {"out_features": outputs},
        }
        return First(first_chains.bag_of_words, edits)
    if source.heard:
        edits = {"sound": {"shape": source.shape}, "fc": {"out_features": outputs}}
        if source.kind == "image":
            return First(first_chains.spectrogram_network, edits)
        return First(partial(first_chains.wave_network, source.shape[1]), edits)
    if source.kind == "image":
        shape = picture_shape(settings)
        edits = {"image": {"shape": shape}, "fc2": {"out_features": outputs}}
        return First("vgg_digits", edits) if min(shape[1:]) >= SMALLEST else None
    if source.kind != "table":
        return None
    few = "mlp_iris" if source.shape[0] <= FEW_COLUMNS else "mlp_breast_cancer"
    few = "mlp_spirals" if source.made else few
    template = few if source.classes else "regression_diabetes"
    edits = {"features": {"shape": source.shape}, "fc3": {"out_features": outputs}}
    return First(template, edits)


def _u_net(settings: DataSettings) -> First:
    """The template's U-Net, at a size that it can halve twice; its labels tell other sizes."""
    shape = masked_shape(settings.source.shape)
    edits: dict[str, Mapping[str, Any]] = {name: {} for name in U_NET_LABELS}
    edits |= {"noisy": {"shape": shape}, "head": {"out_channels": len(settings.source.classes)}}
    return First("unet_digits", edits, {"noisy": "picture"})


def masked_shape(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """The shape of the Input for pictures with masks: their proportions, at most a size that a
    first network can bear, in steps that two poolings halve evenly."""
    channels, *sides = shape
    factor = min(1.0, LARGEST_MASKED / max(sides))
    height, width = (max(1, round(side * factor / HALVED)) * HALVED for side in sides)
    return channels, height, width


def picture_shape(settings: DataSettings) -> tuple[int, ...]:
    """The shape of the Input for pictures: their own, or a square that a first network can bear."""
    if settings.source.heard:
        return settings.source.shape
    channels, height, width = settings.source.shape
    largest = max(height, width)
    if settings.source.decoded:
        side = SMALL if largest <= SMALL + SMALL // 2 else LARGE
        return channels, side, side
    return settings.source.shape if largest <= LARGEST else (channels, LARGE, LARGE)


def _fitted(graph: Graph, edits: Mapping[str, Mapping[str, Any]]) -> Graph:
    """The graph of a template with settings set, and without the labels of its own data."""
    for name, settings in edits.items():
        graph = set_settings(graph, name, settings)
    plain = {name: replace(graph.nodes[name], label="") for name in edits}
    return replace(graph, nodes={**graph.nodes, **plain})
