"""Calls of pages and commands about profiles. Runs in a worker process, with torch."""

from functools import lru_cache
from typing import Any

from core.common.network_ref import NetworkRef
from core.insight.network_cache import opened
from core.insight.profiling.cost import Profile
from core.insight.profiling.profiler import ProfiledSteps, profile_steps
from core.insight.summary import summary
from core.project import write_text


@lru_cache(maxsize=1)
def _measured(ref: NetworkRef, batch: int) -> ProfiledSteps:
    network = opened(ref)
    return profile_steps(write_text(network.project), network.report, batch)


def profile(ref: NetworkRef, batch: int = 0) -> Profile:
    """Profile training steps. batch: 0 for the project's own; see `profile_steps`."""
    return _measured(ref, batch).profile


def trace(ref: NetworkRef, batch: int = 0) -> str:
    """The trace of the same steps, as Chrome and Perfetto open it."""
    return _measured(ref, batch).trace


def predicted(ref: NetworkRef, batch: int) -> dict[str, Any]:
    """The summary's figures for the same: {"weights", "gradients", "optimizer", "kept"}.

    kept: None where it cannot be predicted.
    """
    network = opened(ref)
    memory = summary(network.report, batch, network.project.training).memory
    return {
        "weights": memory.parameters_bytes,
        "gradients": memory.gradients_bytes,
        "optimizer": memory.optimizer_bytes,
        "kept": memory.kept_for_backward_bytes,
    }
