"""The test of a run: once, when it has ended, with the weights of its best epoch.

Nothing is chosen by what it says: neither an epoch, nor a schedule, nor the best trial of a sweep.
"""

import traceback
from collections.abc import Mapping
from typing import Any

from core.data.batches.dataset import Dataset
from core.engine.nonfinite_errors import REFUSALS
from core.engine.trainer import Trainer
from core.engine.trainer_factory import on_device
from core.runs.jsonl import number
from core.runs.status import Status


def tested(engine: Trainer, data: Dataset, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The metrics of the test part, how many samples it has, whose weights, and how often so far.

    before: what the same said when the run ended earlier.
    """
    metrics = engine.test(on_device(data.all_test(), next(engine.module.parameters()).device))
    return {
        "metrics": {name: number(value) for name, value in metrics.items()},
        "samples": data.info.test_size,
        "epoch": engine.best["epoch"] if engine.best else engine.epoch,
        "times": (before or {}).get("times", 0) + 1,
    }


def note_test(engine: Trainer, data: Dataset, status: Status) -> None:
    """Test, where there is a part to test with; what goes wrong costs the figures, not the run."""
    if not data.info.parts.tests:
        return
    try:
        status.fields["test"] = tested(engine, data, status.fields.get("test"))
    except REFUSALS as error:
        traceback.print_exception(error)
        text = str(error).strip().splitlines() or [type(error).__name__]
        status.warn(f"The test part could not be evaluated: {text[0][:200]}")
