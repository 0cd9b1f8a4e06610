"""The lines of a training file that choose how a step is calculated."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.engine.accelerations import accelerations_of

if TYPE_CHECKING:
    from core.script.training import Learning

ENVIRONMENT = 'os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # before a GPU is used'


def imports(training: Mapping[str, Any]) -> tuple[str, ...]:
    """The import line that deterministic training needs."""
    return ("import os",) if training["deterministic"] else ()


def deterministic_lines(training: Mapping[str, Any]) -> list[str]:
    """Lines that allow only ways of calculating that give the same bits each time."""
    if not training["deterministic"]:
        return []
    return [ENVIRONMENT, "torch.use_deterministic_algorithms(True)"]


def model_line(learning: "Learning") -> str:
    """The statement that builds the network where it is trained."""
    found = accelerations_of(learning.training, "cpu", learning.model)["channels_last"]
    more = ", memory_format=torch.channels_last" if found.on else ""
    return f"model = {learning.class_name}().to(device{more})"


def set_up_lines(learning: "Learning") -> list[str]:
    """Lines that compile the network and prepare float16."""
    lines = list[str]()
    if learning.training["compile"] == "on":
        lines.append("compiled = torch.compile(model, dynamic=False)  # shares the weights")
    if scaled(learning):
        lines.append("scaler = torch.amp.GradScaler(device.type)")
    return lines


def scaled(learning: "Learning") -> bool:
    """Whether losses are scaled so that their gradients do not vanish in float16."""
    return learning.training["precision"] == "float16"


def trained(learning: "Learning") -> str:
    """What calculates a step: the network, or what it was compiled to."""
    return "compiled" if learning.training["compile"] == "on" else "model"


def calculated(learning: "Learning", compute: list[str]) -> list[str]:
    """The lines that end in a batch's loss, the last of them in the precision that is wanted."""
    precision = learning.training["precision"]
    if precision == "float32":
        return compute
    head = f"with torch.autocast(device.type, torch.{precision}):"
    return [*compute[:-1], head, f"    {compute[-1]}"]


def stepped(learning: "Learning", several: bool) -> list[str]:
    """The lines that move the weights."""
    loop = ["for optimizer in optimizers:"] if several else []
    inner = "    " if several else ""
    if not scaled(learning):
        return [*loop, f"{inner}optimizer.step()"]
    return [*loop, f"{inner}scaler.step(optimizer)", "scaler.update()"]


def unscaled(learning: "Learning", several: bool) -> list[str]:
    """The lines that give gradients their true size before they are clipped."""
    if not scaled(learning):
        return []
    call = "scaler.unscale_(optimizer)"
    return ["for optimizer in optimizers:", f"    {call}"] if several else [call]
