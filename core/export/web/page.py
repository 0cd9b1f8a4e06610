"""The network as one web page that runs in any browser without a network: ONNX Runtime Web inside.

The page takes what fits the task (a drawing, a picture, a row, a text), shows the prediction, and
holds its own outputs against PyTorch's on samples that it carries.
"""

import base64
import gzip
import html
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.common.escaping import one_line
from core.common.version import layerloom_version
from core.data.builtin.handwriting import INK
from core.data.facts.row_words import row_words, shortest
from core.export.graph_bars import HEIGHT, bars_of
from core.export.interface import InputInfo, Interface, interface_of
from core.export.onnx import make_onnx
from core.export.parity import draws, run_seeded, tensors
from core.export.result import ExportedFile, ExportError
from core.export.subject import Subject
from core.graph import Graph
from core.runs.result import RunResult, result_of
from core.samples.contract import FILLER_WORDS
from core.samples.picture_files import DEEP
from core.samples.sent_pictures import MOST_PIXELS
from core.tasks.readout import COVER, VISIBLE

RUNTIME, WASM = "ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm.gz"
VERSION = "ONNX Runtime Web 1.30.0"
SAMPLES, LARGEST = 8, 64 << 20
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; "
    "style-src 'unsafe-inline'; img-src blob: data:"
)
PICTURES = ("png.js", "pictures.js")
DTYPES = ("float32", "int64", "bool")
STRIP, WIDEST = 820.0, 50.0  # units of the drawing: how wide it is, and a column at most
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"
    "%3Crect width='32' height='32' rx='8' fill='%235B5BD6'/%3E%3Cpath d='M8 10h6c5 0 5 12 10 12"
    "M8 22h6c5 0 5-12 10-12' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"
)
RULES = {
    "cover": COVER,
    "visible": {**VISIBLE, "\0": "end"},
    "ink": INK,
    "fillers": FILLER_WORDS,
    "deep": DEEP,
    "pixels": MOST_PIXELS,
}
"""What the page and Python agree on."""
Json = dict[str, Any]


def make_web(subject: Subject) -> ExportedFile:
    """Write the page. Raises ExportError for what a browser cannot run, or only slowly."""
    if draws(subject.module, subject.sample):
        raise ExportError(
            "The network draws random numbers in its forward pass, so the page could not check "
            "itself.",
            "Export ONNX or the Python source instead.",
        )
    made = make_onnx(subject)
    if len(made.content) > LARGEST:
        size = len(made.content) >> 20
        raise ExportError(
            f"A web page can hold a network of {LARGEST >> 20} MB but this one has {size} MB.",
            "Export ONNX in half precision or 8 bits, or plain ONNX.",
        )
    interface = interface_of(subject)
    strange = [i.name for i in interface.inputs if i.dtype not in DTYPES]
    if strange:
        raise ExportError(f"A web page has no way to give {strange[0]} its dtype.", "Export ONNX.")
    text = _page(subject, interface, made.content)
    return ExportedFile(text.encode(), made.max_difference, made.notes, run=made.run)


def _page(subject: Subject, interface: Interface, model: bytes) -> str:
    folder = files("core.export.web")
    made = f"Made by Layerloom with {VERSION}. This file works offline."
    packed = {
        "model": gzip.compress(model, 9, mtime=0),
        "runtime": gzip.compress(folder.joinpath(RUNTIME).read_bytes(), 9, mtime=0),
        "wasm": folder.joinpath(WASM).read_bytes(),
    }
    return page_of(facts_of(subject, interface, made), "onnx.js", POLICY, packed)


def page_of(
    facts: Json, engine: str, policy: str, packed: Mapping[str, bytes], reach: str = ""
) -> str:
    """The page. engine: the script that runs the network; packed: what it needs in the page; reach:
    HTML of a part about other devices."""
    folder = files("core.export.web")
    blocks = [
        f'<script type="text/plain" id="{name}">{base64.b64encode(content).decode()}</script>\n'
        for name, content in packed.items()
    ]
    return Template(folder.joinpath("page.html").read_text("utf-8")).substitute(
        title=html.escape(one_line(facts["title"])),
        description=html.escape(one_line(_description(facts))),
        version=layerloom_version(),
        icon=ICON,
        drawing=facts["drawing"],
        reach=reach,
        call=folder.joinpath("call.html").read_text("utf-8") if "call" in facts else "",
        css=folder.joinpath("page.css").read_text("utf-8"),
        script=script_of(engine),
        policy=policy,
        packed="".join(blocks),
        facts=json.dumps({**facts, "drawing": ""}).replace("<", "\\u003c"),
    )


