"""Requests as tensors for a network: values are checked, then prepared.

`interface` describes each input: a picture, a sound, a row of a table, the rows of a window, a
text, or numbers of its shape.
Needs numpy, torch (only to prepare), for picture files Pillow, for sounds soundfile and scipy.
"""

import base64
import binascii
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from core.samples.picture_sizes import BOUND, check_together
from core.samples.request_error import RequestError
from core.samples.sent_numbers import finite, read_array
from core.samples.sent_pictures import MOST_PIXELS, decode_picture
from core.samples.sent_rows import file_orders, part_names, rows_of_all, set_field, texts_of
from core.samples.sent_sounds import decode_sound
from core.samples.sent_windows import read_window, rows_of_window
from core.samples.text_tokens import sent_tokens

if TYPE_CHECKING:
    from torch import Tensor

DEFAULT_TYPES = ("", "application/x-www-form-urlencoded")  # sent by programs that set no type
JSON, FLOATS, TEXT, CSV = "application/json", "application/octet-stream", "text/plain", "text/csv"
TABLES = ("text/tab-separated-values", "application/csv", "application/vnd.ms-excel")
"""What programs and browsers call a table, too."""
FILES = {"picture": "image/", "sound": "audio/"}
"""Kinds of inputs that are sent as files, and how the media types of these begin."""
BRIGHTNESS_TOLERANCE = 1e-3  # how far brightness may lie outside of 0 to 1, for rounding
Json = Mapping[str, Any]


@dataclass(frozen=True)
class PredictRequest:
    """Samples to predict. columns: a tensor (N, ...) for each input, None for one that the server
    generates. text_lengths: characters in the text of each sample. raw: whether the response also
    has the outputs of the network."""

    columns: "tuple[Tensor | None, ...]"
    text_lengths: tuple[int, ...]
    raw: bool = False

    @property
    def count(self) -> int:
        return len(self.text_lengths)


@dataclass(frozen=True)
class SentRequest:
    """Samples as they were sent, checked. columns: of the data, or `as_is` for the network."""

    columns: tuple[np.ndarray | None, ...]
    text_lengths: tuple[int, ...]
    raw: bool
    as_is: bool


def read(interface: Json, media: str, body: bytes, most: int) -> PredictRequest:
    """Read the body of a request. media: its type; most: samples at once. Raises RequestError."""
    return prepared(interface, sent(interface, media, body, most))


def prepared(interface: Json, request: SentRequest) -> PredictRequest:
    """A request that was read, for the network."""
    columns = tuple(
        None if column is None else _tensor(spec, column, request.as_is)
        for spec, column in zip(interface["inputs"], request.columns, strict=True)
    )
    return PredictRequest(columns, request.text_lengths, request.raw)


LONGEST_KIND = 100


def sent(interface: Json, media: str, body: bytes, most: int) -> SentRequest:
    """Check what a body holds; as `read`, without torch."""
    inputs: Sequence[Json] = interface["inputs"]
    given = [spec for spec in inputs if not may_be_omitted(spec)]
    kind = kind_of(media)
    if kind in (JSON, *DEFAULT_TYPES):
        return _from_json(inputs, body, most)
    if kind == CSV and takes_csv(given):
        return _request(inputs, rows_of_all(given, media, body, most), most)
    if len(given) == 1 and kind in media_types(given[0]):
        spec = given[0]
        samples = [{spec["name"]: value} for value in _bodies(spec, media, body, most)]
        return _request(inputs, samples, most)
    file = FILES.get(spec_kind(given[0])) if len(given) == 1 else None
    if file and kind.startswith(file):
        return _request(inputs, [{given[0]["name"]: body}], most)
    csv = (CSV,) if takes_csv(given) else ()
    known = [JSON, *(media_types(given[0]) if len(given) == 1 else csv)]
    raise RequestError(
        415,
        f"The body needs to be {join_names(known)} but is {kind[:LONGEST_KIND]}.",
        "Set the header Content-Type.",
    )


def kind_of(media: str) -> str:
    """The media type of a request, without what follows it; one for all names of a table."""
    kind = media.partition(";")[0].strip().lower()
    return CSV if kind in TABLES else kind


def may_be_omitted(spec: Json) -> bool:
    """Whether a request may omit an input: noise, and the text generated so far."""
    return spec.get("column") in ("noise", "before")


def spec_kind(spec: Json) -> str:
    """picture, sound, row, window, text or numbers."""
    return str(spec["kind"])


