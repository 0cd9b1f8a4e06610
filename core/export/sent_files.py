"""Validation samples as the files that people will send, through the reader of what is exported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.data.batches.dataset import Dataset
from core.data.facts.picture_listing import pictures_of
from core.data.sources.paths import locate
from core.export.interface import interface_of
from core.export.result import ExportError
from core.export.subject import Subject
from core.insight.load_model import data_of
from core.samples.inputs import RequestError, read

PICTURE_BYTES, TABLE_BYTES = 64 << 20, 8 << 20
"""Of the files of one check: some ten seconds of reading."""
CLOSE = 1e-4
Json = Mapping[str, Any]


@dataclass(frozen=True)
class Sent:
    """What the Input receives of the first validation samples, sent as files; None where they are
    not sent. refused: why the reader does not take one that training took."""

    inputs: Tensor | None = None
    refused: str = ""


def sent_inputs(subject: Subject, most: int) -> Sent:
    """Send the validation samples as the files of the data set.

    Raises ExportError where one is read otherwise than in training.
    """
    dataset = data_of(subject.opened) if subject.opened else None
    if dataset is None or dataset.info.noise or len(dataset.all_inputs) > 1:
        return Sent()
    interface = interface_of(subject).json()
    try:
        if dataset.info.origin.decoded:
            return Sent(_of_files(dataset, interface, most, "image/png"))
        if dataset.info.origin.heard:
            return Sent(_of_files(dataset, interface, most, "audio/wav"))
        whole = dataset.info.source == "TextCSV" and not dataset.info.layout["dropped"]
        sent = whole or dataset.info.source == "CSV"
        return Sent(_of_table(dataset, interface, most) if sent else None)
    except (RequestError, OSError) as error:
        return Sent(refused=str(error))


def _of_files(dataset: Dataset, interface: Json, most: int, media: str) -> Tensor | None:
    """The files are sent one by one; None where others are in the folder meanwhile."""
    files = _pictures(dataset, most)
    if not files:
        return None
    received = torch.cat([_received(interface, media, file) for file in files])
    _compare(dataset, received, [file.name for file in files])
    return received


def _pictures(dataset: Dataset, most: int) -> Sequence[Path]:
    """The files of the first validation samples, in their order; () where they have changed."""
    listing, left_out = pictures_of(dataset.info.origin, dataset.info.custom), set(dataset.left_out)
    pictures = [picture for picture in listing.pictures if picture.name not in left_out]
    found, size = list[Path](), 0
    if len(pictures) != len(dataset.inputs):
        return found
    for row in dataset.validation_indices[:most].tolist():
        size += pictures[row].size
        if found and size > PICTURE_BYTES:
            break
        found.append(listing.root / pictures[row].name)
    return found


def _of_table(dataset: Dataset, interface: Json, most: int) -> Tensor | None:
    """The file is sent whole; None where not all of its rows are samples."""
    custom = dataset.info.custom
    assert custom is not None
    file = locate(custom.path, custom.key)
    if file.stat().st_size > TABLE_BYTES:
        return None
    rows = _received(interface, "text/csv", file)
    if len(rows) != len(dataset.inputs):
        return None
    chosen = dataset.validation_indices[:most]
    _compare(dataset, rows[chosen], [f"Sample {row + 1} of {file.name}" for row in chosen.tolist()])
    return rows[chosen]


def _received(interface: Json, media: str, file: Path) -> Tensor:
    """What the Input receives of a file that is posted. Raises RequestError."""
    content = file.read_bytes()
    (column,) = read(interface, media, content, len(content)).columns
    assert column is not None
    return column


def _compare(dataset: Dataset, received: Tensor, names: Sequence[str]) -> None:
    """Hold what is received against what validates. Raises ExportError."""
    learned = dataset.inputs[dataset.validation_indices[: len(received)]]
    apart = ((received - learned).abs() / learned.abs().clamp(min=1)).flatten(1).amax(1)
    worst = int(apart.argmax())
    if apart[worst] > CLOSE:
        raise ExportError(
            f"{names[worst]}, sent as a file, is read otherwise than in training: by up to "
            f"{apart[worst].item():.3g} in what the Input receives.",
            "Press Read on the Data page, train again, and export then.",
        )