def _description(facts: Json) -> str:
    """The page in a line, as a chat shows it below the title."""
    result = facts.get("result")
    reached = f"{result['sentence']}. " if result else ""
    return f"{reached}{facts['about']}. Made with Layerloom."


def script_of(engine: str) -> str:
    """The script of the page with its engine."""
    folder = files("core.export.web")
    head, body = (
        "\n".join(folder.joinpath(part).read_text("utf-8") for part in parts)
        for parts in (
            ("head.js", engine),
            ("readouts.js", "dates.js", "cells.js", "arrays.js", "windows.js", "page.js"),
        )
    )
    pictures = "\n".join(folder.joinpath(part).read_text("utf-8") for part in PICTURES)
    return f"{head}\nconst RULES = {json.dumps(RULES)};\n{pictures}\n{body}"


def facts_of(subject: Subject, interface: Interface, made: str) -> Json:
    """What the page shows and tries. made: by whom."""
    opened = subject.opened
    return {
        "title": (opened.project.name if opened else "") or subject.class_name,
        "about": about_of(subject, interface),
        **_result(subject),
        "drawing": drawing_of(subject.opened.project.graph) if subject.opened else "",
        "made": made,
        "interface": interface.json(),
        "samples": _samples(subject, interface),
    }


def about_of(subject: Subject, interface: Interface) -> str:
    """A line about the network: data, size, whose weights."""
    weights = sum(p.numel() for p in subject.module.parameters())
    parts = [f"{weights:,} parameters", subject.note]
    if interface.data:
        parts.insert(0, f"{interface.task[:1].upper()}{interface.task[1:]} on {interface.data}")
    return " · ".join(part for part in parts if part)


def _result(subject: Subject) -> Json:
    """What the run reached, as its verdict has it; {} for what is not trained."""
    run = subject.opened.run if subject.opened else None
    found = result_of(run) if run else RunResult()
    if not found.value:
        return {}
    words = f"{found.metric} ± {found.within}" if found.within else found.metric
    return {"result": {"value": found.value, "words": words, "sentence": found.sentence}}


def drawing_of(graph: Graph) -> str:
    """The graph as a strip of bars, an SVG without any text."""
    placed = bars_of(graph, STRIP, WIDEST)
    wires = (
        "M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}".format(
            *(place for point in curve.points for place in point)
        )
        for curve in placed.curves
    )
    bars = (
        f'<rect x="{bar.x - bar.width / 2:.1f}" y="{bar.y - bar.height / 2:.1f}" '
        f'width="{bar.width:.1f}" height="{bar.height:.1f}" rx="{min(3.0, bar.width / 3):.1f}" '
        f'fill="{bar.colour}"/>'
        for bar in placed.bars
    )
    return (
        f'<svg viewBox="0 0 {STRIP:g} {HEIGHT:g}" role="img" aria-label="The drawing of the '
        f'network"><path d="{"".join(wires)}" fill="none" stroke-width="1.2"/>{"".join(bars)}'
        "</svg>\n"
    )


def _samples(subject: Subject, interface: Interface) -> list[Json]:
    """Validation samples where there is data, else random ones, each with PyTorch's outputs."""
    dataset = interface.dataset
    if dataset is None:
        columns, words = subject.sample(SAMPLES), [""] * SAMPLES
    else:
        columns = tuple(column[:SAMPLES] for column in dataset.all_validation()[0])
        words = _targets(dataset, len(columns[0]))
    return [
        {
            "target": words[row],
            "inputs": [_bytes(column[row]) for column in columns],
            "cells": [
                _cells(spec, column[row])
                for spec, column in zip(interface.inputs, columns, strict=True)
            ],
            "outputs": _outputs(subject, tuple(column[row : row + 1] for column in columns)),
        }
        for row in range(len(columns[0]))
    ]


def _cells(spec: InputInfo, sample: Tensor) -> list[str]:
    """What stands in each field of a row, as its file has it."""
    if spec.kind != "row":
        return []
    return row_words(spec.fields, shortest(sample.flatten().tolist(), spec.mean, spec.std))


def _targets(dataset: Any, rows: int) -> list[str]:
    """What is right, in words, where a sample has a class."""
    if dataset.labels is None:
        return [""] * rows
    labels = dataset.labels[dataset.validation_indices][:rows].tolist()
    return [dataset.classes[label] for label in labels]


def _outputs(subject: Subject, inputs: tuple[Tensor, ...]) -> list[str]:
    with torch.no_grad():
        return [_bytes(t.float()) for t in tensors(run_seeded(subject.module, inputs))]


def _bytes(value: Tensor) -> str:
    return base64.b64encode(np.ascontiguousarray(value.numpy()).tobytes()).decode()
