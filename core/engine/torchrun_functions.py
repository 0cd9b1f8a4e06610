"""Functions of a training file that torchrun may start in several processes, word for word.

No module imports them: `core.script.ranks` copies their text. Each works in one process too.
"""

import argparse
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from core.engine.random_streams import stream_seed
from core.engine.rank_statistics import NormStatistics


def join_processes(device: str) -> tuple[int, int]:
    """Rank of this process and number of processes: 0 of 1 without torchrun."""
    if "RANK" not in os.environ:
        return 0, 1
    if device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if device == "cuda" else "gloo")
    return dist.get_rank(), dist.get_world_size()


def leave_processes(world: int) -> None:
    """End this process, one of several: its threads may abort an ordinary exit."""
    if world > 1:
        dist.destroy_process_group()
        sys.stdout.flush()
        os._exit(0)


def divide_batch(args: argparse.Namespace, world: int) -> tuple[int, int]:
    """Batch size, and batches per step, which all processes can share equally."""
    parts = world // math.gcd(args.accumulate, world)
    if args.batch_size % parts:
        batch = f"A batch of {args.batch_size} samples"
        raise SystemExit(f"{batch} cannot be divided into {parts} equal parts.")
    return args.batch_size // parts, args.accumulate * parts


class GradientSum:
    """Adds the gradients of all batches of a step, whichever process computed them.

    In the order of the batches, as one process adds them, so the sums are identical.
    """

    def __init__(self, model: nn.Module, world: int) -> None:
        self.weights = [w for w in model.parameters() if w.requires_grad]
        self.world, self.total = world, torch.empty(0)

    def add(self, count: int, first: bool) -> None:
        """Add the gradients of the first `count` processes; `first`: of a step."""
        flat = self.flat()
        parts = [flat]
        if self.world > 1:
            parts = [torch.empty_like(flat) for _ in range(self.world)]
            dist.all_gather(parts, flat)
        for part in parts[:count]:
            self.total = part if first else self.total + part
            first = False
        many = len(self.weights)
        sums = self.total[:-many].split([weight.numel() for weight in self.weights])
        used = self.total[-many:].tolist()
        for weight, grad, count in zip(self.weights, sums, used, strict=True):
            weight.grad = None
            if count:
                weight.grad = torch.empty_like(weight).copy_(grad.view_as(weight))

    def flat(self) -> Tensor:
        """All gradients in a row, then 1 for each weight that has one, else 0."""
        grads = [weight.grad for weight in self.weights]
        pairs = zip(self.weights, grads, strict=True)
        rows = [w.new_zeros(w.numel()) if g is None else g.flatten() for w, g in pairs]
        return torch.cat([*rows, rows[0].new_tensor([g is not None for g in grads])])


class SharedBuffers(NormStatistics):
    """Keeps buffers alike in all processes: statistics are those of all batches.

    Other buffers that a forward pass changes are those of the first process.
    """

    def __init__(self, model: nn.Module, world: int) -> None:
        super().__init__(model)
        self.world, own = world, self.tensors
        self.others = [b for b in model.buffers() if id(b) not in own]
        self.versions = [buffer._version for buffer in self.others]

    def begin(self) -> None:
        """Let the next forward pass give its share alone; one process has it all."""
        if self.world > 1:
            super().begin()

    @torch.no_grad()
    def add(self, count: int, last: bool) -> None:
        """Apply the shares of the first `count` processes; `last`: of a step."""
        if self.world > 1 and self.norms:
            self.add_statistics(count)
        if self.world > 1 and last and self.others:
            self.send_others()

    def add_statistics(self, count: int) -> None:
        """Exchange the shares of a batch each; a process that had none sends zeros."""
        shares = [torch.cat(self.kept(norm)[:2]) * 0 for norm in self.norms]
        uses = [0] * len(shares)
        if self.before:
            shares, uses = self.end()
        self.before = []
        row = torch.cat([share.double() for share in shares])
        row = torch.cat([row, row.new_tensor(uses)])
        rows = [torch.empty_like(row) for _ in range(self.world)]
        dist.all_gather(rows, row)
        for each in rows[:count]:
            *parts, used = each.split([*(len(share) for share in shares), len(shares)])
            self.apply(parts, [int(number) for number in used])

    def send_others(self) -> None:
        """Send the other buffers that the first process has changed in this step."""
        pairs = zip(self.others, self.versions, strict=True)
        changed = from_rank_0([buffer._version != old for buffer, old in pairs])
        for buffer, sent in zip(self.others, changed, strict=True):
            if sent:
                dist.broadcast(buffer, 0)
        self.versions = [buffer._version for buffer in self.others]


@contextmanager
def own_numbers(seed: int, step: int, turn: int, world: int) -> Iterator[None]:
    """Let a batch draw its own random numbers, whichever of several processes has it.

    One process draws on, as without others.
    """
    if world == 1:
        yield
        return
    used = [torch.cuda.current_device()] if torch.cuda.is_initialized() else []
    with torch.random.fork_rng(used):
        torch.manual_seed(stream_seed(seed, step, turn))
        yield


def from_rank_0(value: Any) -> Any:
    """The value that process 0 has, so that all go on with the same."""
    values = [value]
    if dist.is_initialized():
        dist.broadcast_object_list(values)
    return values[0]


def summed(value: float, device: torch.device) -> float:
    """The sum over all processes."""
    if not dist.is_initialized():
        return value
    total = torch.tensor(value, dtype=torch.float64, device=device)
    dist.all_reduce(total)
    return total.item()
