"""What several processes of a run add to its worker; nothing here imports torch."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.wings.launch.worker import rank_records
from core.wings.launch.worker.rank_environment import RankEnvironment

if TYPE_CHECKING:
    from core.engine.trainer import Trainer
    from core.worker.attempt import Attempt
    from core.worker.build import TrainerSource, Training
    from core.worker.run_loop import RunLoop

FOLDER = str(Path(rank_records.__file__).parent)
clear = rank_records.clear


def world() -> int:
    """How many processes train the run of this one. Raises RunError for an invalid environment."""
    return RankEnvironment.of_environment().world


def follows() -> bool:
    """Whether this process is another than the first."""
    return RankEnvironment.of_environment().rank > 0


def follow(run_dir: Path) -> int:
    """Train as another rank than the first, whose run the first one reports; the exit status."""
    from core.wings.launch.worker import rank_worker

    return rank_worker.follow(run_dir, RankEnvironment.of_environment())


def train(attempt: "Attempt", trained: Callable[[Callable[["RunLoop"], None]], bool]) -> int:
    """Train as the first rank; the exit status.

    trained: prepares the run and trains it, and calls what it is given in between; False where it
    stopped before. Raises whatever goes wrong.
    """
    from core.wings.launch.worker import rank_worker

    return rank_worker.train(attempt, RankEnvironment.of_environment(), trained)


def build(source: "TrainerSource", attempt: "Attempt") -> "Training[Trainer]":
    """Build the trainer of a run whose steps several processes make. Raises RunError."""
    from core.wings.launch.worker import rank_build

    return rank_build.build(source, attempt)


def described(run_dir: Path) -> list[dict[str, Any]]:
    """The processes of a run as its status lists them."""
    records = rank_records.read_records(run_dir)
    return [{name: record.get(name) for name in ("rank", "host", "pid")} for record in records]
