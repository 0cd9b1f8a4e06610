"""The contract of a server, an OpenAPI 3.1 document, from the network's inputs and outputs."""

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from core.samples.inputs import (
    CSV,
    END,
    FLOATS,
    JSON,
    MASKED,
    TEXT,
    data_shape,
    may_be_omitted,
    media_types,
    spec_kind,
    takes_csv,
)
from core.samples.sent_rows import words_of

Json = dict[str, Any]
ERROR_RESPONSES = {
    "400": "The body is not JSON.",
    "401": "The token is missing or wrong.",
    "413": "The body, its pictures or its answer exceed a limit.",
    "415": "The content type of the body is not supported by this network, or it is packed.",
    "422": "A sample does not fit: the message names the input and the numbers.",
    "503": "Too many requests are waiting: try again after the seconds in Retry-After.",
}


def openapi(interface: Mapping[str, Any], title: str, about: str, most: int, secured: bool) -> Json:
    """Describe a server. about: what the network is; most: samples in a request."""
    document: Json = {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "1", "description": about},
        "paths": {
            "/predict": {"post": _predict(interface, most)},
            "/health": {"get": _plain("health", "Whether the server runs.")},
            "/ready": {"get": _plain("ready", "Whether it accepts requests (503 if not).")},
            "/metrics": {"get": _metrics()},
        },
        "components": {"schemas": _schemas(interface, most)},
    }
    if secured:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _predict(interface: Mapping[str, Any], most: int) -> Json:
    given = [spec for spec in interface["inputs"] if not may_be_omitted(spec)]
    content: Json = {JSON: {"schema": _ref("Request")}}
    if takes_csv(given):
        content[CSV] = {"schema": _body(given[0], CSV)}
    if len(given) == 1:
        content |= {media: {"schema": _body(given[0], media)} for media in media_types(given[0])}
    return {
        "operationId": "predict",
        "summary": f"Predict up to {most} samples.",
        "requestBody": {"required": True, "content": content},
        "responses": {
            "200": _response(
                "One prediction per sample, in the order of the samples.", _ref("Response")
            ),
            **{
                status: _response(words, _ref("Error")) for status, words in ERROR_RESPONSES.items()
            },
        },
    }


def _body(spec: Mapping[str, Any], media: str) -> Json:
    """The schema of a body that is not JSON."""
    shape = data_shape(spec)
    words = {
        FLOATS: f"float32, little-endian, {4 * prod(shape):,} bytes a sample of {list(shape)}",
        TEXT: "the text in UTF-8",
        CSV: "rows after a header line with the column names, or lines of the training file",
    }
    if spec.get("columns"):
        named = ", ".join(spec["columns"])
        words[CSV] = f"a table whose header names {named}, with a text in each row"
    if spec_kind(spec) == "window" and media == CSV:
        words[CSV] = f"the file, or its last {shape[0]:,} rows or more, with its header or without"
    description = words.get(media, "a picture file; it is scaled to the size used in training")
    return {"type": "string", "contentMediaType": media, "description": description}


def _plain(name: str, words: str) -> Json:
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    answers: Json = {"200": _response(words, schema)}
    if name == "ready":
        answers["503"] = _response("Not ready, or shutting down.", schema)
    return {"operationId": name, "summary": words, "security": [], "responses": answers}


def _metrics() -> Json:
    content = {"text/plain": {"schema": {"type": "string"}}}
    answer = {"description": "Prometheus text format.", "content": content}
    return {
        "operationId": "metrics",
        "summary": "Counters and times.",
        "responses": {"200": answer},
    }


