"""Train LeNet: 1,797 handwritten digits in 10 classes, resized from 8x8 to 28x28
pixels: 1,438 training samples, 359 validation samples.

A network of 1998.

Needs torch and scikit-learn. Written by Layerloom; --help lists the options.

Start it with python, or as N processes with torchrun --nproc-per-node N. They share
the --accumulate batches of each step, or a single batch in N parts. The results are
close to those of one process with the same batches, not identical: several
processes draw other random numbers than one.
"""

import argparse
import hashlib
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.modules.batchnorm import _BatchNorm, _NormBase
from torch.utils.data import DataLoader, Sampler, TensorDataset

SEED = 0


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5, padding=2)
        self.bn1 = nn.BatchNorm2d(6)
        self.relu = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=5)
        self.pool2 = nn.MaxPool2d(2)
        self.drop1 = nn.Dropout(0.1)
        self.fc1 = nn.Linear(400, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.conv1(image)  # (N, 6, 28, 28)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.pool1(x)  # (N, 6, 14, 14)
        x = self.conv2(x)  # (N, 16, 10, 10)
        x = self.relu(x)
        x = self.pool2(x)  # (N, 16, 5, 5)
        x = torch.flatten(x, 1)  # (N, 400)
        x = self.drop1(x)
        x = self.fc1(x)  # (N, 64)
        x = self.relu(x)
        return self.fc2(x)  # (N, 10)


def split(labels: Tensor, count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Part samples in two by label (S,), `count` in the second, all in proportion."""
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    rank = torch.arange(len(labels)) * count
    chosen = torch.empty(len(labels), dtype=torch.bool)
    by_class = labels[order].argsort(stable=True)
    chosen[by_class] = (rank + count) // len(labels) > rank // len(labels)
    return order[~chosen], order[chosen]


def load_data() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Training inputs and targets, then validation inputs and targets."""
    data = load_digits()
    images = torch.tensor(data.images, dtype=torch.float32) / 16  # from 0 to 1
    inputs = images.unsqueeze(1)
    labels = torch.tensor(data.target, dtype=torch.int64)
    inputs = F.interpolate(inputs, (28, 28), mode="bilinear", antialias=True)
    train, validation = split(labels, round(len(labels) * 0.2), SEED)
    return inputs[train], labels[train], inputs[validation], labels[validation]


class EpochBatches(Sampler[Tensor]):
    """Batches of an epoch; a last one of one sample joins the one before."""

    def __init__(self, count: int, size: int, seed: int) -> None:
        self.count, self.size, self.seed, self.epoch = count, size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0: the order follows from it and the seed alone."""
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.batches())

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.batches())

    def batches(self) -> list[Tensor]:
        """The batches of the epoch."""
        generator = torch.Generator().manual_seed(1000 * self.seed + self.epoch)
        batches = list(torch.randperm(self.count, generator=generator).split(self.size))
        if len(batches[-1]) == 1 < len(batches[0]):  # batch norm needs two samples
            batches[-2:] = [torch.cat(batches[-2:])]
        return batches


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


class NormStatistics:
    """Running statistics of batch and instance norm, by the batches of all processes.

    A forward pass updates statistics that begin at zero, which gives the share of its
    own batch; the shares of all are applied in the order of the batches.
    """

    def __init__(self, module: nn.Module) -> None:
        self.norms = [
            part
            for part in module.modules()
            if isinstance(part, _NormBase) and part.running_mean is not None
        ]
        self.before: list[tuple[list[Tensor], int]] = []

    @staticmethod
    def kept(norm: _NormBase) -> list[Tensor]:
        """Running mean and variance, and how many batches they are of."""
        found = norm.running_mean, norm.running_var, norm.num_batches_tracked
        return [buffer for buffer in found if buffer is not None]

    @staticmethod
    def uses(norm: _NormBase) -> int:
        """A number that grows by one with each update; instance norm counts none."""
        mean, _, tracked = NormStatistics.kept(norm)
        return int(tracked) if isinstance(norm, _BatchNorm) else mean._version

    @property
    def tensors(self) -> set[int]:
        """Which buffers are theirs, by id."""
        return {id(buffer) for norm in self.norms for buffer in self.kept(norm)}

    def begin(self) -> None:
        """Let the next forward pass give its share alone."""
        self.before = []
        for norm in self.norms:
            buffers = self.kept(norm)
            before = [buffer.clone() for buffer in buffers]
            if norm.training:
                for buffer in buffers:
                    buffer.zero_()
            self.before.append((before, self.uses(norm)))

    def end(self) -> tuple[list[Tensor], list[int]]:
        """The share of each norm, mean and variance in one tensor, and how often it was
        applied; the statistics are as before it."""
        shares: list[Tensor] = []
        uses: list[int] = []
        for norm, (before, used) in zip(self.norms, self.before, strict=True):
            buffers = self.kept(norm)
            shares.append(torch.cat(buffers[:2]))
            uses.append(self.uses(norm) - used if norm.training else 0)
            for buffer, old in zip(buffers, before, strict=True):
                buffer.copy_(old)
        return shares, uses

    def apply(self, shares: list[Tensor], uses: list[int]) -> None:
        """Update the statistics by a batch, as torch does."""
        for norm, share, used in zip(self.norms, shares, uses, strict=True):
            if not used:
                continue
            mean, var, tracked = self.kept(norm)
            total, added = int(tracked) + used, share.double()
            if norm.momentum is not None:
                kept = (1 - norm.momentum) ** used
            elif isinstance(norm, _BatchNorm):  # all batches count alike
                kept = 1 - used / total
                added = added * (used / total)
            else:  # instance norm keeps what it has
                kept = 1.0
            for old, new in zip((mean, var), added.chunk(2), strict=True):
                old.copy_(kept * old.double() + new)
            if isinstance(norm, _BatchNorm):
                tracked.fill_(total)


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


def stream_seed(seed: int, step: int, k: int) -> int:
    """The seed of what micro-batch k of a step draws."""
    digest = hashlib.sha256(f"{seed} {step} {k}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


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


def smaller_batches(batch_size: int, part: int, accumulate: int) -> str:
    """Say what batch norm sees of a batch, and what does the same in one process."""
    return (
        f"Batch norm sees {part} samples at a time, not {batch_size}, so results "
        f"differ from those of one process; one process with batch_size {part} and "
        f"accumulate {accumulate} gives the same. With the setting sync_batchnorm it "
        f"sees all {batch_size}."
    )


@torch.inference_mode()
def evaluate(
    model: nn.Module, criterion: nn.Module, inputs: Tensor, targets: Tensor
) -> tuple[float, float]:
    """Mean loss and accuracy."""
    model.eval()
    loss = total = 0.0
    for x, y in zip(inputs.split(256), targets.split(256), strict=True):
        outputs = model(x)
        loss += criterion(outputs, y).item() * len(y)
        total += (outputs.argmax(1) == y).sum().item()
    return loss / len(targets), total / targets.numel()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--accumulate", type=int, default=1, help="batches per step")
    parser.add_argument(
        "--device", default="cuda" if torch.cuda.is_available() else "cpu"
    )
    parser.add_argument("--out", default="model.pt", help="file for the best weights")
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    rank, world = join_processes(args.device)
    batch_size, accumulate = divide_batch(args, world)
    if rank == 0 and batch_size < args.batch_size:
        print(smaller_batches(args.batch_size, batch_size, accumulate))
    device = torch.device(args.device)
    parts = [part.to(device) for part in load_data()]
    train_x, train_y, val_x, val_y = parts

    batches = EpochBatches(len(train_x), batch_size, SEED)
    loader = DataLoader(
        TensorDataset(train_x, train_y),
        batch_size=None,
        sampler=batches,
        generator=torch.Generator(),
    )
    torch.manual_seed(SEED)
    model = LeNet().to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
    gradients = GradientSum(model, world)
    shared_buffers = SharedBuffers(model, world)

    best = (-1.0, 0.0)
    for epoch in range(args.epochs):
        batches.set_epoch(epoch)
        model.train()
        train_loss = 0.0
        for number, (x, y) in enumerate(loader):
            share = min(accumulate, len(loader) - number // accumulate * accumulate)
            turn = number % accumulate
            if turn % world == rank:
                shared_buffers.begin()
                step = epoch * -(-len(loader) // accumulate) + number // accumulate + 1
                with own_numbers(SEED, step, turn, world):
                    loss = criterion(model(x), y)
                    optimizer.zero_grad()
                    (loss / share).backward()
                    train_loss += loss.item() * len(y)
            if turn % world == world - 1 or turn == share - 1:  # all have one
                gradients.add(turn % world + 1, turn < world)
                shared_buffers.add(turn % world + 1, turn == share - 1)
            if turn == share - 1:
                optimizer.step()
        train_loss = summed(train_loss, device)
        val_loss, accuracy = from_rank_0(evaluate(model, criterion, val_x, val_y))
        if rank == 0:
            print(
                f"epoch {epoch + 1}: train loss {train_loss / len(train_x):.4f}, "
                f"validation loss {val_loss:.4f}, accuracy {accuracy:.2%}"
            )
        if (accuracy, -val_loss) > best:  # of equals, the surer
            best = (accuracy, -val_loss)
            if rank == 0:
                torch.save(model.state_dict(), args.out)
    if rank == 0:
        print(f"Best validation accuracy {best[0]:.2%}; its weights are in {args.out}")
    leave_processes(world)


if __name__ == "__main__":
    main()
