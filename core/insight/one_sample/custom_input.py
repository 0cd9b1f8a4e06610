"""A custom input, converted for the network exactly as the data set's samples are."""

import base64
import binascii
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from core.common.json_types import is_dict, is_list
from core.data import DataError, Dataset
from core.data.batches.columns import Columns, input_values
from core.data.batches.file_rows import fields_of, others_received
from core.data.batches.scaling import resized
from core.data.builtin.handwriting import framed
from core.data.facts.info import DataInfo, bounds_for, stored_as_is
from core.data.facts.row_fields import InputField, table_file
from core.data.pictures.folder import decode
from core.data.sources.table_settings import OTHER
from core.data.table.dates import example
from core.samples.contract import filler_words
from core.samples.inputs import END, as_training_text, read_row, read_text
from core.samples.picture_files import DEEP
from core.samples.request_error import RequestError
from core.samples.sent_rows import rows_of
from core.samples.sent_sounds import decode_sound
from core.tasks.tensor_values import floats

LARGEST_SIDE = 512
Json = Mapping[str, Any]


def ways(dataset: Dataset) -> Json:
    """How a sample of one's own can be given: {"kind", ...}, "" where it cannot; "why" then.

    columns: of a table, each with the mean of the training part. fields: the same row as a person
    fills it in, as the exported web page has it; date: how a date is written; fill and filler, in
    words: of one that may be left empty. length: of a text or series. cut: "end" where a longer
    text loses its end, as in training; else it loses its start.
    """
    info = dataset.info
    if others_received(dataset):
        names = ", ".join(feed.column for feed in info.feeds)
        return {
            "kind": "",
            "why": f"This network receives {names}: they cannot be drawn or typed here.",
        }
    if info.origin.heard:
        return {"kind": "sound"}
    if info.kind == "image":
        return {"kind": "image", "channels": info.sample_shape[0]}
    whole = info.kind == "table" or info.origin.ahead
    length = math.prod(info.sample_shape) if whole else info.input_shape[0]
    form: dict[str, Any] = {"kind": info.kind, "length": length}
    if info.kind == "text" and (info.origin.vocabulary or END in info.origin.alphabet):
        form["cut"] = "end"
    if info.kind == "table":
        names = info.origin.columns or tuple(f"column {k + 1}" for k in range(length))
        means = [0.0] * length if dataset.mean is None else floats(dataset.mean.reshape(-1))
        form["columns"] = [list(pair) for pair in zip(names, means, strict=False)]
        form["fields"] = [_field(field) for field in fields_of(dataset)]
    return form


def _field(field: InputField) -> Json:
    """A field as the canvas shows it; where it may be left empty, with what fills it."""
    found = {"name": field.name, "places": list(field.places), "words": list(field.words)}
    found |= {"date": example(field.date)} if field.date else {}
    if not field.fill or field.rule == OTHER:  # a category of its own is among the words
        return found
    return {
        **found,
        "fill": list(field.fill),
        "filler": filler_words(field.words, field.fill, field.rule),
    }


def own_inputs(dataset: Dataset, own: Any) -> tuple[Tensor, ...]:
    """What all Inputs receive, (1, ...) each, of {"drawing"}, {"picture"}, {"sound"}, {"row"}
    or {"text"}.

    A row is given by its numbers, by {"cells"}: what stands in each field, or by {"line"}: a line
    of its file, as a server takes it.

    Raises DataError where it is no sample of this data.
    """
    way = ways(dataset)
    if not way["kind"]:
        raise DataError(way["why"], "Choose a sample of the data.")
    makers = {"image": _image, "sound": _sound, "table": _row, "series": _row, "text": _text}
    given = own if is_dict(own) else {}
    values = makers[way["kind"]](dataset, given, way)
    columns = Columns({"input": values}, torch.zeros(1).long(), torch.zeros(0).long())
    return tuple(input_values(feed, columns) for feed in dataset.info.feeds)


def _image(dataset: Dataset, own: dict[str, Any], _way: Json) -> Tensor:
    info = dataset.info
    shape = info.input_shape if info.origin.decoded else info.sample_shape
    channels, height, width = (int(n) for n in shape)
    if "picture" in own:
        pixels = _decoded(own["picture"], (channels, height, width), info)
    else:
        ink = _drawing(own.get("drawing"), own.get("shape"))
        pixels = framed(ink, (height, width), info.source).expand(1, channels, height, width)
    pixels = pixels if info.origin.decoded else resized(pixels, info)
    if dataset.mean is None or dataset.std is None:
        return pixels
    return (pixels - dataset.mean) / dataset.std


