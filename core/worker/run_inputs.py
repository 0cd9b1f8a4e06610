"""The first stage of an attempt: read all that a run folder holds."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from core.analyse import Report
from core.analyse.flop_counter import leave_out_compiler
from core.common import memory
from core.common.device import has
from core.common.errors import RunError
from core.data.batches.dataset import Dataset
from core.engine.distillation import Teacher, teacher_of
from core.engine.load_module import LoadedNetwork, load_network
from core.engine.precision import use_deterministic_algorithms
from core.runs import checkpoint
from core.runs.files import FORMAT, read_json
from core.runs.vocabulary import write_vocabulary
from core.worker import threads
from core.worker.attempt import Attempt
from core.worker.run_data import check_same, check_vocabulary, load_data
from core.worker.run_device import choose_device, device_shown

FROM = "LAYERLOOM_FROM"
"""The variable by which a supervisor names the checkpoint to go on from after a rank has ended."""
State = dict[str, Any]
"""What a checkpoint holds."""


@dataclass(frozen=True)
class RunInputs:
    """What a run folder holds beside its checkpoints.

    settings: of the training, accelerations still open. teacher: None where the run learns from
    the data alone.
    """

    run_dir: Path
    spec: Mapping[str, Any]
    settings: Mapping[str, Any]
    device: torch.device
    network: LoadedNetwork
    data: Dataset
    teacher: Teacher | None


def read(attempt: Attempt) -> tuple[RunInputs, State | None]:
    """Read the folder of a run, and the checkpoint to go on from; None where it begins.

    The checkpoint is apart: as large as the network, it is let go once it is loaded. Raises
    RunError, DataError and OSError.
    """
    run_dir, spec, settings = attempt.run_dir, attempt.spec, attempt.settings
    torch.set_num_threads(threads.read_thread_count(run_dir) or attempt.threads)
    if spec.get("format") != FORMAT:
        message = f"{run_dir.name} has no spec.json of format {FORMAT}."
        raise RunError(run_dir.name, message, "Open it with the version that wrote it.")
    device = choose_device(settings["device"])
    if not (_may_compile(settings, device) or attempt.sharded):  # sharding imports it too
        leave_out_compiler()
    use_deterministic_algorithms(settings["deterministic"], device)
    attempt.status.write(phase="reading the data", device=device_shown(settings, device))
    network = load_network(run_dir)
    attempt.know_network(network.report)
    if has(device, "host"):
        _limit_memory(network.report)
    data = load_data(network, settings["seed"], attempt.status)
    state = _resumed_state(run_dir)
    check_same(state, data)
    check_vocabulary(spec, data, network.project.graph)
    write_vocabulary(run_dir, data.info.origin.vocabulary)
    teacher = teacher_of(run_dir, spec, settings, device)
    return RunInputs(run_dir, spec, settings, device, network, data, teacher), state


def _may_compile(settings: Mapping[str, Any], device: torch.device) -> bool:
    """Whether torch's compiler is needed at the start: not in most runs on a
    processor. One that changes over later imports it then."""
    return "on" in (settings["compile"], settings["compile_step"]) or not has(device, "host")


def _limit_memory(report: Report) -> None:
    """Take no more than is free. Raises RunError where the network cannot fit into that."""
    if short := memory.run_shortage(report.params):
        raise RunError("memory", short.message, short.hint)
    memory.reserve_limit()


def _resumed_state(run_dir: Path) -> State | None:
    """The checkpoint that this attempt goes on from, None where it begins at the start."""
    asked = read_json(run_dir / "control.json").get("from", "last")
    which = os.environ.get(FROM) or str(asked)
    if which == "start" or (which == "last" and not (run_dir / "ckpt/last.pt").exists()):
        return None
    return checkpoint.load(run_dir, which)
