"""The setting start_from: the initial weights of a run. No torch is imported."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.common.errors import TrainingError
from core.common.json_types import is_array, is_object
from core.project.model import Project
from core.project.values import frozen

PLACE = "training.start_from"
FILE = "start.safetensors"
"""The file of the initial weights in a run folder, under the keys of its network."""
LONGEST_NAME = 200
WHICH = ("best", "last")
HINT = 'Write {"run": "NAME"} or {"weights": "FILE.safetensors"}.'


def read_init_weights(value: Any) -> dict[str, Any] | None:
    """Check the setting and fill in its defaults; None: weights begin at random.

    Raises TrainingError naming what it needs.
    """
    if value is None:
        return None
    if not is_object(value) or ("run" in value) == ("weights" in value):
        raise TrainingError(PLACE, f"{PLACE} needs a run or a file of weights.", HINT)
    for key in value:
        if key not in ("run", "which", "weights", "leave_out"):
            raise TrainingError(PLACE, f"{PLACE} has no setting {str(key)[:60]!r}.", HINT)
    source = "run" if "run" in value else "weights"
    settings: dict[str, Any] = {source: _bare(value[source], f"{PLACE}.{source}")}
    if source == "weights" and not settings[source].endswith(".safetensors"):
        message = f"{PLACE}.weights needs a safetensors file but receives {settings[source]}."
        raise TrainingError(PLACE, message, "Other formats can run code when they are opened.")
    if source == "run":
        settings["which"] = value.get("which", "best")
        if settings["which"] not in WHICH:
            message = f"{PLACE}.which needs best or last but receives {settings['which']!r:.60}."
            raise TrainingError(PLACE, message)
    return {**settings, "leave_out": _names(value.get("leave_out", ()))}


def is_bare(name: str) -> bool:
    """Whether a text can name a file beside another: no folder, drive, share or hidden file."""
    return bool(name) and not name.startswith(".") and not set(name) & set("/\\:\0")


def _bare(value: Any, key: str) -> str:
    """A name without folders: weights lie beside the project, runs among the others."""
    if not isinstance(value, str) or not is_bare(value) or len(value) > LONGEST_NAME:
        message = f"{key} needs a name without folders but receives {str(value)[:60]!r}."
        raise TrainingError(key, message, HINT)
    return value


def _names(value: Any) -> list[str]:
    key = f"{PLACE}.leave_out"
    if not is_array(value) or not all(isinstance(v, str) and v for v in value):
        raise TrainingError(key, f"{key} needs a list of blocks.", 'Write it as ["fc"].')
    return list(dict.fromkeys(value))


def beginning_with(project: Project, weights: str) -> Project:
    """The project, whose training begins with the weights of a file beside it."""
    training = frozen({**project.training, "start_from": {"weights": weights}})
    return replace(project, training=training)


def describe(loaded: Mapping[str, Any], began: bool = False) -> str:
    """One sentence on the initial weights. began: they are those of the run it branched from."""
    left = (
        f"; {', '.join(loaded['left_out'])} starts from random weights"
        if loaded["left_out"]
        else ""
    )
    unused = f"; {loaded['unused']} of its tensors are not used" if loaded["unused"] else ""
    words = "The run it branched off from started with" if began else "Starts with"
    return f"{words} {loaded['from']}: {loaded['loaded']} tensors{left}{unused}."
