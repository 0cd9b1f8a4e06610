"""The worker of a rank: what rank 0 does beside its own run, and all that another rank does.

Rank 0 prepares the run first, so that what is wrong with it is reported once and caches are filled
once; then the others read the same folder. They write nothing but their record and their error.
"""

import hashlib
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from core.common.device import CPU
from core.common.errors import Diverged, RunError, TrainingError
from core.common.version import layerloom_version
from core.runs.accelerations import read_accelerations
from core.runs.files import read_json
from core.settings import accelerations
from core.settings.launcher import check_divides
from core.wings.launch.engine.ranked_trainer import GO_ON, RankedTrainer
from core.wings.launch.engine.ranks import RankLost, Ranks
from core.wings.launch.worker import rank_records
from core.wings.launch.worker.rank_build import kind_of_rank, prepare_to_shard, ranked_settings
from core.wings.launch.worker.rank_environment import RankEnvironment, join, rendezvous_file
from core.wings.launch.worker.rank_records import RankRecord
from core.worker.attempt import Attempt
from core.worker.build import TrainerSource, split_on_device
from core.worker.run_inputs import read
from core.worker.run_loop import RunLoop


def train(
    attempt: Attempt,
    environment: RankEnvironment,
    trained: Callable[[Callable[[RunLoop], None]], bool],
) -> int:
    """Train as the first rank; LOST where another one ended without an error of its own.

    trained: see `core.wings.launch.processes`. Raises whatever goes wrong.
    """
    run_dir = attempt.run_dir
    try:
        ranks = meet(run_dir, attempt.spec, environment)
        if not trained(lambda loop: begin_together(loop, ranks)):
            return 0
    except RankLost as lost:
        error = error_of(run_dir, lost)
        if error is lost:
            return rank_records.LOST
        raise error from lost
    leave(run_dir, environment)
    return 0


def meet(run_dir: Path, spec: Mapping[str, Any], environment: RankEnvironment) -> Ranks:
    """Join the other ranks of a run. Raises RunError."""
    if environment.world == 1:
        return Ranks()
    training = spec.get("training", {})
    check_divides(environment.world, training)
    record = RankRecord(run_dir, environment.rank)
    device = str(training.get("device", "auto"))
    cuda = device != CPU and torch.cuda.is_available()
    if cuda and environment.one_machine and torch.cuda.device_count() < environment.world:
        message = f"{environment.world} processes need {environment.world} GPUs, but torch finds "
        message += f"{torch.cuda.device_count()} for them."
        raise TrainingError("training.device", message, "Use fewer processes, or device cpu.")
    record.write(True)
    join(run_dir, environment, cuda)
    record.write(False)
    return Ranks(environment.rank, environment.world, record.write)


def leave(run_dir: Path, environment: RankEnvironment) -> None:
    """Remove the file by which the ranks met, as rank 0."""
    if environment.world > 1 and environment.rendezvous:
        rendezvous_file(run_dir, environment).unlink(missing_ok=True)


def begin_together(loop: RunLoop, ranks: Ranks) -> None:
    """Let the other ranks prepare, and compare what they begin with. Raises RunError."""
    trainer = loop.engine
    if not isinstance(trainer, RankedTrainer):
        return
    ranks.send(GO_ON)
    _agree(ranks, trainer)
    trainer.join(ranks)


def error_of(run_dir: Path, lost: RankLost) -> RunError:
    """The error that another rank has left; `lost` where there is none."""
    left = rank_records.read_error(run_dir)
    if left is None:
        return lost
    rank, error = left
    message, hint = f"Rank {rank}: {error.get('message', '')}", str(error.get("hint", ""))
    if isinstance(step := error.get("step"), int):
        return Diverged(step, message, hint)
    return RunError(str(error.get("subject", "ranks")), message, hint)


def follow(run_dir: Path, environment: RankEnvironment) -> int:
    """Train as another rank than the first; the exit status of the process."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # rank 0 ends the others
    spec = read_json(run_dir / "spec.json")
    attempt = Attempt(run_dir, spec, NoStatus())  # pyright: ignore[reportArgumentType]
    try:
        ranks = meet(run_dir, spec, environment)
        if ranks.receive()[0] == GO_ON:
            trainer = _prepared(attempt)
            _agree(ranks, trainer)
            trainer.join(ranks)
            _followed(trainer)
    except RankLost:
        return rank_records.LOST
    except Exception as error:  # of any kind: rank 0 reports it
        _report(attempt, environment.rank, error)
        return rank_records.REPORTED
    return 0


def _prepared(attempt: Attempt) -> RankedTrainer:
    """The trainer of a run whose first rank is prepared."""
    inputs, state = read(attempt)
    source = TrainerSource(inputs, split_on_device(inputs.data, inputs.device))
    modes = read_accelerations(inputs.run_dir)
    settings = accelerations.resolve_accelerations(inputs.settings, modes)
    trainer = source.make(kind_of_rank(attempt), ranked_settings(settings, attempt))
    prepare_to_shard(trainer, inputs, attempt)
    if state is not None:
        trainer.load_state_dict(state)
    return trainer


def _followed(trainer: RankedTrainer) -> None:
    """Train; what torch refuses as numbers are not finite is a divergence."""
    trainer.follow()
    if trainer.diverged:
        raise trainer.diverged


def _agree(ranks: Ranks, trainer: RankedTrainer) -> None:
    """Compare what ranks begin with, on rank 0. Raises RunError."""
    digest = hashlib.sha256()
    for value in trainer.module.state_dict().values():
        plain = value.detach().cpu().contiguous().reshape(-1)
        digest.update(plain.view(torch.uint8).numpy().tobytes())
    versions = {"torch": str(torch.__version__), "Layerloom": layerloom_version()}
    mine = {**versions, "step": trainer.step, "weights": digest.hexdigest()[:12]}
    first, *others = ranks.gather(mine) or [mine]
    for rank, other in enumerate(others, 1):
        for name, value in first.items():
            if other[name] != value:
                message = f"Rank {rank} begins with {name} {other[name]}, rank 0 with {value}."
                raise RunError("ranks", message, "Use the same versions on all machines.")


def _report(attempt: Attempt, rank: int, error: Exception) -> None:
    """Leave an error to rank 0, its details in log.txt."""
    explained = attempt.explain(error)
    if explained is not error:
        print(f"Rank {rank}:", file=sys.stderr)  # noqa: T201
        traceback.print_exception(error)
    left = {"message": explained.message, "hint": explained.hint, "subject": explained.subject}
    more = {"step": explained.step} if isinstance(explained, Diverged) else {}
    rank_records.write_error(attempt.run_dir, rank, left | more)


@dataclass
class NoStatus:
    """The status of a rank whose run another one reports."""

    fields: dict[str, Any] = field(default_factory=dict)
    attempt: int = 0

    def write(self, **_: Any) -> None:
        """Write nothing."""

    def warn(self, _: str) -> None:
        """Write nothing: rank 0 has the same warning."""
