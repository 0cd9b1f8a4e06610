"""Validation samples as the files that people will send, through the reader of what is exported."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.data.dataset import Dataset
from core.data.picture_listing import pictures_of
from core.export.interface import interface_of
from core.export.result import ExportError
from core.export.subject import Subject
from core.insight.load_model import data_of
from core.serve.inputs import RequestError, read

MOST_BYTES = 64 << 20
"""Of the files of one check: some ten seconds of decoding."""
CLOSE = 1e-4


def sent_inputs(subject: Subject, most: int) -> Tensor | None:
    """What the Input receives of the first validation samples, sent as files; None without files.

    Raises ExportError where that is not what training made of a file.
    """
    dataset = data_of(subject.opened) if subject.opened else None
    if dataset is None or not dataset.info.origin.decoded or dataset.info.noise:
        return None
    interface, files = interface_of(subject).json(), _files(dataset, most)
    received = torch.cat([_received(interface, file) for file in files])
    learned = dataset.inputs[dataset.validation_indices[: len(files)]]
    apart = (received - learned).abs().flatten(1).amax(1)
    if (worst := apart.max().item()) > CLOSE:
        name = files[int(apart.argmax())].name
        raise ExportError(
            f"{name}, sent as a file, is read otherwise than in training: by up to {worst:.3g} in "
            "what the Input receives.",
            "Press Read on the Data page, train again, and export then.",
        )
    return received


def _files(dataset: Dataset, most: int) -> Sequence[Path]:
    """The files of the first validation samples, in their order."""
    listing, left_out = pictures_of(dataset.info.origin, dataset.info.custom), set(dataset.left_out)
    pictures = [picture for picture in listing.pictures if picture.name not in left_out]
    found, size = list[Path](), 0
    for row in dataset.validation_indices[:most].tolist():
        size += pictures[row].size
        if found and size > MOST_BYTES:
            break
        found.append(listing.root / pictures[row].name)
    return found


def _received(interface: Mapping[str, Any], file: Path) -> Tensor:
    """What the Input receives of a file that is posted. Raises ExportError."""
    try:
        (column,) = read(interface, "image/png", file.read_bytes(), 1).columns
    except (OSError, RequestError) as error:
        raise ExportError(f"{file.name} cannot be sent: {error}", "Repair the file.") from error
    assert column is not None
    return column
