"""What can go wrong with a run, each said in one sentence with its numbers and a hint."""


class RunError(Exception):
    """A run cannot be prepared, started, continued or read.

    subject: what it is about, such as "training.lr" or the run's name.
    """

    def __init__(self, subject: str, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".strip())
        self.subject = subject
        self.message = message
        self.hint = hint


class TrainingError(RunError):
    """The training settings, the data and the network do not fit each other."""


class CheckpointError(RunError):
    """A checkpoint is missing, damaged or does not belong to this network."""


class Diverged(RunError):
    """The loss or a weight is no longer a finite number. `step` is the first bad step."""

    def __init__(self, step: int, what: str, hint: str) -> None:
        super().__init__("loss", what, hint)
        self.step = step
