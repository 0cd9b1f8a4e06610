"""The lines of a training file that load initial weights."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.settings.init_weights import FILE

if TYPE_CHECKING:
    from core.script.learning import Learning

NOTE = f"It starts from the weights in {FILE} (needs the package safetensors)."


def has_init_weights(training: Mapping[str, Any]) -> bool:
    """Whether training begins with weights of a file."""
    return bool(training.get("start_from"))


def imports(training: Mapping[str, Any]) -> tuple[str, ...]:
    """The import line that reading them needs."""
    return ("from safetensors.torch import load_file",) if has_init_weights(training) else ()


def option(training: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The option of a script that names the file."""
    return (
        [("start", f'default="{FILE}", help="initial weights"')]
        if has_init_weights(training)
        else []
    )


def load_lines(learning: "Learning") -> list[str]:
    """Lines that load the weights into the model."""
    setting = learning.training.get("start_from")
    if not setting:
        return []
    load = f"load_file({learning.names.start})"
    if not setting["leave_out"]:
        return learning.lines(f"model.load_state_dict({load})")
    return [
        f"# Weights not in the file start at random: {', '.join(setting['leave_out'])[:60]}.",
        *learning.lines(f"model.load_state_dict({load}, strict=False)"),
    ]
