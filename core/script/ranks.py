"""What a training file has more when torchrun may start it in several processes.

Batch k of a step belongs to process k mod N. The gradients of all are added in the order of the
batches, so N processes end with the weights of one process that accumulates as many batches.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from core.common.errors import TrainingError
from core.script.excerpt import excerpt
from core.script.learning import Learning
from core.settings.batch_parts import OF_LAYERS, RANDOM, sees_part
from core.settings.step_settings import StepSettings
from core.source.literal import literal

TEXTS = "core.engine.torchrun_functions"
STATISTICS = "core.engine.rank_statistics"
STREAMS = "core.engine.random_streams"
NORMS = "core.engine.synced_norms"
PARTS = "core.settings.batch_parts"
FUNCTIONS = (
    "join_processes",
    "leave_processes",
    "divide_batch",
    "GradientSum",
    "from_rank_0",
    "summed",
)
STATISTICS_IMPORT = "from torch.nn.modules.batchnorm import _BatchNorm, _NormBase"
STREAM_IMPORTS = (
    "import hashlib",
    "from collections.abc import Iterator",
    "from contextlib import contextmanager",
)
CHANGES = re.compile(
    r"BatchNorm|batch_norm\(|track_running_stats|spectral_norm\(|register_buffer\(|Buffer\("
)
"""What makes buffers that a forward pass may change in the text of a network."""
MERGED = re.compile(r"nn\.BatchNorm|track_running_stats")
"""Layers whose running statistics are those of all processes."""
FIRST_OWN = re.compile(r"spectral_norm\(|register_buffer\(|Buffer\(")
IMPORTS = (
    "import math",
    "import os",
    "import sys",
    "import torch.distributed as dist",
    "from typing import Any",
)
USE = (
    "Start it with python, or as N processes with torchrun --nproc-per-node N. They share the "
    "--accumulate batches of each step, or a single batch in N parts."
)
SAME = "The weights are identical to those of one process with the same batches and threads."
DIFFERENT = (
    "The results are close to those of one process with the same batches, not identical: {why}."
)
DRAWS = "several processes draw other random numbers than one"
OTHERS = "buffers that the network changes are those of the first process"
ROUNDED = "Running statistics of its norms are equal to rounding."
STATED = (
    "if rank == 0 and batch_size < args.batch_size:",
    "    print(smaller_batches(args.batch_size, batch_size, accumulate))",
)
SYNCED = (
    "Batch norm sees the whole batches that processes divide, so the results equal those of one "
    "process with the same batches to rounding."
)
LATE = "time.monotonic() >= stop_at"
"""Whether the time limit has passed, in the texts of the step and of the epoch."""
PLACE = "training"


def for_ranks(learning: Learning) -> Learning:
    """The inputs of a file for several processes. Raises TrainingError for what they cannot share.

    These are sparse gradients, and grad_noise where processes draw different random numbers.
    """
    if learning.training["grad_noise"] and draws(learning):
        raise TrainingError(
            PLACE,
            "grad_noise must be the same in every process, but this network draws random numbers.",
            "Set grad_noise to 0, or export the training script for one process.",
        )
    if "sparse=True" in learning.model:
        raise TrainingError(
            PLACE,
            "Several processes cannot add up sparse gradients.",
            "Set sparse of each Embedding to false, or export the script for one process.",
        )
    names = replace(learning.names, batch_size="batch_size", batches="accumulate")
    return replace(learning, ranks=True, names=names)


def draws(learning: Learning) -> bool:
    """Whether training draws random numbers that depend on the batch."""
    noise = learning.info.noise or any(feed.noise for feed in learning.info.feeds)
    return bool(noise or RANDOM.search(learning.model))


def notes(learning: Learning) -> list[str]:
    """Paragraphs of the docstring: how it is started, and what is the same."""
    if not learning.ranks:
        return []
    reasons = {DRAWS: draws(learning), OTHERS: FIRST_OWN.search(learning.model)}
    why = " and ".join(reason for reason, given in reasons.items() if given)
    also = f" {ROUNDED}" if MERGED.search(learning.model) and not why else ""
    same = SYNCED if syncs_norms(learning) else f"{SAME}{also}"
    return [f"{USE} {DIFFERENT.format(why=why) if why else same}"]


def imports(learning: Learning) -> tuple[str, ...]:
    """The import lines that the functions need."""
    if not learning.ranks:
        return ()
    kept = (STATISTICS_IMPORT,) if shares_buffers(learning) else ()
    return (*IMPORTS, *kept, *(STREAM_IMPORTS if draws(learning) else ()))


def shares_buffers(learning: Learning) -> bool:
    """Whether a forward pass may change buffers, so that processes must keep them alike."""
    return learning.ranks and bool(CHANGES.search(learning.model))


def sees_parts(learning: Learning) -> bool:
    """Whether something normalises by the batch, which is smaller where a batch is divided."""
    return learning.ranks and sees_part(learning.model, learning.training["sync_batchnorm"])


def syncs_norms(learning: Learning) -> bool:
    """Whether layers that normalise by the batch see the whole one."""
    asked = learning.ranks and learning.training["sync_batchnorm"]
    return bool(asked and OF_LAYERS.search(learning.model))


def functions(learning: Learning) -> list[str]:
    """The functions by which processes share a step."""
    if not learning.ranks:
        return []
    texts = [excerpt(TEXTS, name) for name in FUNCTIONS]
    if shares_buffers(learning):
        texts += [excerpt(STATISTICS, "NormStatistics"), excerpt(TEXTS, "SharedBuffers")]
    if draws(learning):
        texts += [excerpt(STREAMS, "stream_seed"), excerpt(TEXTS, "own_numbers")]
    if syncs_norms(learning):
        texts += [excerpt(NORMS, "SumOfAll"), excerpt(NORMS, "SyncedNorms")]
    if sees_parts(learning):
        texts.append(excerpt(PARTS, "smaller_batches"))
    return texts


def option(learning: Learning) -> list[tuple[str, str]]:
    """The option for how many batches make a step."""
    if not learning.ranks:
        return []
    default = literal(StepSettings.of(learning.training).batches)
    return [("accumulate", f'type=int, default={default}, help="batches per step"')]


def device_of(learning: Learning) -> str:
    """The device of the settings; with several processes each has a GPU of its own."""
    device = str(learning.training["device"])
    return device.partition(":")[0] if learning.ranks else device


def start_lines(learning: Learning) -> list[str]:
    """Lines that join the processes and divide the batch between them."""
    if not learning.ranks:
        return []
    return [
        "rank, world = join_processes(args.device)",
        "batch_size, accumulate = divide_batch(args, world)",
        *(STATED if sees_parts(learning) else []),
    ]


def first_process_first(learning: Learning, read: list[str]) -> list[str]:
    """Lines that read data; where they download it, the first process does so first."""
    if not learning.ranks or learning.info.package != "torchvision":
        return read
    wait = "    dist.barrier()  # the first process downloads the data"
    return ["if rank > 0:", wait, *read, "if rank == 0 and world > 1:", "    dist.barrier()"]


def set_up_lines(learning: Learning) -> list[str]:
    """Lines that prepare the sum of gradients."""
    if not learning.ranks:
        return []
    lines = ["gradients = GradientSum(model, world)"]
    if shares_buffers(learning):
        lines.append("shared_buffers = SharedBuffers(model, world)")
    if syncs_norms(learning):
        parts = "accumulate // args.accumulate"
        lines.append(f"norms = SyncedNorms(model, rank, world, {parts})")
    return lines


def step_constants(learning: Learning) -> dict[str, Any]:
    """Constants of the step's text. ACCUMULATE: more than one, as it is known when it runs."""
    if not learning.ranks:
        return {}
    return {
        "RANKS": True,
        "ACCUMULATE": 2,
        "SHARES_BUFFERS": shares_buffers(learning),
        "SYNCS_NORMS": syncs_norms(learning),
        "DRAWS": draws(learning),
    }


