"""Which checkpoint of a run is meant: best, last, previous, a kept epoch, or a step. No torch."""

from pathlib import Path

from core.common.errors import CheckpointError
from core.runs import checkpoint, checkpoint_records

WEIGHTS_ONLY = (
    "The best checkpoint has weights but no optimiser state, so a run cannot resume from it; "
    "with keep_best of 2 or more a run keeps complete checkpoints of its best epochs."
)


def choices(run_dir: Path) -> list[tuple[str, int]]:
    """The checkpoints whose files are there, with their steps; the newest ones first."""
    names = ("last", "previous", "best", *checkpoint.epochs(run_dir))
    there = [name for name in names if checkpoint.path_of(run_dir, name).is_file()]
    records = [(name, checkpoint_records.recorded(run_dir, name)) for name in there]
    return [(name, record["step"]) for name, record in records if record]


def checkpoint_of(run_dir: Path, choice: str) -> str:
    """The name of the checkpoint that is meant, a number being its step. Raises CheckpointError."""
    if not choice.isdecimal():
        checkpoint.path_of(run_dir, choice)
        return choice
    names = [name for name, step in choices(run_dir) if step == int(choice)]
    if not names:
        message = f"{run_dir.name} has no checkpoint of step {int(choice):,}."
        raise CheckpointError(choice, message, _there(run_dir))
    return names[0]


def whole_checkpoint_of(run_dir: Path, choice: str) -> str:
    """Like `checkpoint_of`, for going on: where best.pt is meant, the whole one of its step.

    Raises CheckpointError where there is none.
    """
    name = checkpoint_of(run_dir, choice)
    if name != "best":
        return name
    known = choices(run_dir)
    steps = [step for other, step in known if other == "best"]
    whole = [other for other, step in known if other != "best" and step in steps]
    if not whole:
        missing = WEIGHTS_ONLY if steps else "There is no best checkpoint."
        raise CheckpointError(choice, missing, _there(run_dir))
    return whole[0]


def _there(run_dir: Path) -> str:
    listed = ", ".join(f"{name} (step {step:,})" for name, step in choices(run_dir))
    return f"Available: {listed}." if listed else "Start the run again from the beginning."
