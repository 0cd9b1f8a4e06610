"""Requests as tensors for a network: values are checked, then prepared.

`interface` describes each input: a picture, a row of a table, a text, or numbers of its shape.
Needs torch, numpy and (for picture files) Pillow.
"""

import base64
import binascii
import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

UNTYPED = ("", "application/x-www-form-urlencoded")  # what programs send that name no type
JSON, FLOATS, TEXT, CSV = "application/json", "application/octet-stream", "text/plain", "text/csv"
PICTURES = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
MOST_PIXELS = 50_000_000
BLACK = 1e-3  # how far brightness may lie outside of 0 to 1, for rounding
Json = Mapping[str, Any]


class Refused(Exception):
    """A request that gets no prediction: the status, why, and what to do instead.

    place: the input that it is about.
    """

    def __init__(self, status: int, message: str, hint: str = "", place: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.hint, self.place = status, message, hint, place

    def json(self) -> dict[str, Any]:
        """The body of the response."""
        error = {"place": self.place, "message": self.message, "hint": self.hint}
        return {"ok": False, "error": error}


@dataclass(frozen=True)
class Asked:
    """Samples to predict. columns: a tensor (N, ...) for each input, None where the network makes
    it up itself. written: of each sample, the characters of its text. raw: outputs as they are,
    too."""

    columns: tuple[Tensor | None, ...]
    written: tuple[int, ...]
    raw: bool = False

    @property
    def count(self) -> int:
        return len(self.written)


def read(interface: Json, media: str, body: bytes, most: int) -> Asked:
    """Read the body of a request. media: its type; most: samples at once. Raises Refused."""
    inputs: Sequence[Json] = interface["inputs"]
    given = [spec for spec in inputs if not made_up(spec)]
    kind = media.partition(";")[0].strip().lower()
    if kind in (JSON, *UNTYPED):
        return _from_json(inputs, body, most)
    if len(given) == 1 and kind in media_of(given[0]):
        spec = given[0]
        samples = [{spec["name"]: value} for value in _bodies(spec, kind, body, most)]
        return _asked(inputs, samples, most)
    if len(given) == 1 and kind.startswith("image/") and spec_kind(given[0]) == "picture":
        return _asked(inputs, [{given[0]["name"]: body}], most)
    known = [JSON, *(media_of(given[0]) if len(given) == 1 else ())]
    raise Refused(415, f"The body needs to be {listed(known)} but is {kind}.",
                  "Set the header Content-Type.")  # fmt: skip


def made_up(spec: Json) -> bool:
    """Whether a request may leave out an input: noise, and the text generated so far."""
    return spec.get("column") in ("noise", "before")


def spec_kind(spec: Json) -> str:
    """picture, row, text or numbers."""
    return str(spec["kind"])


def media_of(spec: Json) -> tuple[str, ...]:
    """The types, besides JSON, that a request of this one input may have."""
    kinds = {"picture": ("image/png", "image/jpeg", "image/webp"), "text": (TEXT,), "row": (CSV,)}
    floats = (FLOATS,) if spec["dtype"] == "float32" else ()
    return (*kinds.get(spec_kind(spec), ()), *floats)


def own_shape(spec: Json) -> tuple[int, ...]:
    """The shape of one sample of the data, before it is prepared."""
    return tuple(spec.get("read") or spec["shape"])


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them."""
    return " or ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _from_json(inputs: Sequence[Json], body: bytes, most: int) -> Asked:
    try:
        asked = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        raise Refused(400, f"The body is not JSON: {why}.", 'Send {"samples": [...]}.') from None
    samples = asked.get("samples") if isinstance(asked, dict) else None
    if not isinstance(samples, list):
        example = ", ".join(f'"{spec["name"]}": ...' for spec in inputs if not made_up(spec))
        hint = f'Send {{"samples": [{{{example}}}]}}; /openapi.json describes it.'
        raise Refused(422, "The body needs a list called samples.", hint)
    for name in ("prepared", "raw"):
        if not isinstance(asked.get(name, False), bool):
            raise Refused(422, f"{name} needs to be true or false.", place=name)
    return _asked(inputs, samples, most, asked.get("prepared", False), asked.get("raw", False))


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _bodies(spec: Json, kind: str, body: bytes, most: int) -> list[Any]:
    """The samples in a body that is not JSON."""
    name = spec["name"]
    if kind == FLOATS:
        return _floats(spec, body, most)
    if kind.startswith("image/"):
        return [body]
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(422, f"{name} is not UTF-8 text.", place=name) from None
    if kind == TEXT:
        return [text]
    fields = {field["name"]: field for field in spec["fields"]}
    try:
        rows = list(csv.DictReader(io.StringIO(text)))
        return [{k: _cell(fields.get(k, {}), v) for k, v in row.items()} for row in rows]
    except csv.Error as error:
        raise Refused(422, f"{name} is not valid CSV: {error}.", place=name) from None


def _floats(spec: Json, body: bytes, most: int) -> list[Any]:
    name, shape = spec["name"], own_shape(spec)
    each = 4 * prod(shape)
    if not body or len(body) % each:
        raise Refused(422, f"{name} needs {each:,} bytes for each sample, float32 {shape}, but the "
                      f"body has {len(body):,}.", place=name)  # fmt: skip
    _few(len(body) // each, most)
    return list(np.frombuffer(body, "<f4").reshape(-1, *shape))


def _cell(field: Json, value: Any) -> Any:
    """A cell of a CSV file: None for a missing value that is filled, else a word, or a number
    where it reads as one."""
    words = field.get("words", ())
    if field.get("fill") and value not in words and value in ("", *field.get("missing", ())):
        return None
    if words:
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def _few(count: int, most: int) -> None:
    if not count:
        raise Refused(422, "There are no samples.", "Send at least one.")
    if count > most:
        raise Refused(422, f"A request may hold {most} samples but has {count}.",
                      f"Send at most {most} at once.")  # fmt: skip


def _asked(
    inputs: Sequence[Json], samples: Sequence[Any], most: int, prepared: bool = False,
    raw: bool = False,
) -> Asked:  # fmt: skip
    _few(len(samples), most)
    for number, sample in enumerate(samples):
        _named(inputs, sample, number)
    columns = [_column(spec, samples, prepared) for spec in inputs]
    texts = [spec["name"] for spec in inputs if spec_kind(spec) == "text" and not made_up(spec)]
    written = [len(sample[texts[0]]) if texts else 0 for sample in samples]
    return Asked(tuple(columns), tuple(written), raw)


def _named(inputs: Sequence[Json], sample: Any, number: int) -> None:
    """Check that a sample holds every input, and nothing else."""
    names = [spec["name"] for spec in inputs]
    if not isinstance(sample, Mapping):
        raise Refused(422, f"Sample {number} needs to be an object with {listed(names)}.")
    for spec in inputs:
        if spec["name"] not in sample and not made_up(spec):
            name = spec["name"]
            raise Refused(422, f"Sample {number} has no {name}.", f"Add {name}.", name)
    if strange := [name for name in sample if name not in names]:
        raise Refused(422, f"Sample {number} has {strange[0]!r}, which is not an input.",
                      f"The inputs are {listed(names)}.")  # fmt: skip


def _column(spec: Json, samples: Sequence[Json], prepared: bool) -> Tensor | None:
    """One input of all samples."""
    name, given = spec["name"], [spec["name"] in sample for sample in samples]
    if not all(given):
        if any(given):
            raise Refused(
                422,
                f"{name} is missing in some samples.",
                "Send it in all samples or in none.",
                name,
            )
        return None
    if prepared:
        rows = [_array(spec, sample[name], tuple(spec["shape"])) for sample in samples]
        return _tensor(spec, rows)
    values = [READERS[spec_kind(spec)](spec, sample[name]) for sample in samples]
    return prepare(spec, _tensor(spec, values))


def _tensor(spec: Json, rows: Sequence[np.ndarray]) -> Tensor:
    return torch.from_numpy(np.stack(rows)).to(getattr(torch, spec["dtype"]))


def prepare(spec: Json, values: Tensor) -> Tensor:
    """Samples of the data (N, ...) as the network receives them: resized, standardised, shaped."""
    if spec.get("resize"):
        values = F.interpolate(values, tuple(spec["resize"]), mode="bilinear", antialias=True)
    if spec.get("mean"):
        across = (-1, *[1] * (values.dim() - 2))
        mean, std = (torch.tensor(spec[name]).view(across) for name in ("mean", "std"))
        values = (values - mean) / std
    return values.reshape(len(values), *spec["shape"])


def _array(spec: Json, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of a shape, or as many in one list. Raises Refused."""
    name, whole = spec["name"], not spec["dtype"].startswith("float")
    try:
        found = np.asarray(value)
    except (ValueError, OverflowError):  # lists of different lengths
        found = np.asarray(None)
    if found.dtype.kind not in ("biu" if spec["dtype"] == "bool" else "iu" if whole else "iuf"):
        what = "whole numbers" if whole else "numbers"
        raise Refused(422, f"{name} needs {what} of the shape {shape} but received something else.",
                      "Send lists in lists, all of the same length.", name)  # fmt: skip
    if found.shape not in (shape, (prod(shape),)):
        raise Refused(422, f"{name} needs the shape {shape} but receives {found.shape}.",
                      place=name)  # fmt: skip
    return _finite(name, found.reshape(shape), spec["dtype"])


def _finite(name: str, found: np.ndarray, dtype: str) -> np.ndarray:
    if dtype == "bool":
        return found.astype(bool)
    if not dtype.startswith("float"):
        return found.astype(np.int64)
    with np.errstate(over="ignore"):
        found = found.astype(np.float32)
    if not np.isfinite(found).all():
        raise Refused(422, f"{name} holds a number that does not fit into float32.", place=name)
    return found


def _picture(spec: Json, value: Any) -> np.ndarray:
    """Brightness (C, H, W) from 0 to 1, of numbers or of a picture file (bytes, or base64)."""
    name, shape = spec["name"], own_shape(spec)
    if isinstance(value, str):
        try:
            value = base64.b64decode(value.rpartition("base64,")[2], validate=True)
        except (binascii.Error, ValueError):
            raise Refused(422, f"{name} is not a picture file in base64.", place=name) from None
    if isinstance(value, bytes):
        return _decoded(name, value, shape)
    found = _array(spec, [value] if _grey(value, shape) else value, shape)
    if found.min() < -BLACK or found.max() > 1 + BLACK:
        raise Refused(422, f"{name} needs brightness from 0 to 1 but holds values from "
                      f"{found.min():g} to {found.max():g}.",
                      "Divide pixels of 8 bits by 255.", name)  # fmt: skip
    return found


def _grey(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a grey picture is given as rows alone, without its one channel."""
    if len(shape) != 3 or shape[0] != 1 or not isinstance(value, list) or not value:
        return False
    rows = isinstance(value[0], list)
    return rows and not any(isinstance(each, list) for each in value[0])


def _decoded(name: str, content: bytes, shape: tuple[int, ...]) -> np.ndarray:
    from PIL import Image

    channels, height, width = shape
    if channels not in (1, 3):
        raise Refused(422, f"{name} has {channels} channels, which no picture file has.",
                      "Send its numbers.", name)  # fmt: skip
    try:
        with Image.open(io.BytesIO(content), formats=PICTURES) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise Refused(422, f"{name} has {opened.width} x {opened.height} pixels.",
                              f"Make it smaller than {MOST_PIXELS:,} pixels.", name)  # fmt: skip
            picture = opened.convert("RGB")
    except Refused:
        raise
    except Exception:  # Pillow's readers let out whatever their parsing of bytes runs into
        raise Refused(422, f"{name} is not a readable picture.",
                      f"Send {listed(PICTURES)}.", name) from None  # fmt: skip
    picture = picture.convert("L") if channels == 1 else picture
    if picture.size != (width, height):
        picture = picture.resize((width, height), Image.Resampling.BILINEAR)
    pixels = np.asarray(picture, np.float32).reshape(height, width, channels)
    return pixels.transpose(2, 0, 1) / 255


def _row(spec: Json, value: Any) -> np.ndarray:
    """The places of a row, of an object with its columns or of a list in their order."""
    name, fields = spec["name"], spec["fields"]
    names = [field["name"] for field in fields]
    if isinstance(value, np.ndarray):  # raw bytes hold every place already
        return _finite(name, value, "float32")
    if isinstance(value, list) and len(value) == len(names):
        value = dict(zip(names, value, strict=True))
    if not isinstance(value, Mapping):
        count = len(value) if isinstance(value, list) else "something else"
        raise Refused(422, f"{name} needs its {len(names)} columns but receives {count}.",
                      f"The columns are {', '.join(names)}.", name)  # fmt: skip
    for each in (*(n for n in names if n not in value), *(n for n in value if n not in names)):
        fault = "has no" if each in names else "has an unknown"
        raise Refused(422, f"{name} {fault} column {each!r}.",
                      f"The columns are {', '.join(names)}.", name)  # fmt: skip
    row = np.zeros(prod(own_shape(spec)), np.float32)
    for field in fields:
        _set(row, name, field, value[field["name"]])
    return _finite(name, row, "float32")


def _set(row: np.ndarray, name: str, field: Json, value: Any) -> None:
    """Put one column into its places: a number, or a 1 for its word; None for a missing value,
    which is filled as the training samples were."""
    words = list(field.get("words", ()))
    if value is None:
        if not field.get("fill"):
            message = (
                f"{name} has no value for {field['name']}, and no training sample has a missing "
                "value there."
            )
            raise Refused(422, message, f"Give a {'word' if words else 'number'}.", name)
        row[list(field["places"])] = field["fill"]
        return
    if words:
        if value not in words:
            raise Refused(422, f"{name} has {field['name']} {value!r}, which is not in "
                          "the training data.",
                          f"It is one of {', '.join(words)}.", name)  # fmt: skip
        row[field["places"][words.index(value)]] = 1
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(422, f"{name} needs a number for {field['name']} but receives {value!r}.",
                      place=name)  # fmt: skip
    try:
        with np.errstate(over="ignore"):
            row[field["places"][0]] = value
    except OverflowError:
        row[field["places"][0]] = np.inf


def _text(spec: Json, value: Any) -> np.ndarray:
    """Places in the alphabet, of a text or of such places."""
    name, letters, length = spec["name"], list(spec["alphabet"]), prod(spec["shape"])
    known = len(letters) + ("mark" in spec)
    if not isinstance(value, str):
        found = _array(spec, value, (length,))
        if found.min() < 0 or found.max() >= known:
            raise Refused(422, f"{name} needs tokens from 0 to {known - 1} but holds "
                          f"{found.min()} to {found.max()}.", place=name)  # fmt: skip
        return found
    if len(value) > length:
        raise Refused(422, f"{name} takes {length} characters but receives {len(value)}.",
                      "Make it shorter.", name)  # fmt: skip
    if not value:
        raise Refused(422, f"{name} is empty.", "Send at least one character.", name)
    places = {letter: place for place, letter in enumerate(letters)}
    if "mark" in spec:
        places[MASKED] = spec["mark"]
    if strange := [letter for letter in value if letter not in places]:
        message = f"{name} holds {strange[0]!r}, a character that is not in the training data."
        known = "".join(letter for letter in letters if letter > " ")
        raise Refused(422, message, f"The network knows {known}", name)
    filling = places["\0"] if "\0" in places else places.get(" ", 0)
    return np.array([places[x] for x in value] + [filling] * (length - len(value)), np.int64)


MASKED = "\u2588"
"""The character that stands for one to be guessed."""


def _numbers(spec: Json, value: Any) -> np.ndarray:
    return _array(spec, value, own_shape(spec))


READERS: dict[str, Callable[[Json, Any], np.ndarray]] = {
    "picture": _picture,
    "row": _row,
    "text": _text,
    "numbers": _numbers,
}