def _response(words: str, schema: Json) -> Json:
    return {"description": words, "content": {JSON: {"schema": schema}}}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _schemas(interface: Mapping[str, Any], most: int) -> Json:
    inputs, outputs = interface["inputs"], interface["outputs"]
    text = {"type": "string"}
    flag = {"type": "boolean", "default": False}
    return {
        "Sample": _object(
            {spec["name"]: _input(spec) for spec in inputs},
            [spec["name"] for spec in inputs if not may_be_omitted(spec)],
        ),
        "Request": _object(
            {
                "samples": {
                    "type": "array",
                    "items": _ref("Sample"),
                    "minItems": 1,
                    "maxItems": most,
                },
                "prepared": flag
                | {
                    "description": "The values are already prepared, in the "
                    "shape of the network's input."
                },
                "raw": flag | {"description": "Return the raw outputs of the network as well."},
            },
            ["samples"],
        ),
        "Prediction": _object(
            {spec["name"]: _output(spec) for spec in outputs}, [spec["name"] for spec in outputs]
        ),
        "Response": _object(
            {
                "predictions": {"type": "array", "items": _ref("Prediction")},
                "run": text | {"description": "The run whose weights made the predictions."},
            },
            ["predictions", "run"],
        ),
        "Error": _object(
            {
                "ok": {"const": False},
                "error": _object(
                    {"place": text, "message": text, "hint": text}, ["place", "message", "hint"]
                ),
            },
            ["ok", "error"],
        ),
    }


def _object(properties: Json, required: list[str]) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _input(spec: Mapping[str, Any]) -> Json:
    makers = {"picture": _picture, "sound": _sound, "row": _row, "window": _window, "text": _text}
    return makers.get(spec_kind(spec), _numbers)(spec)


def array(shape: tuple[int, ...], item: Json) -> Json:
    """The schema of lists in lists of a shape."""
    schema = item
    for length in reversed(shape):
        schema = {"type": "array", "items": schema, "minItems": length, "maxItems": length}
    return schema


def _numbers(spec: Mapping[str, Any]) -> Json:
    kinds = {"bool": "boolean"} if spec["dtype"] == "bool" else {}
    kind = "number" if spec["dtype"].startswith("float") else kinds.get("bool", "integer")
    return array(tuple(spec["shape"]), {"type": kind}) | {"description": spec["dtype"]}


def _picture(spec: Mapping[str, Any]) -> Json:
    bright = {"type": "number", "minimum": 0, "maximum": 1}
    file = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}
    return {
        "anyOf": [array(data_shape(spec), bright), file],
        "description": "Brightness from 0 to 1 (channels, height, width), or a picture file.",
    }


def _sound(spec: Mapping[str, Any]) -> Json:
    how = spec["sound"]
    seconds = f"{how['samples'] / how['rate']:g} seconds at {how['rate']:,} samples a second"
    what = "loudness from 0 to 1 (1, bands, frames)" if how.get("mels") else "a wave (1, samples)"
    file = {"type": "string", "contentEncoding": "base64", "contentMediaType": "audio/wav"}
    return {
        "anyOf": [array(data_shape(spec), {"type": "number"}), file],
        "description": f"A sound file (WAV, FLAC, OGG), of which {seconds} count; or {what}.",
    }


def _row(spec: Mapping[str, Any]) -> Json:
    fields = {field["name"]: _field(field) for field in spec["fields"]}
    listed: Json = {
        "type": "array",
        "prefixItems": list(fields.values()),
        "items": False,
        "minItems": len(fields),
    }
    words = "The columns by name, in the units of the data, or as a list in their order."
    return {"anyOf": [_object(fields, list(fields)), listed], "description": words}


def _window(spec: Mapping[str, Any]) -> Json:
    length, order = data_shape(spec)[0], spec.get("order")
    fields = {field["name"]: {"type": ["number", "string", "null"]} for field in spec["fields"]}
    named = {"type": "object", "properties": fields, "required": list(fields)}
    listed = {"type": "array", "items": {"type": ["number", "string", "null"]}}
    dates = f", ordered by {order['name']} where each row has one" if order else ""
    words = (
        f"The last {length} rows before what is predicted, in the units of the data{dates}; of "
        "more rows the last. null: the last known value."
    )
    return {
        "type": "array",
        "items": {"anyOf": [named, listed]},
        "minItems": length,
        "description": words,
    }


FILLER_WORDS = {
    "mean": "the mean of the training samples",
    "median": "the median of the training samples",
    "most_frequent": "the most frequent value of the training samples",
}
"""What a rule fills missing values with, in words."""