def media_types(spec: Json) -> tuple[str, ...]:
    """The media types, besides JSON, of a request with only this input."""
    kinds = {
        "picture": ("image/png", "image/jpeg", "image/webp"),
        "sound": ("audio/wav", "audio/flac", "audio/ogg"),
        "text": (TEXT, CSV) if spec.get("columns") else (TEXT,),
        "row": (CSV,),
        "window": (CSV,),
    }
    floats = (FLOATS,) if spec["dtype"] == "float32" else ()
    return (*kinds.get(spec_kind(spec), ()), *floats)


def takes_csv(given: Sequence[Json]) -> bool:
    """Whether the rows of one file hold all inputs."""
    return bool(given) and all(spec_kind(spec) == "row" for spec in given)


def data_shape(spec: Json) -> tuple[int, ...]:
    """The shape of one sample of the data, before it is prepared."""
    return tuple(spec.get("read") or spec["shape"])


def join_names(names: Sequence[str]) -> str:
    """Names joined by commas and "or"."""
    return " or ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _from_json(inputs: Sequence[Json], body: bytes, most: int) -> SentRequest:
    try:
        body_json = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RequestError(
            400, f"The body is not JSON: {_why_no_json(error)}.", 'Send {"samples": [...]}.'
        ) from None
    samples = body_json.get("samples") if isinstance(body_json, dict) else None
    if not isinstance(samples, list):
        example = ", ".join(f'"{spec["name"]}": ...' for spec in inputs if not may_be_omitted(spec))
        hint = f'Send {{"samples": [{{{example}}}]}}; /openapi.json describes it.'
        raise RequestError(422, "The body needs a list called samples.", hint)
    for name in ("prepared", "raw"):
        if not isinstance(body_json.get(name, False), bool):
            raise RequestError(422, f"{name} needs to be true or false.", place=name)
    return _request(
        inputs, samples, most, body_json.get("prepared", False), body_json.get("raw", False)
    )


