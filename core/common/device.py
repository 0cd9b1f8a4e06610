"""The kinds of devices that torch calculates on, each with what others need to know of it.

Nothing here imports torch before it is asked what there is. What is true of one is a trait: nothing
outside this file names a kind (`tests/test_declared_names.py`), it asks `has(device, "host")`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

AUTO: Final = "auto"
CPU: Final = "cpu"
CUDA: Final = "cuda"
"""The choice of a run's own machine, the processor, and the GPUs that it and others share out."""
Trait = Literal[
    "host",  # the processor, in whose memory data and results are
    "short",  # it has no numbers of 64 bits, for sums
    "compilable",  # whole steps are compiled for it
    "recordable",  # whole steps are recorded on it, as CUDA graphs
    "asynchronous",  # it works through a queue, for which a clock has to wait
    "pinned",  # it fetches from pinned memory while the processor goes on
    "sized",  # torch tells how much memory it has
    "searched",  # cuDNN may look for its fastest kernel
    "shared",  # the queue, Slurm and Ray hand one out for each process
]


def _cuda() -> int:
    import torch

    return torch.cuda.device_count()


def _xpu() -> int:
    import torch

    return torch.xpu.device_count()


def _mps() -> int:
    import torch

    return int(torch.backends.mps.is_available())


@dataclass(frozen=True)
class Device:
    """A kind of device.

    title: what it is called in a sentence. count: how many of them torch sees. numbered: whether
    one of several has a number, as in cuda:1. called: its name, where torch tells none. products:
    where torch.backends tells in what it calculates products of float32 numbers; override: the
    variable that overrides that.
    """

    name: str
    title: str
    count: Callable[[], int]
    traits: frozenset[Trait]
    numbered: bool = False
    called: str = ""
    products: Mapping[str, str] = field(default_factory=dict[str, str])
    override: str = ""

    def names(self) -> list[str]:
        """Those that torch sees: cuda:0, cuda:1; mps."""
        return [f"{self.name}:{n}" if self.numbered else self.name for n in range(self.count())]


def _traits(*names: Trait) -> frozenset[Trait]:
    return frozenset(names)


KINDS: Mapping[str, Device] = {
    each.name: each
    for each in (
        Device(
            CPU,
            "the processor",
            lambda: 1,
            _traits("host", "compilable"),
            products={"matmul": "mkldnn.matmul", "conv": "mkldnn.conv", "rnn": "mkldnn.rnn"},
        ),
        Device(
            CUDA,
            "an NVIDIA GPU",
            _cuda,
            _traits("recordable", "asynchronous", "pinned", "sized", "searched", "shared"),
            numbered=True,
            products={"matmul": "cuda.matmul", "conv": "cudnn.conv", "rnn": "cudnn.rnn"},
            override="NVIDIA_TF32_OVERRIDE",
        ),
        Device("xpu", "an Intel GPU", _xpu, _traits(), numbered=True),
        Device("mps", "the GPU of a Mac", _mps, _traits("short"), called="Apple GPU"),
    )
}
CHOICES: tuple[str, ...] = (AUTO, *sorted(KINDS))
"""What a project may name."""
NUMBERED: Final = (
    f"(?:{'|'.join(each.name for each in KINDS.values() if each.numbered)}):(?:0|[1-9]\\d?)"
)
"""One of several GPUs, counted from 0 as torch does."""


def kind_of(device: object) -> str:
    """The kind of a device of torch, or of its name: "cuda" of cuda:1."""
    return str(device).partition(":")[0]


def has(device: object, trait: Trait) -> bool:
    """Whether a trait is true of a device, of torch or by its name; of "auto" none is."""
    declared = KINDS.get(kind_of(device))
    return declared is not None and trait in declared.traits


def seen() -> list[str]:
    """The devices that torch sees: cpu, cuda:0, ..., xpu:0, ..., mps."""
    return [name for kind in KINDS.values() for name in kind.names()]


def usual() -> str:
    """What "auto" stands for here: an NVIDIA GPU if there is one."""
    import torch

    return CUDA if torch.cuda.is_available() else CPU


def wants_cuda(name: str) -> bool:
    """Whether a run would train on an NVIDIA GPU if there is one: auto, cuda, cuda:1."""
    return name == AUTO or has(name, "shared")


def cuda_index(name: str) -> int | None:
    """The number of the GPU that is named, 1 of "cuda:1"; None where any will do."""
    named = re.fullmatch(NUMBERED, name) and has(name, "shared")
    return int(name.partition(":")[2]) if named else None


def other_gpu(name: str) -> str:
    """The one GPU of another maker that is named, "mps" or "xpu:0"; "" for all else."""
    declared = KINDS.get(kind_of(name))
    if declared is None or declared.traits & {"host", "shared"}:
        return ""
    return f"{name}:0" if declared.numbered and ":" not in name else name