def filler_words(words: Sequence[str], fill: Sequence[float], rule: str) -> str:
    """What a missing value of a column counts as, its number or category, and what that is."""
    numbers = ", ".join(f"{value:.6g}" for value in fill)
    own = dict(zip(fill, words, strict=False)).get(1.0, "another category")
    one = own if words else numbers
    return f"{one}, {FILLER_WORDS.get(rule, 'a separate category')}"


def _field(field: Mapping[str, Any]) -> Json:
    """A column: a number or one of its words; null where a missing value is filled."""
    words, fill = words_of(field), field.get("fill")
    kind, said = ("string", f"a date written as {field['date']}") if field.get("date") else ("", "")
    kind = kind or "number"
    if not fill:
        return (
            {"enum": words} if words else {"type": kind} | ({"description": said} if said else {})
        )
    counts = f"null: a missing value, which counts as {filler_words(words, fill, field['rule'])}"
    described = {"description": f"{said}; {counts}" if said else counts}
    return ({"enum": [*words, None]} if words else {"type": [kind, "null"]}) | described


def _text(spec: Mapping[str, Any]) -> Json:
    if "vocabulary" in spec:
        return _tokens(spec)
    length, letters = prod(spec["shape"]), spec["alphabet"]
    token = {
        "type": "integer",
        "minimum": 0,
        "maximum": len(letters) - (0 if "mark" in spec else 1),
    }
    known = [*letters, *([MASKED] if "mark" in spec else ())]
    text = {
        "type": "string",
        "minLength": 1,
        "pattern": f"^[{''.join(map(re.escape, known))}]+$",
    }
    part = f"the {'first' if END in letters else 'last'} {length} of a longer text count"
    words = f"Of the characters {letters!r}, {part}; or their indices."
    more = f" {MASKED} stands for one to be guessed." if "mark" in spec else ""
    return {"anyOf": [text, array((length,), token)], "description": words + more}


def _tokens(spec: Mapping[str, Any]) -> Json:
    """A text that is cut into tokens of a vocabulary."""
    length, known = prod(spec["shape"]), len(spec["vocabulary"])
    token = {"type": "integer", "minimum": 0, "maximum": known - 1}
    words = (
        f"A text, of which the first {length} {spec['cut_by']}s count; or their numbers in the "
        f"vocabulary of {known:,}: 1 for any other, 0 after the last."
    )
    return {
        "anyOf": [{"type": "string", "minLength": 1}, array((length,), token)],
        "description": words,
    }


def _output(spec: Mapping[str, Any]) -> Json:
    """The answer of one output, by the kind of its target."""
    number, text = {"type": ["number", "null"]}, {"type": "string"}
    numbers = {"type": "array", "items": number}
    shares = {"type": "object", "additionalProperties": number}
    if spec.get("classes"):
        shares = {"type": "object", "properties": dict.fromkeys(spec["classes"], number)}
    array_of_integers = {"type": "array", "items": {"type": "integer"}}
    known: dict[str, Json] = {
        "classes": {"class": text, "probability": number, "probabilities": shares},
        "yes_no": {"class": text, "probability": number, "probabilities": shares},
        "labels": {"labels": {"type": "array", "items": text}, "probabilities": shares},
        "regression": {"target": text, "value": number, "values": numbers},
        "quantiles": {"target": text, "values": numbers},
        "series": {"target": text, "values": numbers},
        "image": {"picture": {"type": "array"}},
        "mask": {"mask": {"type": "array"}},
        "mask_classes": {
            "mask": {
                "type": "array",
                "items": array_of_integers,
                "description": "Rows of the number of each pixel's class, as in classes.",
            },
            "classes": {"type": "array", "items": text},
            "shares": shares,
        },
        "sequence": {"sequence": {"type": "array", "items": text}},
        "pair": {"same": {"type": "boolean"}, "distance": number},
        "tokens": {"text": text, "next": text, "probabilities": shares},
    }
    raw = _object(
        {"shape": {"type": "array", "items": {"type": "integer"}}, "data": numbers},
        ["shape", "data"],
    )
    properties = known.get(spec.get("shown_as") or spec.get("kind", ""), {"values": {}})
    return _object({**properties, "output": raw}, [])
