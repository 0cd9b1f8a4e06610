"""What a process of a run on several is built of: its trainer, and settings that they can keep."""

from collections.abc import Mapping
from typing import Any

from core.engine.trainer import Trainer
from core.runs.accelerations import read_accelerations, write_accelerations
from core.settings import accelerations
from core.settings.accelerations import Acceleration
from core.settings.launcher import divided
from core.wings.launch.engine.ranked_trainer import RankedTrainer
from core.worker.attempt import Attempt
from core.worker.build import TrainerSource, Training, checked
from core.worker.run_inputs import RunInputs

CALCULATED = ("compile", "compile_step", "cuda_graph")
"""What several processes of a run do without."""
BY_RANKS = "It is off, as gradients are exchanged between processes in the middle of a step."


def build(source: TrainerSource, attempt: Attempt) -> Training[Trainer]:
    """Build the trainer of a run whose steps several processes make. Raises RunError."""
    inputs = source.inputs
    settings = ranked_settings(settled_for_ranks(source), attempt)
    if asked := [name for name in CALCULATED if inputs.settings[name] == "on"]:
        attempt.event_once("note", f"{', '.join(asked)}: {BY_RANKS}")
    training = checked(source, settings, kind_of_rank(attempt), attempt)
    prepare_to_shard(training.trainer, inputs, attempt)
    return Training(source, settings, training.trainer, training.initial_weights)


def ranked_settings(settings: Mapping[str, Any], attempt: Attempt) -> dict[str, Any]:
    """Settings of a run on several processes: its steps are calculated, whatever is asked for.

    Weights that are sharded by rows keep their usual layout.
    """
    names = (*CALCULATED, "channels_last") if attempt.sharded else CALCULATED
    return {**divided(settings, attempt.world), **dict.fromkeys(names, "off")}


def kind_of_rank(attempt: Attempt) -> type[RankedTrainer]:
    """What a process of a run on several is made of."""
    if not attempt.sharded:
        return RankedTrainer
    from core.wings.launch.engine.sharded_trainer import ShardedTrainer  # it takes long to import

    return ShardedTrainer


def prepare_to_shard(trainer: RankedTrainer, inputs: RunInputs, attempt: Attempt) -> None:
    """Let a trainer know the blocks that are gathered by themselves, where weights are sharded."""
    if attempt.sharded:
        nodes = inputs.network.report.nodes
        trainer.composites = {path for path, node in nodes.items() if node.children}
        trainer.together = f"sharded over {attempt.world} processes"


def settled_for_ranks(source: TrainerSource) -> dict[str, Any]:
    """Settle how to calculate on several processes, for all attempts of the run."""
    inputs = source.inputs
    modes = read_accelerations(inputs.run_dir)
    if not modes:
        text = inputs.network.source
        modes = accelerations.accelerations_of(inputs.settings, inputs.device.type, text)
    for name in CALCULATED:
        asked = inputs.settings[name] == "on" or modes[name].on
        modes[name] = Acceleration(False, BY_RANKS if asked else "")
    write_accelerations(inputs.run_dir, modes)
    return accelerations.resolve_accelerations(inputs.settings, modes)
