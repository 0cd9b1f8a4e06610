"""Trials before a training starts. Each function runs in a worker process.

text: of the project's file. runs_dir, beside: folders of the runs and of that file, "" for none.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]


def rates(
    training: Mapping[str, Any],
    task: str,
    losses: Sequence[str],
    samples: int,
    factors: Sequence[float],
) -> Json:
    """The learning rate over the epochs, as the schedule sets it."""
    from core.prepare import lr_preview

    return lr_preview.rates(training, task, losses, samples, factors)


def find_lr(text: str, runs_dir: str, beside: str) -> Json:
    """Try learning rates on a project."""
    from core.prepare import lr_finder

    return lr_finder.find_lr(text, runs_dir, beside)


def overfit_one_batch(text: str, runs_dir: str, beside: str) -> Json:
    """Train on one batch only."""
    from core.prepare import overfit_one_batch

    return overfit_one_batch.overfit_one_batch(text, runs_dir, beside)


def try_weights(text: str, runs_dir: str, beside: str) -> Json:
    """Whether the initial weights that a project names fit its network."""
    from core.engine import init_weights

    return init_weights.try_weights(text, runs_dir, beside)


def try_teacher(text: str, runs_dir: str) -> Json:
    """Whether the teacher that a project names suits its network."""
    from core.prepare import teachers

    return teachers.try_teacher(text, runs_dir)
