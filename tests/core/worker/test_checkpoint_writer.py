"""A checkpoint that somebody asks for is written at once, and the run goes on."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.common.errors import RunError
from core.runs.checkpoint_records import recorded
from core.runs.listing import read_events, view_run
from core.worker import launch
from core.worker.launch import start
from tests.core.small_runs import ended, until


@pytest.mark.slow
def test_a_checkpoint_is_written_when_it_is_asked_for(small_run: Callable[..., Path]) -> None:
    run_dir = small_run(epochs=5000, checkpoint_every_s=86_400.0)
    with pytest.raises(RunError, match="is not running, so there is no new checkpoint to save"):
        launch.request_checkpoint(run_dir)
    start(run_dir)
    until(run_dir, lambda view: view.epoch >= 1)
    for count in (1, 2):
        launch.request_checkpoint(run_dir)
        until(run_dir, lambda _, n=count: len(_said(run_dir)) == n)
        text = _said(run_dir)[-1].removeprefix("Checkpoint at step ")
        step = int(text.removesuffix(", as asked for."))
        until(run_dir, lambda _, n=step: (recorded(run_dir, "last") or {}).get("step") == n)
    assert view_run(run_dir).state == "running"
    launch.stop(run_dir)
    assert until(run_dir, ended).state == "stopped"
    assert len(_said(run_dir)) == 2


def _said(run_dir: Path) -> list[str]:
    return [event["message"] for event in read_events(run_dir) if event["kind"] == "checkpoint"]


@pytest.mark.slow
def test_a_checkpoint_asked_for_before_the_first_step_is_written(
    small_run: Callable[..., Path],
) -> None:
    run_dir = small_run(epochs=5000, checkpoint_every_s=86_400.0)
    start(run_dir)
    launch.request_checkpoint(run_dir)  # its worker imports torch now
    until(run_dir, lambda _: bool(_said(run_dir)))
    launch.stop(run_dir)
    assert until(run_dir, ended).state == "stopped"
    launch.resume(run_dir)  # what was written is not written again
    until(run_dir, lambda view: view.state == "running")
    launch.stop(run_dir)
    until(run_dir, ended)
    assert len(_said(run_dir)) == 1