def _decoded(text: Any, shape: tuple[int, int, int], info: DataInfo) -> Tensor:
    """The bytes of a picture's file as (1, C, H, W) from 0 to 1, read as the data's own are."""
    bounds = bounds_for(info) or DEEP
    with TemporaryDirectory() as folder:
        path = Path(folder) / "The picture"
        path.write_bytes(_bytes(text))
        found = decode(path, shape, (bounds[0], bounds[1]), stored_as_is(info))
    return torch.frombuffer(bytearray(found), dtype=torch.uint8).reshape(1, *shape).float() / 255


def _sound(dataset: Dataset, own: dict[str, Any], _way: Json) -> Tensor:
    """The bytes of a sound file, in base64, as a server reads them."""
    info = dataset.info
    spec = {"name": "The sound", "sound": info.layout["sound"]}
    try:
        values = torch.tensor(decode_sound(spec, _bytes(own.get("sound"), "sound")))[None]
    except RequestError as error:
        raise DataError(error.message, "Choose a WAV, FLAC or OGG file.") from error
    values = resized(values, info)
    if dataset.mean is None or dataset.std is None:
        return values
    return (values - dataset.mean) / dataset.std


def _drawing(text: Any, shape: Any) -> Tensor:
    """Grey bytes of the drawing surface as (H, W) from 0 to 1."""
    sides = shape if is_list(shape) else []
    right = len(sides) == 2 and all(type(n) is int and 0 < n <= LARGEST_SIDE for n in sides)
    pixels = bytearray(_bytes(text))
    if not right or len(pixels) != sides[0] * sides[1]:
        raise DataError(
            f"The drawing needs height x width bytes but has {len(pixels)}.", "Draw it again."
        )
    return torch.frombuffer(pixels, dtype=torch.uint8).reshape(sides).float() / 255


def _bytes(text: Any, what: str = "picture") -> bytes:
    try:
        found = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except (binascii.Error, ValueError) as error:
        raise DataError(f"The {what} is incomplete.", "Choose it again.") from error
    if not found:
        raise DataError(f"The {what} is empty.", "Draw something, or choose a file.")
    return found


def _row(dataset: Dataset, own: dict[str, Any], way: Json) -> Tensor:
    numbers = _written(dataset, own) if {"cells", "line"} & own.keys() else own.get("row")
    if not is_list(numbers) or not all(map(_is_number, numbers)):
        raise DataError("The row needs numbers.", "Write one in each field.")
    if len(numbers) != way["length"]:
        raise DataError(
            f"The row needs {way['length']} numbers but has {len(numbers)}.",
            "Separate them by spaces or commas.",
        )
    values = torch.tensor([numbers], dtype=torch.float32)
    if dataset.info.origin.ahead:
        values = values.reshape(1, *dataset.info.sample_shape)
    if dataset.mean is None or dataset.std is None:
        return values
    read = len(numbers)  # a series that goes on has moments of what is predicted, too
    return (values - dataset.mean[:read]) / dataset.std[:read]


def _written(dataset: Dataset, own: dict[str, Any]) -> list[float]:
    """The numbers of a row in the words of its file, by the functions that a server reads with."""
    fields = [asdict(field) for field in fields_of(dataset)]
    shape = dataset.info.sample_shape
    spec = {"name": "The row", "fields": fields, "read": shape, "table": table_file(dataset.info)}
    try:
        if "cells" in own:
            return read_row(spec, own["cells"]).tolist()
        rows = rows_of(spec, "", str(own["line"]).encode(errors="replace"), 1)
        return read_row(spec, rows[0] if rows else {}).tolist()
    except RequestError as error:
        raise DataError(error.message, error.hint) from error


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _text(dataset: Dataset, own: dict[str, Any], _way: Json) -> Tensor:
    if not isinstance(own.get("text"), str):
        raise DataError("The text is empty.", "Type some text.")
    try:
        return torch.tensor(read_text(_text_spec(dataset), own["text"]))[None]
    except RequestError as error:
        raise DataError(error.message, error.hint) from error


def _text_spec(dataset: Dataset) -> Json:
    """A text as a server describes it."""
    origin, shape = dataset.info.origin, dataset.info.input_shape
    known: Json = {"alphabet": origin.alphabet}
    if origin.vocabulary:
        known = {"vocabulary": origin.vocabulary, "cut_by": origin.cut_by, "lower": origin.lower}
    return {"name": "The text", "shape": shape, **known}


def written(dataset: Dataset, own: Any) -> int | None:
    """How many characters of an own text are used, where the text goes on; None for all else."""
    if dataset.info.target != "next" or not is_dict(own) or not isinstance(own.get("text"), str):
        return None
    return len(as_training_text(_text_spec(dataset), own["text"]))
