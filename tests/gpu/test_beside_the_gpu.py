"""What the processor does while a GPU calculates: how far ahead, at whose cost, on which GPU."""

import time
from typing import Any

import pytest
import torch

from core.common.errors import TrainingError
from core.engine.cuda_graph import LaunchThrottle
from core.engine.sanity_check import sanity_check
from core.runs.status import Status
from core.worker import job_queue
from core.worker.throttle import ViewThrottle
from tests.gpu.engines import engine


@pytest.mark.parametrize(
    ("step_s", "most_s", "looks"), [(0.0001, 0.02, 13), (0.01, 0.2, 107), (2.0, 4.0, 499)]
)
def test_played_steps_are_never_far_ahead_of_the_gpu(
    step_s: float, most_s: float, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Playing takes no time on the processor: a stop would wait for hundreds of steps.

    most_s: of steps that lie before the GPU at any time; looks: at how far it is.
    """
    now, done_at, waits = [100.0], [100.0], list[float]()

    class Event:
        def __init__(self, blocking: bool) -> None:
            assert blocking

        def record(self) -> None:
            self.at = done_at[0]

        def synchronize(self) -> None:
            waits.append(self.at)
            now[0] = max(now[0], self.at)

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    lead, behind = LaunchThrottle(), 0.0
    for _ in range(500):
        now[0] += 0.00002
        done_at[0] = max(done_at[0], now[0]) + step_s
        behind = max(behind, done_at[0] - now[0])
        lead.keep()
    assert behind <= most_s
    assert len(waits) == looks


def test_what_a_gpu_has_still_to_do_is_no_cost_of_looking_at_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else curves of a run on a GPU would get a point every ten seconds only."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)

    def three_seconds_of_steps() -> None:
        now[0] += 3.0

    monkeypatch.setattr(torch.cuda, "synchronize", three_seconds_of_steps)
    rest = ViewThrottle(0.15, 0.01)
    with rest.timed():
        now[0] += 0.001
    assert not rest.due
    now[0] += 0.15
    assert rest.due


@pytest.mark.parametrize(
    ("chosen", "seen"),
    [
        ("1,0", ["1", "0"]),
        ("0,-1,1", ["0"]),
        ("-1", []),
        ("", []),
        ("GPU-8932f937", ["GPU-8932f937"]),
    ],
)
def test_gpus_after_minus_one_are_hidden_as_cuda_hides_them(
    chosen: str, seen: list[str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("nvidia0", "nvidia1"):
        (tmp_path / name).touch()
    monkeypatch.setattr(job_queue, "DEVICES", tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", chosen)
    assert job_queue.gpus() == seen


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."), "CUDA out of"),
        (
            RuntimeError("nll_loss2d_forward does not have a deterministic implementation, but"),
            "2d",
        ),
    ],
)
def test_what_the_gpu_cannot_do_is_no_fault_of_the_loss(
    error: Exception, message: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a batch that is too large would be answered with: choose another loss."""
    made = engine()

    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr(made.objective.main.criterion, "forward", fails)
    with pytest.raises(type(error), match=message):
        sanity_check(made, Status(tmp_path, {}))


def test_a_loss_that_does_not_suit_is_reported_as_ever(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = engine()

    def unlike(*_: Any) -> None:
        raise RuntimeError("sizes do not match")

    monkeypatch.setattr(made.objective.main.criterion, "forward", unlike)
    with pytest.raises(TrainingError, match="CrossEntropyLoss cannot compare outputs"):
        sanity_check(made, Status(tmp_path, {}))
