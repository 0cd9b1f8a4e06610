"""PT2E: torch.export's graph in 8-bit integers, with ranges of values from training samples."""

import copy
import io
import warnings
import zipfile
from typing import TYPE_CHECKING, Any

from core.wings.shrink.way import ReportStep, ShrinkError, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Quantise the exported graph.

    Raises ShrinkError without data, or for what cannot be exported.
    """
    import torch
    from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e

    from core.export.onnx_low_precision import calibration

    samples = calibration(subject)
    if not samples:
        raise ShrinkError(
            "Calibration needs training samples, and there are none here.",
            "Use torchao, 8-bit weights, which needs no samples.",
        )
    prepared = prepare_pt2e(graph_of(subject), quantizer(qat=False))
    with torch.no_grad():
        prepared(*samples)
    return convert(subject, prepared, LINES, compared=True)


def graph_of(subject: "Subject") -> Any:
    """The network as torch.export's graph, for any batch. Raises ShrinkError."""
    import torch

    from core.export.pt2 import free_batch
    from core.export.torchscript import first_line

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.export.export(
                copy.deepcopy(subject.module), subject.sample(2), dynamic_shapes=free_batch(subject)
            )
        return program.module()
    except (RuntimeError, TypeError, ValueError, AssertionError, NotImplementedError) as error:
        message = f"torch.export cannot hold this network: {first_line(error)}"
        raise ShrinkError(message, "Use ONNX, 8-bit, or torchao's weights.") from error


def quantizer(qat: bool) -> Any:
    """The quantiser, for Inductor on Intel CPUs."""
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    config = x86.get_default_x86_inductor_quantization_config(is_qat=qat)
    return x86.X86InductorQuantizer().set_global(config)


def convert(subject: "Subject", prepared: Any, lines: str, compared: bool) -> SmallerNetwork:
    """The quantised graph as a .pt2, which is loaded again. Raises ShrinkError."""
    import torch
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e

    from core.export.pt2 import forget_traces, free_batch
    from core.wings.shrink.drawings import loading_lines

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quantised, buffer = convert_pt2e(prepared), io.BytesIO()
        _forget_floats(quantised)
        program = torch.export.export(
            quantised, subject.sample(2), dynamic_shapes=free_batch(subject)
        )
        program.example_inputs = None
        forget_traces(program)
        torch.export.save(program, buffer)
        loaded = torch.export.load(io.BytesIO(buffer.getvalue())).module()
    content = buffer.getvalue()
    return SmallerNetwork(
        loaded,
        loading_lines(subject) + lines,
        content,
        notes=(timing_note(), weight_share_note(content)),
        compared=compared,
    )


def _forget_floats(graph: Any) -> None:
    """Take away the weights that the graph has in 8 bits now; they would travel in the file."""
    used = {node.target for node in graph.graph.nodes}
    for name in [name for name, _ in graph.named_parameters() if name not in used]:
        owner, _, last = name.rpartition(".")
        delattr(graph.get_submodule(owner), last)


def weight_share_note(content: bytes) -> str:
    """A note on the share of weights in a .pt2; the rest is the graph as text."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        weights = sum(
            member.file_size
            for member in archive.infolist()
            if "/data/" in member.filename and not member.filename.endswith(".json")
        )
    return (
        f"Of its {len(content):,} bytes {weights:,} are weights; the rest is the graph as text, "
        "which grows with the number of blocks, not with their width."
    )


def timing_note() -> str:
    """A note on how the time was measured, and how to get a faster one."""
    import shutil

    compiler = any(shutil.which(name) for name in ("g++", "clang++", "cl"))
    here = "is here" if compiler else "is not on this machine"
    return (
        "Measured without compilation, with rounding in float32. torch.compile uses integers and "
        f"is faster; it needs a C++ compiler, which {here}, and about a minute."
    )


BEGIN = """
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, {prepare}
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

samples = tuple(load_file("samples.safetensors").values())
shapes = tuple({{0: torch.export.Dim("N")}} for _ in samples)
graph = torch.export.export(net, samples, dynamic_shapes=shapes).module()
config = x86.get_default_x86_inductor_quantization_config(is_qat={qat})
prepared = {prepare}(graph, x86.X86InductorQuantizer().set_global(config))
{teach}
quantised = convert_pt2e(prepared)
used = {{node.target for node in quantised.graph.nodes}}
for name in [name for name, _ in quantised.named_parameters() if name not in used]:
    owner, _, last = name.rpartition(".")  # weights that are now 8-bit in the graph
    delattr(quantised.get_submodule(owner), last)
program = torch.export.export(quantised, samples, dynamic_shapes=shapes)
program.example_inputs = None  # otherwise the file contains the samples
torch.export.save(program, "smaller.pt2")
# torch.export.load("smaller.pt2").module() runs it, once torchao is imported as above"""
LINES = BEGIN.format(
    prepare="prepare_pt2e", qat=False, teach="prepared(*samples)  # records the ranges of values"
)
WAY = Way(
    "pt2e",
    "PT2E, 8-bit",
    "torch.export's graph with weights and values in 8 bits, with ranges from training samples, "
    "for torch.compile on CPUs.",
    make,
    ending=".pt2",
    packages=("torchao",),
    usual=False,
)
