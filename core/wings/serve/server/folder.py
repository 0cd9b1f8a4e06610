"""Export as a folder that serves the network: a script on starlette and uvicorn, and a Dockerfile.

The files that read requests, answer them and fill batches are those of `core.samples`,
`core.wings.serve` and `core.common`, word for word, so that the folder answers as `layerloom serve`
does.
"""

import json
import re
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import files
from string import Template
from typing import Any

import torch

from core.common.escaping import json_visible, markdown, markdown_code, visible
from core.export.archive import folder_name, zip_bytes
from core.export.interface import Interface, interface_of, preprocessing
from core.export.parity import draws
from core.export.result import ExportedFile
from core.export.safetensors import make_safetensors
from core.export.subject import Subject
from core.export.web.page import about_of
from core.samples.contract import openapi
from core.samples.outputs import answers
from core.wings.serve.batching import runner

READERS = (
    "inputs.py",
    "sent_numbers.py",
    "sent_pictures.py",
    "sent_sounds.py",
    "sounds.py",
    "upright.py",
    "picture_files.py",
    "picture_sizes.py",
    "request_error.py",
    "sent_rows.py",
    "sent_windows.py",
    "text_tokens.py",
    "date_parts.py",
    "number_spelling.py",
    "outputs.py",
)
"""Files of core.samples that a folder has."""
SERVERS = (
    "batching.py",
    "steady.py",
    "thread_count.py",
    "limits.py",
    "apart.py",
    "frames.py",
    "few_parts.py",
    "reading_process.py",
    "desk.py",
    "patience.py",
)
"""Files of core.wings.serve that a folder has."""
COMMON = ("threads.py",)
"""Files of `core.common` that a folder has."""
OURS = rb"from core\.(?:common|samples|wings\.serve)\.(?=\w+ import )"
HERE = re.compile(rb"^(\s*)" + OURS, re.MULTILINE)
IMPORT = re.compile(OURS + rb"\w+ import (?:\([^)]*\)|[^\n]*)\n")
IMPORTS = re.compile(rb"^(?:" + IMPORT.pattern + rb")+", re.MULTILINE)
"""The imports of the shared files, which lie beside each other in the folder."""
PACKAGES = ("torch", "numpy", "safetensors", "starlette", "uvicorn", "pillow")
OF_SOUNDS = ("soundfile", "scipy")
MOST = 64
ANSWER = "The response is `answer.json`, up to rounding (1e-5: other machines run other kernels)."
RANDOM_ANSWER = "The network draws random numbers, so each response is different."
SERVED = ("/predict", "/health")


def shared_files() -> dict[str, bytes]:
    """The files that a folder shares with `layerloom serve`, by name."""
    where = {name: files("core.samples") for name in READERS}
    where |= {name: files("core.wings.serve") for name in SERVERS}
    where |= {name: files("core.common") for name in COMMON}
    return {name: _beside(folder.joinpath(name).read_bytes()) for name, folder in where.items()}


def _beside(text: bytes) -> bytes:
    """A shared file that imports the others from its own folder, in the order of their names."""

    def ordered(found: re.Match[bytes]) -> bytes:
        return b"".join(sorted(HERE.sub(rb"\1from ", each) for each in IMPORT.findall(found[0])))

    return HERE.sub(rb"\1from ", IMPORTS.sub(ordered, text))


def make_server(subject: Subject) -> ExportedFile:
    """Write the folder. Raises ExportError for a network without weights."""
    weights = make_safetensors(subject)
    interface = interface_of(subject)
    named = words_of(subject, interface)
    text = files("core.wings.serve.server")
    written = {
        "README.md": _filled("server.md", readme_words(named)),
        "serve.py": _filled("serve.txt", {key: _quoted(each) for key, each in named.items()}),
        **shared_files(),
        "model.py": subject.source.encode(),
        "weights.safetensors": weights.content,
        "interface.json": _json(interface.json()),
        "openapi.json": _json(_contract(interface, named)),
        **_sample(subject, interface, named["run"]),
        "requirements.txt": _requirements(interface).encode(),
        "Dockerfile": text.joinpath("Dockerfile.txt").read_bytes(),
    }
    content = zip_bytes({f"{named['name']}_server/{k}": v for k, v in written.items()})
    return ExportedFile(content, weights.max_difference, run=subject.module)


def words_of(subject: Subject, interface: Interface) -> dict[str, str]:
    """What the texts of a folder say of the network."""
    opened = subject.opened
    title = (opened.project.name if opened else "") or subject.class_name
    listed = [
        f"- {markdown_code(spec.name)}: {spec.dtype}, shape {list(spec.shape)}. "
        f"{markdown(preprocessing(spec), longest=None)}"
        for spec in interface.inputs
    ]
    return {
        "title": title,
        "name": folder_name(title),
        "network": subject.class_name,
        "about": about_of(subject, interface),
        "run": opened.run.name if opened and opened.run else title,
        "answer": ANSWER if not draws(subject.module, subject.sample) else RANDOM_ANSWER,
        "inputs": "\n".join(line.rstrip() for line in listed),
        "most": str(MOST),
    }


def readme_words(named: Mapping[str, str]) -> dict[str, str]:
    """The same for a text in Markdown."""
    said = {key: markdown(named[key], longest=None) for key in ("title", "about")}
    return {**named, **said}


def _filled(name: str, named: Mapping[str, str]) -> bytes:
    text = files("core.wings.serve.server").joinpath(name).read_text("utf-8")
    return Template(text).substitute(named).encode()


def _quoted(text: str) -> str:
    """Words that stand in a docstring and in a string of Python."""
    return json.dumps(visible(text), ensure_ascii=False)[1:-1]


def _json(value: Any) -> bytes:
    return (json_visible(json.dumps(value, indent=1, ensure_ascii=False)) + "\n").encode()


def _contract(interface: Interface, named: Mapping[str, str]) -> dict[str, Any]:
    document = openapi(interface.json(), named["title"], named["about"], MOST, secured=True)
    paths = {path: document["paths"][path] for path in SERVED}
    return {**document, "paths": paths}


def _sample(subject: Subject, interface: Interface, run: str) -> dict[str, bytes]:
    """A request with one prepared sample, and its response if it is deterministic."""
    columns = tuple(column[:1] for column in subject.sample(1))
    interface_json = interface.json()
    with torch.inference_mode():
        outputs = runner(subject.module, interface_json)(columns, 1)
    sample = {s.name: c[0].tolist() for s, c in zip(interface.inputs, columns, strict=True)}
    length = next(
        (
            c.shape[1]
            for s, c in zip(interface.inputs, columns, strict=True)
            if s.kind == "text" and s.column != "before"
        ),
        0,
    )
    asked = {"sample.json": _json({"samples": [sample], "prepared": True})}
    if draws(subject.module, subject.sample):
        return asked
    answer = {"predictions": answers(interface_json, columns, [length], outputs), "run": run}
    return {**asked, "answer.json": _json(answer)}


def _requirements(interface: Interface) -> str:
    """The versions here, without the label of a build."""
    heard = any(spec.kind == "sound" for spec in interface.inputs)
    names = (*PACKAGES, *(OF_SOUNDS if heard else ()))
    return "".join(f"{name}=={version(name).partition('+')[0]}\n" for name in names)
