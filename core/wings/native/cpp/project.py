"""Export as a C++ project, for libtorch or for ONNX Runtime.

The program in it is the same for every network: it reads samples and PyTorch's outputs from a text
file, runs the network and ends with an error where its outputs differ.
"""

from collections.abc import Sequence
from importlib.resources import files
from string import Template

import torch
from torch import Tensor

from core.common.escaping import markdown, markdown_code
from core.export.archive import folder_name, zip_bytes
from core.export.interface import interface_of, preprocessing
from core.export.onnx import make_onnx
from core.export.parity import refuse_draws, run_seeded, tensors
from core.export.result import CannotHold, ExportedFile, ExportError
from core.export.subject import Subject
from core.export.torchscript import make_script, make_trace

SAMPLES = 4
NOTE = "the network in it was compared here; the program compares it again when you build it"
DTYPES = {torch.float32: "float32", torch.int64: "int64", torch.bool: "bool"}


def make_cpp(subject: Subject) -> ExportedFile:
    """A project for libtorch, with the network in TorchScript."""
    _refuse(subject)
    try:
        made = make_script(subject)
    except ExportError:
        try:
            made = make_trace(subject)
        except CannotHold as error:
            hint = "Export the C++ project for ONNX Runtime instead."
            raise CannotHold(error.start, error.why, hint) from error
    return _project(subject, made, "libtorch", "network.pt")


def make_cpp_onnx(subject: Subject) -> ExportedFile:
    """A project for ONNX Runtime."""
    _refuse(subject)
    return _project(subject, make_onnx(subject), "onnxruntime", "network.onnx")


def _refuse(subject: Subject) -> None:
    hint = "Export ONNX or the Python source instead."
    refuse_draws(subject.module, subject.sample, "its program", hint)


def _project(subject: Subject, made: ExportedFile, kind: str, network: str) -> ExportedFile:
    text = files("core.wings.native.cpp")
    written = {
        "README.md": _readme(subject, kind).encode(),
        "CMakeLists.txt": text.joinpath(f"{kind}.txt").read_bytes(),
        "main.cpp": text.joinpath(f"{kind}.cpp").read_bytes(),
        "sample.h": text.joinpath("sample.h").read_bytes(),
        "sample.txt": sample_text(subject).encode(),
        network: made.content,
    }
    folder = f"{folder_name(_title(subject))}_cpp"
    content = zip_bytes({f"{folder}/{name}": each for name, each in written.items()})
    return ExportedFile(content, made.max_difference, (NOTE, *made.notes), run=made.run)


def sample_text(subject: Subject) -> str:
    """Samples and what the network gives for them, as `values_text` writes them."""
    inputs = subject.sample(SAMPLES)
    with torch.no_grad():
        outputs = list(tensors(run_seeded(subject.module, inputs)))
    return values_text(subject, inputs, outputs)


def values_text(subject: Subject, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> str:
    """Inputs and outputs: of each its name, dtype, number of dimensions, shape, numbers."""
    lines = _values("inputs", list(subject.inputs), inputs)
    return "\n".join([*lines, *_values("outputs", subject.outputs, outputs), ""])


def _values(kind: str, names: Sequence[str], values: Sequence[Tensor]) -> list[str]:
    lines = [f"{kind} {len(values)}"]
    for name, value in zip(names, values, strict=True):
        if value.dtype not in DTYPES:
            raise ExportError(
                f"A C++ project needs float32, int64 or bool, but {name} is {value.dtype}.",
                "Cast it in the drawing, or export ONNX.",
            )
        shape = " ".join(map(str, (value.dim(), *value.shape)))
        lines.append(f"{name} {DTYPES[value.dtype]} {shape}")
        form = ".9g" if value.is_floating_point() else "d"
        lines.append(" ".join(format(number, form) for number in value.flatten().tolist()))
    return lines


def _readme(subject: Subject, kind: str) -> str:
    interface = interface_of(subject)
    ends = [
        f"- {markdown_code(name)}: {signature.dtype} {signature}. "
        f"{markdown(preprocessing(spec), longest=None)}".rstrip()
        for (name, signature), spec in zip(subject.inputs.items(), interface.inputs, strict=True)
    ]
    for spec in interface.outputs:
        named = ", ".join(map(markdown, spec.classes))
        classes = f"; classes in this order: {named}" if named else ""
        ends.append(f"- {markdown_code(spec.name)}: output{classes}")
    template = Template(files("core.wings.native.cpp").joinpath(f"{kind}.md").read_text("utf-8"))
    return template.substitute(
        title=markdown(_title(subject)), ends="\n".join(ends), samples=SAMPLES
    )


def _title(subject: Subject) -> str:
    return (subject.opened.project.name if subject.opened else "") or subject.class_name
