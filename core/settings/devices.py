"""Names of devices as a project and the command line write them. No torch."""

import re

KINDS = ("auto", "cpu", "cuda", "mps", "xpu")
NUMBERED = r"(?:cuda|xpu):(?:0|[1-9]\d?)"
"""One of several GPUs, counted from 0 as torch does."""


def wants_cuda(name: str) -> bool:
    """Whether a run would train on an NVIDIA GPU if there is one: auto, cuda, cuda:1."""
    return name == "auto" or name.partition(":")[0] == "cuda"


def cuda_index(name: str) -> int | None:
    """The number of the GPU that is named, 1 of "cuda:1"; None where any will do."""
    named = re.fullmatch(NUMBERED, name) and name.startswith("cuda")
    return int(name.partition(":")[2]) if named else None


def other_gpu(name: str) -> str:
    """The one GPU of another maker that is named, "mps" or "xpu:0"; "" for all else."""
    kind = name.partition(":")[0]
    return f"{name}:0" if name == "xpu" else name if kind in ("mps", "xpu") else ""
