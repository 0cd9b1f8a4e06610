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


def nothing_learns(frozen: bool) -> TrainingError:
    """What a run, and the script of its project, say of a network without weights to learn.

    frozen: whether it has some, all of which are frozen.
    """
    if frozen:
        message = "The network has no weights that are not frozen."
        return TrainingError("network", message, "Unfreeze a block.")
    message, hint = "The network has no weights to learn.", "Add a layer with weights, such as"
    return TrainingError("network", message, f"{hint} Linear.")


class CheckpointError(RunError):
    """A checkpoint is missing, damaged or does not belong to this network."""


class FolderGone(RunError):
    """The folder of a run was deleted or moved while it trained: there is nowhere to say so."""


class Diverged(RunError):
    """The loss or a weight is no longer a finite number. `step` is the first bad step."""

    def __init__(self, step: int, what: str, hint: str) -> None:
        super().__init__("loss", what, hint)
        self.step = step
