"""Memory of each device when N processes train: what a run allocates, part by part. No torch.

- `ddp`: every process has all weights, gradients and the optimiser's state. Up to `ORDERED_BYTES` a
  run gathers the gradients of all processes and adds them in their order: its own message, N
  received ones, and the sum. Above, it all-reduces one weight at a time into the sum.
- `fsdp`: PyTorch's `fully_shard` (FSDP2) keeps one shard of weights, gradients and state (ZeRO
  stage 3: Rajbhandari et al., "ZeRO: memory optimizations toward training trillion parameter
  models", 2020). A group of weights is gathered whole while it is used, the next one meanwhile
  (prefetching), and its gradients are whole until they are reduced: two groups, and the gradients
  of one twice (Zhao et al., "PyTorch FSDP: experiences on scaling fully sharded data parallel",
  2023). In a run, the first process also keeps the whole network, for validation and checkpoints.

What is kept for the backward pass, and the batch, are the process's own part in both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from core.engine.ordered_sum import ORDERED_BYTES
from core.settings.launcher import Sharding


class HasBytes(Protocol):
    """See `core.wings.plan.sizes`."""

    @property
    def size(self) -> int: ...
    @property
    def trains(self) -> bool: ...
    def shard(self, world: int, /) -> int: ...


class HasSizes(Protocol):
    """See `core.wings.plan.sizes`."""

    @property
    def weights(self) -> tuple[HasBytes, ...]: ...
    @property
    def buffers(self) -> int: ...
    @property
    def state(self) -> int: ...
    @property
    def kept(self) -> int: ...
    @property
    def sample(self) -> int: ...
    @property
    def temporary(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def trained(self) -> int: ...
    def groups(self) -> Mapping[str, int]: ...


@dataclass(frozen=True)
class DeviceMemory:
    """Bytes of one device. kept: for the backward pass; temporary: within it. batch: samples that
    it calculates at once. whole: the network that the first process keeps beside its shards."""

    weights: int
    gradients: int
    optimizer: int
    communication: int
    kept: int
    temporary: int
    batch: int
    whole: int = 0

    @property
    def fixed(self) -> int:
        """Bytes whatever the batch."""
        state = self.weights + self.gradients + self.optimizer
        return state + self.communication + self.whole

    @property
    def total(self) -> int:
        """All bytes."""
        return self.fixed + self.kept + self.temporary


def device_memory(sizes: HasSizes, sharding: Sharding, world: int, batch: int) -> DeviceMemory:
    """The memory of the device with the largest part, for `batch` samples at once on each."""
    calculated = sizes.kept + batch * sizes.sample, batch * sizes.temporary, batch
    if world == 1 or sharding == "ddp":
        total, trained = sizes.total, sizes.trained
        exchanged = 0 if world == 1 else ddp_buffers(sizes, world)
        return DeviceMemory(total + sizes.buffers, trained, sizes.state, exchanged, *calculated)
    shards = sum(weight.shard(world) for weight in sizes.weights)
    gradients = sum(weight.shard(world) for weight in sizes.weights if weight.trains)
    state = round(sizes.state * gradients / max(sizes.trained, 1))
    largest = sorted(sizes.groups().values(), reverse=True)[:2]
    gathered = sum(largest) + 2 * largest[0] if largest else 0
    weights, whole = shards + sizes.buffers, sizes.total + sizes.buffers
    return DeviceMemory(weights, gradients, state, gathered, *calculated, whole=whole)


def ddp_buffers(sizes: HasSizes, world: int) -> int:
    """Bytes that a run of `world` processes needs to add up gradients, beside the gradients."""
    if ordered(sizes):
        return (world + 1) * sizes.trained
    return max((weight.size for weight in sizes.weights if weight.trains), default=0)


def ordered(sizes: HasSizes) -> bool:
    """Whether a run adds gradients in the order of micro-batches."""
    return sizes.trained <= ORDERED_BYTES


def largest_batch(sizes: HasSizes, sharding: Sharding, world: int, usable: int) -> int:
    """The most samples that a device with so many usable bytes calculates at once; 0 for none."""
    fixed = device_memory(sizes, sharding, world, 0)
    return max(0, (usable - fixed.total) // max(sizes.sample + sizes.temporary, 1))
