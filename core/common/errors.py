"""Error classes shared by several rooms, each with a message and a hint."""

from typing import Any


class LayerloomError(Exception):
    """An error that the user can act on. message: what is wrong; hint: what to do about it.

    It reaches other processes whole, whatever the arguments of its class are.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".strip())
        self.message, self.hint = message, hint

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[LayerloomError], args: tuple[Any, ...]) -> LayerloomError:
    """Make an error without calling its constructor; its attributes are set afterwards."""
    return kind.__new__(kind, *args)


class ProjectError(LayerloomError):
    """A project that cannot be read or saved, with the place, the problem and a hint.

    place: the file, then the JSON path or the line ("lenet.loom.json: graph.nodes.conv1.repeat").
    """

    def __init__(self, place: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.place = place

    def __str__(self) -> str:
        return " ".join(part for part in (self.place, self.message, self.hint) if part)


class Conflict(ProjectError):
    """A save refused because the file is no longer the one it started from.

    base: the revision the save started from ("" for a new file); found: the one on disk.
    """

    def __init__(self, place: str, base: str, found: str) -> None:
        super().__init__(place, *_conflict(base, found))
        self.base, self.found = base, found


def _conflict(base: str, found: str) -> tuple[str, str]:
    if not base:
        return (
            "already exists; nothing was saved.",
            "Save under another name, or open that file first.",
        )
    what = f"is now at revision {found[:8]}" if found else "was deleted"
    return (
        f"was opened at revision {base[:8]} but {what}; nothing was saved.",
        "Open the file again, or save yours under another name.",
    )


class RunError(LayerloomError):
    """A run cannot be prepared, started, continued or read.

    subject: what it is about, such as "training.lr" or the run's name.
    """

    def __init__(self, subject: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.subject = subject


class TrainingError(RunError):
    """The training settings, the data and the network do not fit each other."""


def nothing_learns(frozen: bool) -> TrainingError:
    """The error of a run, and of the script of its project, for a network without trainable "
      "weights.

    frozen: whether it has some, all of which are frozen.
    """
    if frozen:
        message = "All weights of the network are frozen."
        return TrainingError("network", message, "Unfreeze a block.")
    message, hint = "The network has no weights to train.", "Add a layer with weights, such as"
    return TrainingError("network", message, f"{hint} Linear.")


class CheckpointError(RunError):
    """A checkpoint is missing, damaged or does not belong to this network."""


class FolderGone(RunError):
    """The folder of a run was deleted or moved while it trained."""


class Diverged(RunError):
    """The loss or a weight is no longer a finite number. `step` is the first bad step."""

    def __init__(self, step: int, what: str, hint: str) -> None:
        super().__init__("loss", what, hint)
        self.step = step


class DataError(LayerloomError):
    """Invalid data, in one sentence with the numbers, and a hint."""


class Unread(DataError):
    """Own data that was not read yet, or has changed since; reading it again helps."""


class SweepError(RunError):
    """A search cannot be begun or continued. subject: the key, or the name of the sweep."""


class ImportRefused(LayerloomError):
    """A model that cannot be imported whole. place: module path and line of the user's source.

    hint: what to do, with the words of the command. advice: the same without those that name an
    option. offers: the options with which it could be drawn.
    """

    def __init__(
        self,
        place: str,
        message: str,
        hint: str = "",
        advice: str = "",
        offers: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, hint)
        self.place = place
        self.advice, self.offers = advice or (hint if not offers else ""), offers

    def __str__(self) -> str:
        return f"{self.place}: {self.message} {self.hint}".strip()


class NoSource(ImportRefused):
    """There is nothing to import: an unknown name, or a file that cannot be read as a model."""