def _why_no_json(error: ValueError | RecursionError) -> str:
    """Why a body cannot be read as JSON, in words that do not speak of Python."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    if isinstance(error, (json.JSONDecodeError, _NoNumber)):
        return str(error)
    return f"a number has more than {sys.get_int_max_str_digits():,} digits"


class _NoNumber(ValueError):
    """NaN and Infinity, which Python writes as if they were JSON."""


def _refuse_constant(name: str) -> float:
    raise _NoNumber(f"{name} is not a number")


def _bodies(spec: Json, media: str, body: bytes, most: int) -> list[Any]:
    """The samples in a body that is neither JSON nor rows of numbers that are a sample each."""
    name, kind = spec["name"], kind_of(media)
    if kind == CSV and spec_kind(spec) == "text":
        return texts_of(spec, media, body, most)
    if kind == CSV:
        return [rows_of_window(spec, media, body)]
    if kind == FLOATS:
        return _floats(spec, body, most)
    if kind.startswith((*FILES.values(),)):
        return [body]
    try:
        return [body.decode("utf-8-sig")]
    except UnicodeDecodeError:
        raise RequestError(422, f"{name} is not UTF-8 text.", place=name) from None


def _floats(spec: Json, body: bytes, most: int) -> list[Any]:
    name, shape = spec["name"], data_shape(spec)
    each = 4 * prod(shape)
    if not body or len(body) % each:
        raise RequestError(
            422,
            f"{name} needs {each:,} bytes for each sample, float32 {shape}, but the "
            f"body has {len(body):,}.",
            place=name,
        )
    _check_count(len(body) // each, most)
    return list(np.frombuffer(body, "<f4").reshape(-1, *shape))


def _check_count(count: int, most: int) -> None:
    if not count:
        raise RequestError(422, "There are no samples.", "Send at least one.")
    if count > most:
        raise RequestError(
            422,
            f"A request may hold {most} samples but has {count}.",
            f"Send at most {most} at once.",
        )


def _request(
    inputs: Sequence[Json],
    samples: Sequence[Any],
    most: int,
    prepared: bool = False,
    raw: bool = False,
) -> SentRequest:
    _check_count(len(samples), most)
    for number, sample in enumerate(samples):
        _check_names(inputs, sample, number)
    columns = [_column(spec, samples, prepared) for spec in inputs]
    texts = [
        spec["name"] for spec in inputs if spec_kind(spec) == "text" and not may_be_omitted(spec)
    ]
    lengths = [_length(inputs, texts[0], sample[texts[0]]) if texts else 0 for sample in samples]
    return SentRequest(tuple(columns), tuple(lengths), raw, prepared)


def _length(inputs: Sequence[Json], name: str, text: Any) -> int:
    """How many characters a text has, as it is read; 0 of one that no text goes on from."""
    spec = next(spec for spec in inputs if spec["name"] == name)
    if "vocabulary" in spec:
        return 0
    return len(as_training_text(spec, text) if isinstance(text, str) else text)


def _check_names(inputs: Sequence[Json], sample: Any, number: int) -> None:
    """Check that a sample holds every input, and nothing else."""
    names = [spec["name"] for spec in inputs]
    if not isinstance(sample, Mapping):
        raise RequestError(422, f"Sample {number} needs to be an object with {join_names(names)}.")
    for spec in inputs:
        if spec["name"] not in sample and not may_be_omitted(spec):
            name = spec["name"]
            bare = [field["name"] for field in spec.get("fields", ()) if field["name"] in sample]
            hint = f'Write {{"{name}": {{"{bare[0]}": ..., ...}}}}.' if bare else f"Add {name}."
            raise RequestError(422, f"Sample {number} has no {name}.", hint, name)
    if strange := [name for name in sample if name not in names]:
        raise RequestError(
            422,
            f"Sample {number} has {strange[0]!r}, which is not an input.",
            f"The inputs are {join_names(names)}.",
        )


def _column(spec: Json, samples: Sequence[Json], prepared: bool) -> np.ndarray | None:
    """One input of all samples."""
    name, given = spec["name"], [spec["name"] in sample for sample in samples]
    if not all(given):
        if any(given):
            raise RequestError(
                422,
                f"{name} is missing in some samples.",
                "Send it in all samples or in none.",
                name,
            )
        return None
    values = [sample[name] for sample in samples]
    if prepared:
        return np.stack([read_array(spec, value, tuple(spec["shape"])) for value in values])
    if spec_kind(spec) in FILES:
        values = [_file(spec, value) if isinstance(value, str) else value for value in values]
    if spec_kind(spec) == "picture":
        files = [value for value in values if isinstance(value, bytes)]
        if len(files) > 1 or BOUND.pixels < MOST_PIXELS:  # of one, its reader says more
            check_together(name, files)
    return np.stack([READERS[spec_kind(spec)](spec, value) for value in values])


def _tensor(spec: Json, column: np.ndarray, as_is: bool) -> "Tensor":
    import torch

    values = torch.from_numpy(column).to(getattr(torch, spec["dtype"]))
    return values if as_is else prepare(spec, values)


def prepare(spec: Json, values: "Tensor") -> "Tensor":
    """Samples of the data (N, ...) as the network receives them: resized, standardised, shaped."""
    import torch
    from torch.nn import functional as F

    if spec.get("resize"):
        values = F.interpolate(values, tuple(spec["resize"]), mode="bilinear", antialias=True)
    if spec.get("mean"):
        across = (-1, *[1] * (values.dim() - 2))
        across = data_shape(spec) if spec_kind(spec) == "window" else across
        mean, std = (torch.tensor(spec[name]).view(across) for name in ("mean", "std"))
        values = (values - mean) / std
    return values.reshape(len(values), *spec["shape"])


def _file(spec: Json, text: str) -> bytes:
    """A picture or sound file that was sent as base64."""
    name = spec["name"]
    try:
        return base64.b64decode(text.rpartition("base64,")[2], validate=True)
    except (binascii.Error, ValueError):
        raise RequestError(
            422, f"{name} is not a {spec_kind(spec)} file in base64.", place=name
        ) from None


def _picture(spec: Json, value: Any) -> np.ndarray:
    """Brightness (C, H, W) from 0 to 1, of numbers or of a picture file."""
    name, shape = spec["name"], data_shape(spec)
    if isinstance(value, bytes):
        return decode_picture(spec, data_shape(spec), value)
    found = read_array(spec, [value] if _grey(value, shape) else value, shape)
    if found.min() < -BRIGHTNESS_TOLERANCE or found.max() > 1 + BRIGHTNESS_TOLERANCE:
        raise RequestError(
            422,
            f"{name} needs brightness from 0 to 1 but holds values from "
            f"{found.min():g} to {found.max():g}.",
            "Divide pixels of 8 bits by 255.",
            name,
        )
    return found


def _sound(spec: Json, value: Any) -> np.ndarray:
    """A sound of numbers, or of a sound file."""
    if isinstance(value, bytes):
        return decode_sound(spec, value)
    return read_array(spec, value, data_shape(spec))


def _grey(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a grey picture is given as rows alone, without its one channel."""
    if len(shape) != 3 or shape[0] != 1 or not isinstance(value, list) or not value:
        return False
    rows = isinstance(value[0], list)
    return rows and not any(isinstance(each, list) for each in value[0])


