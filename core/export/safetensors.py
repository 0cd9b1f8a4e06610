"""Export the weights alone as safetensors, named by block; no code."""

import safetensors.torch
import torch

from core.analyse import build
from core.export.agreement import compare_outputs
from core.export.result import ExportedFile, ExportError
from core.export.subject import Subject
from core.runs.vocabulary import digest_of, read_vocabulary


def make_safetensors(subject: Subject) -> ExportedFile:
    """Write the `state_dict`, read it back into a fresh module and compare exactly."""
    state = {k: v.detach().clone().contiguous() for k, v in subject.module.state_dict().items()}
    if not state:
        raise ExportError(
            "This format needs weights, and the network has none.", "Export the Python source."
        )
    run = subject.opened.run if subject.opened else None
    tokens = digest_of(read_vocabulary(run)) if run else ""
    about = {"class": subject.class_name, **({"vocabulary": tokens} if tokens else {})}
    content = safetensors.torch.save(state, about)
    again = safetensors.torch.load(content)
    for key, value in state.items():
        if not torch.equal(again[key].nan_to_num(), value.nan_to_num()):
            raise ExportError(
                f"{key} changed when it was read back from the file.", "Export again."
            )
    with torch.random.fork_rng(devices=[]):
        fresh = build(subject.source, subject.class_name).eval()
    fresh.load_state_dict(again)
    return ExportedFile(
        content, compare_outputs(subject.module, fresh, subject.sample, subject.batches)
    )
