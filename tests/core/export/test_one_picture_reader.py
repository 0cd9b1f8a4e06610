"""Picture files give the same input at each door: training, look inside, one sent later."""

import base64
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

from core.data.facts.metadata import read_own
from core.export.interface import interface_of, preprocessing
from core.export.subject import Subject, subject_of
from core.graph import Edge, Graph, Node
from core.insight.one_sample.custom_input import own_inputs
from core.project import Project
from core.samples.inputs import RequestError, read
from tests.core.data.picture_sets_as_saved import READ, chunks

Reader = Callable[[Subject], tuple[Any, Any]]
CHOSEN = (
    "different sizes", "different modes", "palette", "palette with a clear ground",
    "black on a clear ground", "white on a clear ground", "grey on a clear ground", "1 bit",
    "16 bits of a microscope", "16 bits in PGM", "32 bits", "decimals", "CMYK", "CMYK JPEG",
    "PNG of several pictures", "TIFF of several pages", "PPM", "photographs of a phone",
    "photographs upside down", "one pixel",
)  # fmt: skip


def project(workspace: Path, files, channels: int, normalize: bool) -> Project:
    for name, content in files.items():
        path = workspace / "data/shown" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    data = {"source": "ImageFolder", "root": "data/shown", "normalize": normalize}
    read_own(data)
    nodes = {
        "image": Node("Input", {"shape": (channels, 6, 4)}),
        "flat": Node("Flatten"),
        "fc": Node("Linear", {"out_features": 2}),
        "logits": Node("Output"),
    }
    order = list(nodes)
    wires = tuple(Edge(a, "output", b, "input") for a, b in pairwise(order))
    training = {"loss": "CrossEntropyLoss", "epochs": 1, "seed": 0}
    return Project(name="Shown", graph=Graph(nodes, wires), data=data, training=training)


def agree(name: str, workspace: Path, more: Mapping[str, Reader] | None = None) -> None:
    """Whether every door reads the files of a set as training does. more: other readers."""
    channels, files = 1 + 2 * (len(name) % 2), READ[name].files
    subject = subject_of(project(workspace, files, channels, normalize=True))
    assert subject.opened is not None
    dataset, interface = subject.opened.dataset, interface_of(subject).json()
    readers = [(read, interface), *(reader(subject) for reader in (more or {}).values())]
    trained = dataset.inputs[torch.arange(len(dataset.inputs))]
    for row, file in enumerate(sorted(name for name in files if "." in name)):
        content = files[file]
        doors = [door(known, "image/png", content, 4).columns for door, known in readers]
        picture = base64.b64encode(content).decode()
        for (found,) in (*doors, own_inputs(dataset, {"picture": picture})):
            assert found is not None
            difference = (found - trained[row : row + 1]).abs().max().item()
            assert difference < 1e-5, f"{name}: {file}"  # a step of brightness is 0.004


@pytest.mark.parametrize("name", CHOSEN)
def test_every_door_reads_a_picture_file_as_training_does(name: str, workspace: Path) -> None:
    agree(name, workspace)


def test_a_head_that_states_too_many_pixels_is_refused_before_it_is_decoded() -> None:
    spec = {"name": "image", "kind": "picture", "dtype": "float32", "shape": [3, 4, 4]}
    for width, height, said in ((60_000, 1000, "60000 x 1000 pixels"), (70_000, 1, "a side has")):
        with pytest.raises(RequestError, match=said):
            read({"inputs": [spec]}, "image/png", chunks(width, height, 0, b""), 4)


def test_what_is_written_for_other_programs_names_all_that_training_does(workspace: Path) -> None:
    files = READ["16 bits of a microscope"].files
    found = interface_of(subject_of(project(workspace, files, 1, normalize=False))).inputs[0]
    assert preprocessing(found) == (
        "Picture files turned by their EXIF orientation, clear parts filled with white "
        f"(black where the drawing itself is white), values of more than 8 bits from "
        f"{found.bounds[0]:g} (black) to {found.bounds[1]:g} (white), grey, "
        "scaled to 6x4 pixels by Pillow's bilinear filter, brightness from 0 to 1."
    )