def read_row(spec: Json, value: Any) -> np.ndarray:
    """A row as numbers, from an object with its columns or a list in their order."""
    name, fields = spec["name"], spec["fields"]
    names = [field["name"] for field in fields]
    if isinstance(value, np.ndarray):  # raw bytes are the numbers already
        return finite(name, value, "float32")
    if isinstance(value, list):
        value = _by_order(spec, value)
    if not isinstance(value, Mapping):
        count = len(value) if isinstance(value, list) else "something else"
        raise RequestError(
            422,
            f"{name} needs its {len(names)} columns but receives {count}.",
            f"The columns are {', '.join(names)}.",
            name,
        )
    value = {key.removeprefix("\ufeff").strip(): cell for key, cell in value.items()}
    if not all(each in value for each in names):  # each number of a date by itself
        numbered = _numbered(spec)
        fields = [*numbered.values()] if all(each in value for each in numbered) else fields
        names = [field["name"] for field in fields]
    known = {*names, *spec.get("table", {}).get("columns", ())}  # others of the file are left out
    for each in (*(n for n in names if n not in value), *(n for n in value if n not in known)):
        fault = "has no" if each in names else "has an unknown"
        raise RequestError(
            422, f"{name} {fault} column {each!r}.", f"The columns are {', '.join(names)}.", name
        )
    row = np.zeros(prod(data_shape(spec)), np.float32)
    for field in fields:
        set_field(row, name, field, value[field["name"]])
    return finite(name, row, "float32")


def _by_order(spec: Json, value: list[Any]) -> Any:
    """A list as the fields in their order, as their numbers, or as a line of the file."""
    numbers = [] if any(isinstance(each, str) for each in value) else [*_numbered(spec)]
    fields = [field["name"] for field in spec["fields"]]
    for listed in (fields, numbers, *file_orders(spec.get("table", {}))):
        if len(listed) == len(value):
            return dict(zip(listed, value, strict=True))
    return value


def _numbered(spec: Json) -> dict[str, Json]:
    """The fields with each number that is made of a date or category as one of its own."""
    found: dict[str, Json] = {}
    for field in spec["fields"]:
        parts = zip(part_names(field), field["places"], strict=False)
        own = {name: {"name": name, "places": [place]} for name, place in parts}
        found |= own or {field["name"]: field}
    return found


def read_text(spec: Json, value: Any) -> np.ndarray:
    """Tokens of a text, or tokens themselves."""
    if "vocabulary" in spec and isinstance(value, str):
        return np.array(sent_tokens(spec, value, prod(spec["shape"])), np.int64)
    if "vocabulary" in spec:
        return _numbers_of_tokens(spec, value, len(spec["vocabulary"]))
    name, letters, length = spec["name"], list(spec["alphabet"]), prod(spec["shape"])
    if not isinstance(value, str):
        return _numbers_of_tokens(spec, value, len(letters) + ("mark" in spec))
    value = as_training_text(spec, value)
    if not value:
        raise RequestError(422, f"{name} is empty.", "Send at least one character.", name)
    places = {letter: place for place, letter in enumerate(letters)}
    if "mark" in spec:
        places[MASKED] = spec["mark"]
    if strange := [letter for letter in value if letter not in places]:
        message = f"{name} holds {strange[0]!r}, a character that is not in the training data."
        known = "".join(letter for letter in letters if letter > " ")
        raise RequestError(422, message, f"The network knows {known}", name)
    filling = places[END] if END in places else places.get(" ", 0)
    return np.array([places[x] for x in value] + [filling] * (length - len(value)), np.int64)


def _numbers_of_tokens(spec: Json, value: Any, known: int) -> np.ndarray:
    """Tokens that are sent as their numbers, below `known`."""
    name, found = spec["name"], read_array(spec, value, (prod(spec["shape"]),))
    if found.min() < 0 or found.max() >= known:
        raise RequestError(
            422,
            f"{name} needs tokens from 0 to {known - 1} but holds {found.min()} to {found.max()}.",
            place=name,
        )
    return found


def as_training_text(spec: Json, text: str) -> str:
    """The part of a text that goes in, in capital or small letters as the training data has them.

    Of one that is too long: its start where samples have an end mark, as in training, else its
    end. Exported pages have this in JavaScript (cells.js).
    """
    alphabet, length = spec["alphabet"], prod(spec["shape"])
    known = {*alphabet, *([MASKED] if "mark" in spec else ())}
    part = slice(length) if END in alphabet else slice(-length, None)
    text = text.removeprefix("\ufeff")
    if "\r" not in known:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    written = [write(text[part])[part] for write in (str, str.upper, str.lower)]
    return next((each for each in written if known.issuperset(each)), written[0])


END, MASKED = "\0", "\u2588"
"""The characters after the end of texts of different lengths, and for one to be predicted."""


READERS: dict[str, Callable[[Json, Any], np.ndarray]] = {
    "picture": _picture,
    "sound": _sound,
    "row": read_row,
    "window": read_window,
    "text": read_text,
    "numbers": lambda spec, value: read_array(spec, value, data_shape(spec)),
}
