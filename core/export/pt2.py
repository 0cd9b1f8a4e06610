"""Export by torch.export, with a free batch dimension if the network allows it."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from core.export.agreement import compare_outputs
from core.export.error_text import first_line
from core.export.result import CannotHold, ExportedFile
from core.export.subject import Subject


def free_batch(subject: Subject, largest: int | None = None) -> tuple[dict[int, Any], ...]:
    """The dynamic shapes of all inputs: the first dimension is any N, at most `largest`."""
    batch = torch.export.Dim("N", min=1, max=largest) if largest else torch.export.Dim("N")
    return tuple({0: batch} for _ in subject.inputs)


def make_pt2(subject: Subject) -> ExportedFile:
    """Export with a free batch."""
    content = saved_program(subject)
    with _refusals(subject):
        loaded = torch.export.load(io.BytesIO(content)).module()
    return ExportedFile(
        content,
        compare_outputs(subject.module, loaded, subject.sample, subject.batches),
        run=loaded,
    )


def saved_program(subject: Subject, largest: int | None = None) -> bytes:
    """A `torch.export` program as bytes, for batches of any size, or of at most `largest`.

    Raises ExportError.
    """
    buffer = io.BytesIO()
    with _refusals(subject):
        program = torch.export.export(
            subject.fixed, subject.sample(2), dynamic_shapes=free_batch(subject, largest)
        )
        program.example_inputs = None  # else samples travel in the file, as a pickle
        forget_traces(program)
        torch.export.save(program, buffer)
    return buffer.getvalue()


@contextmanager
def _refusals(subject: Subject) -> Iterator[None]:
    """Turn torch's errors about a network into an ExportError, and silence its warnings."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The tensor attributes? self", UserWarning)
            warnings.filterwarnings("ignore", "The given buffer is not writable")  # torch 2.11
            warnings.filterwarnings("ignore", "_check_is_size will be removed", FutureWarning)
            yield
    except (RuntimeError, TypeError, ValueError, AssertionError, NotImplementedError) as error:
        subject.refuse_decisions("torch.export")
        if "Constraints violated" in str(error):
            subject.refuse_size("torch.export")
        raise CannotHold(
            "torch.export cannot hold this network",
            first_line(error),
            _instead(subject, str(error)),
        ) from error


def forget_traces(program: torch.export.ExportedProgram) -> None:
    """Take away where each node was made: lines, folders and addresses in this machine's memory."""
    for part in program.graph_module.modules():
        if isinstance(part, torch.fx.GraphModule):
            for node in part.graph.nodes:
                for key in ("stack_trace", "from_node"):
                    node.meta.pop(key, None)


def _instead(subject: Subject, torch_message: str) -> str:
    """The hint of an error: nn.Transformer reads its mask in every call unless is_causal is set."""
    if "data-dependent" in torch_message and "nn.Transformer" in subject.source:
        return (
            "Set is_causal of its Transformer blocks: true if the mask hides the future, "
            "otherwise false."
        )
    return "Export ONNX or the Python source instead."
