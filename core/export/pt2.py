"""Export by torch.export, with a free batch dimension if the network allows it."""

import io
import warnings

import torch

from core.export.parity import compare
from core.export.result import ExportError, Made
from core.export.subject import Subject
from core.export.torchscript import first_line


def free_batch(subject: Subject) -> tuple[dict[int, torch.export.Dim], ...]:
    """The dynamic shapes of all inputs: the first dimension is any N."""
    batch = torch.export.Dim("N")
    return tuple({0: batch} for _ in subject.inputs)


def make_pt2(subject: Subject) -> Made:
    """Export with a free batch."""
    buffer = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The tensor attributes? self", UserWarning)
            warnings.filterwarnings("ignore", "The given buffer is not writable")  # torch 2.11
            warnings.filterwarnings("ignore", "_check_is_size will be removed", FutureWarning)
            program = torch.export.export(
                subject.module, subject.sample(2), dynamic_shapes=free_batch(subject)
            )
            program.example_inputs = None  # else samples travel in the file, as a pickle
            _forget_traces(program)
            torch.export.save(program, buffer)
            loaded = torch.export.load(io.BytesIO(buffer.getvalue())).module()
    except (RuntimeError, TypeError, ValueError, AssertionError, NotImplementedError) as error:
        raise ExportError(
            f"torch.export cannot hold this network: {first_line(error)}",
            _instead(subject, str(error)),
        ) from error
    difference = compare(subject.module, loaded, subject.sample)
    return Made(buffer.getvalue(), difference, run=loaded)


def _forget_traces(program: torch.export.ExportedProgram) -> None:
    """Take away where each node was made: lines and folders of this machine."""
    for part in program.graph_module.modules():
        if isinstance(part, torch.fx.GraphModule):
            for node in part.graph.nodes:
                node.meta.pop("stack_trace", None)


def _instead(subject: Subject, torch_message: str) -> str:
    """The hint of an error: nn.Transformer reads its mask in every call unless is_causal is set."""
    if "data-dependent" in torch_message and "nn.Transformer" in subject.source:
        return (
            "Set is_causal of its Transformer blocks: to true where the mask hides the future, "
            "else to false."
        )
    return "Export ONNX or the Python source instead."