def step_slots(learning: Learning) -> dict[str, str]:
    """Texts in the step that stand for what is known when it runs."""
    if not learning.ranks:
        return {}
    accumulate = learning.batches
    step = f"epoch * -(-len(loader) // {accumulate}) + number // {accumulate} + 1"
    return {"ACCUMULATE": accumulate, "LAST": "turn == share - 1", "RUN_SEED": "SEED", "STEP": step}


def step_with_turns(learning: Learning, lines: list[str]) -> list[str]:
    """Lines of a step in which `turn` counts its batches, and the first process stops all."""
    if not learning.ranks:
        return lines
    counted = f"number % {learning.batches} =="
    return [
        line.replace(counted, "turn ==").replace(LATE, time_is_over(learning)) for line in lines
    ]


def time_is_over(learning: Learning) -> str:
    """Whether the time limit has passed, as an expression; the first process decides."""
    return f"from_rank_0({LATE})" if learning.ranks else LATE


def sum_lines(learning: Learning) -> list[str]:
    """Lines that add up an epoch's sums over all processes."""
    if not learning.ranks:
        return []
    names = ["train_loss", *(["seen"] if learning.counts else [])]
    return [f"{name} = summed({name}, device)" for name in names]


def from_first_process(statement: str) -> str:
    """A statement `names = call` that takes the results of the first process."""
    names, _, call = statement.partition(" = ")
    return f"{names} = from_rank_0({call})"


def on_first_process(learning: Learning, lines: Iterable[str]) -> list[str]:
    """Lines that print or save, which the first process alone does."""
    if not learning.ranks:
        return list(lines)
    return ["if rank == 0:", *(f"    {line}" for line in lines)]


def end_lines(learning: Learning) -> list[str]:
    """Lines that part the processes."""
    return ["leave_processes(world)"] if learning.ranks else []
