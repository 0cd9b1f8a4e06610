"""A run whose project names a device of another machine fails with one message and a way out."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import watch_run
from core.runs.verdict import verdict_of
from core.worker import run_device
from tests.core.small_runs import train_here


def test_a_run_on_a_gpu_that_is_not_here_says_what_is(
    iris_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(run_device, "seen", lambda: ["cpu"])
    run_dir = iris_run(device="cuda:1")
    view = train_here(run_dir)
    assert (view.state, view.message, view.hint) == (
        "failed",
        "The run needs cuda:1, but torch finds no GPU on this machine.",
        'Set device to one of "auto", "cpu".',
    )
    capsys.readouterr()
    assert watch_run.report_end(view, verdict_of(run_dir, view)) == 1
    assert capsys.readouterr().err.splitlines()[1:] == [
        "The run needs cuda:1, but torch finds no GPU on this machine.",
        '  hint: Set device to one of "auto", "cpu".',
    ]
