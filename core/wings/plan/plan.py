"""A plan: what a training needs of each device, how fast its steps would be, and what would help.

Nothing here imports torch: it is calculated from `HasSizes` and a `StepTime`.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from core.settings.launcher import Sharding, of_processes
from core.settings.step_settings import StepSettings
from core.wings.plan.links import Interconnect, Ring, slowest
from core.wings.plan.memory import DeviceMemory, HasSizes, device_memory, largest_batch, ordered


class Times(Protocol):
    """See `core.wings.plan.step_time`."""

    @property
    def device(self) -> str: ...
    def at(self, batch: int, /) -> float: ...


@dataclass(frozen=True)
class Machines:
    """What a training may use. gpus: of each machine. memory: bytes of a GPU; free: the share of it
    that is left for the CUDA context, fragments and temporary values."""

    gpus: int
    machines: int
    memory: int
    within: Interconnect
    between: Interconnect
    free: float = 0.1

    @property
    def world(self) -> int:
        """The number of processes, one for each GPU."""
        return self.gpus * self.machines

    @property
    def usable(self) -> int:
        """Bytes of a GPU that a training may use."""
        return int(self.memory * (1 - self.free))

    @property
    def link(self) -> Interconnect:
        """The slowest link that gradients pass."""
        return slowest(self.within, self.between, self.machines)


@dataclass(frozen=True)
class PlanOption:
    """One way to train on all processes. helps: what would make it fit, or faster.

    largest_batch: samples that a device can calculate at once. speed_up: over one device that makes
    the same step by itself.
    """

    sharding: Sharding
    memory: DeviceMemory
    fits: bool
    largest_batch: int
    calculation_ms: float
    communication_ms: float
    speed_up: float
    helps: tuple[str, ...] = ()

    @property
    def step_ms(self) -> float:
        return self.calculation_ms + self.communication_ms

    @property
    def steps_per_s(self) -> float:
        return 1000 / self.step_ms if self.step_ms else 0.0


@dataclass(frozen=True)
class Plan:
    """What a step is, and the ways to make it.

    samples: of a step. batch: samples that a process calculates at once; accumulate: how many such
    batches make a step, over all processes. device: where steps were timed. single,
    single_ms: of one device that makes the whole step.
    """

    machines: Machines
    samples: int
    batch: int
    accumulate: int
    device: str
    single_ms: float
    single: DeviceMemory
    ways: tuple[PlanOption, ...]

    @property
    def parts(self) -> str:
        """How many batches of how many samples a step has."""
        return f"{self.accumulate} x {self.batch:,}"

    def json(self) -> dict[str, Any]:
        """The plan as `layerloom plan --json` prints it."""
        ways = [
            {
                **asdict(way),
                "memory": memory_json(way.memory),
                "helps": list(way.helps),
                "step_ms": way.step_ms,
                "steps_per_s": way.steps_per_s,
                "samples_per_s": way.steps_per_s * self.samples,
            }
            for way in self.ways
        ]
        return {
            **asdict(self),
            "machines": {
                "gpus": self.machines.gpus,
                "machines": self.machines.machines,
                "memory_bytes": self.machines.memory,
                "usable_bytes": self.machines.usable,
                "link": asdict(self.machines.link),
            },
            "single": memory_json(self.single),
            "ways": ways,
        }


def memory_json(memory: DeviceMemory) -> dict[str, int]:
    """The parts of a device's memory in bytes, and their sum."""
    return {**asdict(memory), "total": memory.total}


def plan(
    sizes: HasSizes,
    times: Times,
    machines: Machines,
    step: StepSettings,
    precision: str,
) -> Plan:
    """Plan steps of so many samples.

    Raises TrainingError where the processes cannot share them equally.
    """
    world = machines.world
    launcher = of_processes(machines.gpus, machines.machines)
    cut = launcher.cut(step)
    made = Plan(
        machines,
        samples=cut.samples,
        batch=cut.batch_size,
        accumulate=cut.batches,
        device=times.device,
        single_ms=step.batches * times.at(step.batch_size),
        single=device_memory(sizes, "ddp", 1, step.batch_size),
        ways=(),
    )
    shardings: tuple[Sharding, ...] = ("ddp", "fsdp") if world > 1 else ("ddp",)
    ways = tuple(_way(sizes, times, made, sharding, precision) for sharding in shardings)
    return replace(made, ways=ways)


def _way(
    sizes: HasSizes, times: Times, made: Plan, sharding: Sharding, precision: str
) -> PlanOption:
    machines, world = made.machines, made.machines.world
    rounds = made.accumulate // world
    memory = device_memory(sizes, sharding, world, made.batch)
    calculation = rounds * times.at(made.batch)
    communication = 1000 * rounds * communication_s(sizes, sharding, Ring(world, machines.link))
    whole = calculation + communication
    way = PlanOption(
        sharding,
        memory,
        memory.total <= machines.usable,
        largest_batch(sizes, sharding, world, machines.usable),
        calculation,
        communication,
        made.single_ms / whole if whole else 1.0,
    )
    return replace(way, helps=tuple(_helps(sizes, made, way, precision)))


def communication_s(sizes: HasSizes, sharding: Sharding, ring: Ring) -> float:
    """Seconds that processes exchange weights and gradients for one batch of each."""
    if ring.world == 1:
        return 0.0
    if sharding == "ddp" and ordered(sizes):
        return ring.all_gather_s(ring.world * sizes.trained)
    if sharding == "ddp":
        return ring.all_reduce_s(sizes.trained)
    share = sizes.trained / max(sizes.total, 1)
    return sum(
        2 * ring.all_gather_s(size) + ring.reduce_scatter_s(share * size)
        for size in sizes.groups().values()
    )


def _helps(sizes: HasSizes, made: Plan, way: PlanOption, precision: str) -> list[str]:
    """What would make a way fit, or make it faster."""
    machines, advice = made.machines, list[str]()
    if not way.fits:
        advice += _smaller(sizes, made, way, precision)
    if way.communication_ms > way.calculation_ms:
        share = 100 * way.communication_ms / way.step_ms
        advice.append(
            f"Communication takes {share:.0f} % of a step over {machines.link.title}: use a larger "
            "batch, or a faster link."
        )
    return advice


def _smaller(sizes: HasSizes, made: Plan, way: PlanOption, precision: str) -> list[str]:
    machines, advice = made.machines, list[str]()
    over = way.largest_batch == 0
    if over and way.sharding == "ddp" and machines.world > 1:
        fsdp = device_memory(sizes, "fsdp", machines.world, 1)
        if fsdp.total <= machines.usable:
            advice.append(
                "Weights, gradients and optimizer state do not fit on one GPU: shard them with "
                "--sharding fsdp."
            )
    if over and not advice:
        advice.append("One sample does not fit: use GPUs with more memory, or a smaller network.")
    if not over:
        batch = _divisor(made.samples // machines.world, way.largest_batch)
        many = made.samples // batch
        advice.append(
            f"Set batch_size to {batch} and accumulate to {many}: the same {made.samples} samples "
            "per step in smaller batches."
        )
    if precision == "float32":
        advice.append("Set precision to bfloat16: most of what is kept for backward is halved.")
    if way.memory.kept > machines.usable / 2:
        advice.append(
            "Activation checkpointing (torch.utils.checkpoint, in the exported source) keeps less "
            "for backward and calculates it again."
        )
    return advice


def _divisor(samples: int, most: int) -> int:
    """The largest divisor of `samples` up to `most`."""
    return max(n for n in range(1, min(samples, most) + 1) if samples % n == 0)
