"""Where a run trains: how many processes, on which machines, started by what.

A run keeps it in spec.json under "launcher"; one that has none trains in one process of this
machine. Nothing here imports torch, so that a page can read it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, Self, get_args

from core.common.errors import RunError, TrainingError
from core.common.json_types import is_object
from core.settings.optimizers import has_trait
from core.settings.step_settings import ACCUMULATE, StepSettings, check_shared

Kind = Literal["local", "torchrun", "ray", "slurm", "ssh"]
Sharding = Literal["ddp", "fsdp"]
SHARDINGS: tuple[str, ...] = get_args(Sharding)
HERE: Final = "local"
SEVERAL: Final = "torchrun"
"""One process of this machine, and several."""
KEY = "launcher"
"""Its name in spec.json."""
RANKED = "ranked"
"""The name in spec.json of whether a run has ever had another number of processes than one."""
MOST_PROCESSES, MOST_MACHINES = 256, 1024


@dataclass(frozen=True)
class Place:
    """Where the processes of a launcher are.

    sends: what starting a run does there, as the rest of a sentence with {0} for the address; "" of
    this machine, where they are children of the supervisor of a run. address: how {0} names it.
    own: whether without an address it is one that is started for the run. named: whether the
    address is what a run there is listed by.
    """

    sends: str = ""
    address: str = "{0}"
    own: bool = False
    named: bool = False


PLACES: dict[str, Place] = {
    HERE: Place(),
    SEVERAL: Place(),
    "ray": Place("would train on the Ray cluster at {0}", own=True),
    "slurm": Place("would be submitted to Slurm{0}", address=", partition {0}"),
    "ssh": Place("would send its data to {0} by ssh", named=True),
}
KINDS = tuple(PLACES)


def is_elsewhere(kind: str) -> bool:
    """Whether the processes of a launcher are not children of the supervisor of a run."""
    return kind in PLACES and bool(PLACES[kind].sends)


@dataclass(frozen=True)
class Launcher:
    """What starts a run. processes: ranks on each machine; address: of a cluster or a machine.

    Raises RunError for a value that it cannot have.
    """

    kind: Kind = "local"
    processes: int = 1
    machines: int = 1
    address: str = ""
    sharding: Sharding = "ddp"

    def __post_init__(self) -> None:
        _one_of("kind", self.kind, KINDS)
        _one_of("sharding", self.sharding, SHARDINGS)
        _count("processes", self.processes, MOST_PROCESSES)
        _count("machines", self.machines, MOST_MACHINES)
        if type(self.address) is not str:
            raise _refused("address", self.address, "a text")

    @property
    def world(self) -> int:
        """The number of ranks, on all machines."""
        return self.processes * self.machines

    @property
    def plain(self) -> bool:
        """Whether it is one process of this machine."""
        return self == Launcher()

    @property
    def shards(self) -> bool:
        """Whether each of several processes keeps a part of the weights."""
        return self.sharding == "fsdp" and self.world > 1

    @classmethod
    def read(cls, spec: Mapping[str, Any]) -> Self:
        """The launcher of a run, by its spec. Raises RunError for one that is not valid."""
        stored = spec.get(KEY)
        if stored is None:
            return cls()
        if not is_object(stored):
            raise _refused("launcher", stored, "an object")
        names = [field.name for field in fields(cls)]
        if unknown := sorted(set(stored) - set(names)):
            message = f"{unknown[0]!r} is not a key of a launcher."
            raise RunError(KEY, message, f"Use {', '.join(names)}.")
        return cls(**stored)

    def as_spec(self) -> dict[str, Any]:
        """What spec.json keeps of it."""
        return asdict(self)

    def cut(self, step: StepSettings) -> StepSettings:
        """Those of a run on all its ranks: the same samples in each step. Raises TrainingError."""
        return step.cut(self.world)


def of_processes(processes: int, machines: int = 1) -> Launcher:
    """The launcher of so many processes on each machine that needs no cluster."""
    return Launcher(SEVERAL if processes * machines > 1 else HERE, processes, machines)


def divided(training: Mapping[str, Any], world: int) -> dict[str, Any]:
    """The settings of a run by which its ranks start: with `batch_parts`, of which batch norm sees
    a batch as one. Raises TrainingError where a batch cannot be divided."""
    if not training.get("sync_batchnorm"):
        return dict(training)
    step = StepSettings.of(training)
    cut = step.cut(world)
    return {**training, **cut.settings(), "batch_parts": cut.batches // step.batches}


def check_divides(world: int, training: Mapping[str, Any]) -> None:
    """Raise TrainingError where ranks cannot share the micro-batches of a step equally.

    training: of a run. Where batch norm sees whole batches, each start divides these anew.
    """
    check_shared(divided(training, world).get(ACCUMULATE, 1), world)


def check_sharding(launcher: Launcher, training: Mapping[str, Any], source: str = "") -> None:
    """Raise TrainingError for settings that cannot train with sharded weights.

    training: resolved settings, or those that a project has. source: of the network, where it is
    known.
    """
    if launcher.sharding != "fsdp":
        return
    optimizer, losses = training.get("optimizer"), training.get("losses") or ()
    reasons = {
        f"at least 2 processes, not {launcher.world}": launcher.world < 2,
        "sync_batchnorm off": training.get("sync_batchnorm"),
        "float32 or bfloat16, not float16": training.get("precision") == "float16",
        "grad_noise 0": training.get("grad_noise"),
        "on_not_finite stop, not skip": training.get("on_not_finite") == "skip",
        f"an optimiser that treats each number alone, not {optimizer}": has_trait(
            training, "whole_rows"
        ),
        "losses that train all weights": any(is_object(e) and e.get("trains") for e in losses),
        "an Embedding with sparse false": "sparse=True" in source,
    }
    if missing := next((text for text, missing in reasons.items() if missing), ""):
        hint = "Change that, or use ddp: each process has all weights."
        raise TrainingError(f"{KEY}.sharding", f"Sharded weights (fsdp) need {missing}.", hint)


def _one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise _refused(name, value, f"one of {', '.join(choices)}")


def _count(name: str, value: object, most: int) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise _refused(name, value, f"a whole number from 1 to {most}")


def _refused(name: str, value: object, expected: str) -> RunError:
    return RunError(f"{KEY}.{name}", f"{name} of a launcher is {value!r}; it must be {expected}.")
