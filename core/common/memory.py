"""Memory of the machine: how much is free, and how a process takes no more. No torch.

Linux promises memory that it does not have, and ends some process once that shows: perhaps the
training of somebody else. A limit on our own data makes torch refuse instead, which names the
block and the amount.
"""

import resource
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FIRST_TO_GO = 500  # of 1,000; the workbench itself has 0
_original_limit: list[int] = []  # the limit that this process was started with


def size(count: float) -> str:
    """Bytes for people: 3.2 GB."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def available_bytes() -> int | None:
    """Bytes that may still be taken on this machine, and in our control group; None if unknown."""
    try:
        fields = _fields(Path("/proc/meminfo"), 1024)
        machine = fields["MemAvailable:"] + fields["SwapFree:"]
    except (OSError, KeyError, ValueError):
        return None
    group = _free_in_group()
    return machine if group is None else min(machine, group)


def _free_in_group() -> int | None:
    """What a container leaves us: its limit without what is in use and cannot be given back."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        name = next(line[3:] for line in lines if line.startswith("0::"))
        folder = Path(f"/sys/fs/cgroup{name}")
        limit = int((folder / "memory.max").read_text())  # "max" where there is none
        used = int((folder / "memory.current").read_text())
        return max(0, limit - used + _fields(folder / "memory.stat", 1)["inactive_file"])
    except (OSError, StopIteration, ValueError, KeyError):
        return None


def _fields(path: Path, unit: int) -> dict[str, int]:
    """Lines of a name and a number, as the system writes them."""
    lines = (line.split() for line in path.read_text().splitlines())
    return {line[0]: int(line[1]) * unit for line in lines if len(line) >= 2 and line[1].isdigit()}


def reserve_limit(most: int | None = None) -> None:
    """Take no more memory from here on than is free now, and be the first to go if it runs out.

    most: bytes that may be taken even where more are free.
    Not for a process that uses a GPU: its driver sets aside addresses that are no memory.
    """
    available = available_bytes()
    used = None if available is None else _fields(Path("/proc/self/status"), 1024).get("VmData:")
    if available is None or used is None:
        return
    available = available if most is None else min(available, most)
    if not _original_limit:
        _original_limit.append(resource.getrlimit(resource.RLIMIT_DATA)[0])
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    limits = [
        used + available,
        *(n for n in (_original_limit[0], hard) if n != resource.RLIM_INFINITY),
    ]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
    _step_aside()


def _step_aside(file: Path = Path("/proc/self/oom_score_adj")) -> None:
    """Be the first to go. Where containers go before us already, it stays as it is."""
    with suppress(OSError):  # where the system forbids it, the limit still holds
        if int(file.read_text()) < FIRST_TO_GO:
            file.write_text(str(FIRST_TO_GO))


class Shortage(NamedTuple):
    """Why weights cannot fit, what to do, and the path of the largest node."""

    message: str
    hint: str
    node: str


def shortage(params: Mapping[str, int], copies: int, what: str) -> Shortage | None:
    """Why `copies` of all weights cannot fit into what is free; None where they may.

    params: of each node, by its path in the report. what: the beginning of the sentence, in the
    plural: "Weights and gradients".
    """
    available = available_bytes()
    count = sum(number for path, number in params.items() if "." not in path)
    need = 4 * count * copies
    if available is None or need <= available:
        return None
    largest = max(params, key=lambda path: (params[path], path.count(".")))
    message = f"{what} of {count:,} parameters need at least {size(need)} of memory,"
    message += f" and {size(available)} are free."
    hint = f"Make {largest} smaller: it has {params[largest]:,} of them."
    return Shortage(message, hint, largest)


def run_shortage(params: Mapping[str, int]) -> Shortage | None:
    """Why a run on the processor cannot fit: it refuses with this, and pages say it before."""
    return shortage(params, 3, "Weights, gradients and the best weights")
