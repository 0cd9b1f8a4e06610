"""Error messages of training for students: no traceback reaches a page."""

import re
from collections.abc import Mapping
from typing import Any

from core.common.errors import RunError
from core.common.memory import size
from core.engine.step_errors import DETERMINISTIC, is_memory, node_of

_CPU_MEMORY = re.compile(r"allocate memory: you tried to allocate (\d+) bytes")
_GPU_MEMORY = re.compile(r"Tried to allocate ([\d.]+ [KMGT]iB)")


def explain(
    error: BaseException,
    lines: Mapping[str, tuple[int, ...]],
    batch_size: int,
    need: int = 0,
    fixed: int = 0,
) -> RunError:
    """Translate any exception of a run.

    lines: source lines of each node. need: bytes that a step was estimated to take, `fixed` of them
    whatever the batch.
    """
    if isinstance(error, RunError):
        return error
    where = node_of(error, lines)
    at = f" at {where}" if where else ""
    if is_memory(error):
        amount = _requested_amount(error)
        message = f"Memory ran out{at} with a batch of {batch_size} samples{amount}"
        message += f"; a step was estimated to need {size(need)}." if need else "."
        return RunError(where or "memory", message, _smaller_batch_hint(batch_size, need, fixed))
    if "device-side assert" in str(error):
        message = f"A value was out of range on the GPU{at}: a class beyond the outputs, a token"
        hint = "Train once with device cpu to see the value and the block."
        message += " beyond the embedding, or a NaN where a probability is needed."
        return RunError(where or "training", message, hint)
    if "var has negative entry" in str(error):
        message = "GaussianNLLLoss needs variances of at least 0 but received a negative one."
        return RunError(
            "training.losses", message, "Put a Softplus before the Output of the variance."
        )
    if match := DETERMINISTIC.match(str(error)):
        message = f"{where or 'The network'} uses {match[1]}, which has no deterministic"
        hint = "Turn deterministic off, or replace the block."
        return RunError(where or "training", f"{message} algorithm.", hint)
    if message := getattr(error, "message", ""):
        return RunError("data", str(message), str(getattr(error, "hint", "")))
    if isinstance(error, OSError):
        name = f" ({error.filename})" if error.filename else ""
        text = f"A file could not be read or written: {error.strerror or error}{name}."
        return RunError("disk", text, "Free some space, then resume.")
    text = str(error).strip().splitlines() or [""]
    message = f"Training stopped{at}: {type(error).__name__}: {text[0][:300]}"
    return RunError(where or "training", message, "log.txt in the run folder has the details.")


def out_of_memory_message(error: BaseException) -> str:
    """That memory ran out, outside of a run."""
    return f"Memory ran out{_requested_amount(error)}."


def _requested_amount(error: BaseException) -> str:
    text = str(error)
    if match := _CPU_MEMORY.search(text):
        return f", requesting {size(int(match[1]))} more"
    if match := _GPU_MEMORY.search(text):
        return f", requesting {match[1]} more"
    return ""


def _smaller_batch_hint(batch_size: int, need: int, fixed: int) -> str:
    if batch_size > 1 and 2 * fixed <= need:
        return f"Set batch_size to {max(1, batch_size // 2)} or less."
    if fixed:
        return f"Make the network smaller: it needs {size(fixed)} even without a batch."
    return "Make the network smaller, or its input."


def estimate_bytes(report: Any, batch_size: int) -> int:
    """Bytes a step needs: what is there in any case, and what is kept for the backward pass."""
    nodes = [n for path, n in report.nodes.items() if "." not in path]
    activations = sum(node.activation_bytes for node in nodes)
    return fixed_bytes(report) + 2 * batch_size * activations


def fixed_bytes(report: Any, moments: int = 2) -> int:
    """Bytes of weights, gradients and what an optimiser keeps for each of them."""
    return 4 * report.total_params * (2 + moments)
