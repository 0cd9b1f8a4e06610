"""The lines of a training file that choose how a step is calculated."""

from collections.abc import Mapping
from typing import Any

from core.engine.accelerations import accelerations_of
from core.script.learning import Learning

ENVIRONMENT = 'os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # before a GPU is used'


def imports(training: Mapping[str, Any]) -> tuple[str, ...]:
    """The import line that deterministic training needs."""
    return ("import os",) if training["deterministic"] else ()


def deterministic_lines(training: Mapping[str, Any]) -> list[str]:
    """Lines that allow only ways of calculating that give the same bits each time."""
    if not training["deterministic"]:
        return []
    return [ENVIRONMENT, "torch.use_deterministic_algorithms(True)"]


def model_line(learning: Learning) -> str:
    """The statement that builds the network where it is trained."""
    channels_last = accelerations_of(learning.training, "cpu", learning.model)["channels_last"]
    more = ", memory_format=torch.channels_last" if channels_last.on else ""
    return f"model = {learning.class_name}().to(device{more})"


def set_up_lines(learning: Learning) -> list[str]:
    """Lines that compile the network and prepare float16."""
    lines = list[str]()
    if learning.training["compile"] == "on":
        lines.append("compiled = torch.compile(model, dynamic=False)  # shares the weights")
    if learning.training["precision"] == "float16":
        lines.append("scaler = torch.amp.GradScaler(device.type)")
    return lines


def trained(learning: Learning) -> str:
    """What calculates a step: the network, or what it was compiled to."""
    return "compiled" if learning.training["compile"] == "on" else "model"
