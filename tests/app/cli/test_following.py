"""What the terminal shows of a run that goes on: its own epochs and warnings, each once."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.cli import progress as progress_module
from app.cli import watch_run
from app.cli.progress import Progress
from core.runs.listing import RunView


def lines(folder: Path, *attempts: int) -> None:
    """Metrics of attempts that each wrote the next two epochs."""
    found: list[str] = []
    for number, attempt in enumerate(attempts):
        epochs = [2 * number + 1, 2 * number + 2]
        record = {"attempt": attempt, "kind": "epoch", "epoch": epochs, "val_loss": [0.5, 0.25]}
        found.append(json.dumps(record, separators=(",", ":")) + "\n")
    (folder / "metrics.jsonl").write_text("".join(found))


def test_a_resumed_run_tells_its_own_epochs_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    views = {1: "stopped", 2: "running"}
    now = 1

    def view(folder: Path) -> RunView:
        warnings = ("Continues, but not bit for bit.",) if now == 2 else ()
        return RunView(folder, "x", views[now], attempt=now, warnings=warnings)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr("core.runs.listing.view_run", view)
    progress = Progress()
    lines(tmp_path, 1, 1)
    _, offset = watch_run.show_progress(tmp_path, 0, progress, 2)
    assert (offset, capsys.readouterr().err) == (0, "")
    now = 2
    lines(tmp_path, 1, 2)
    for _ in range(2):
        watch_run.show_progress(tmp_path, 0, progress, 2)
    assert capsys.readouterr().err.splitlines() == [
        "epoch   3  val_loss 0.5",
        "epoch   4  val_loss 0.25",
        "warning: Continues, but not bit for bit.",
    ]


def test_what_a_run_is_got_ready_with_is_printed_once_where_it_takes_a_while(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: now[0])
    shown, view = Progress(), SimpleNamespace(name="lenet-001", phase="", message="")
    for seconds, phase in enumerate(["importing torch", *["compiling the network"] * 6]):
        now[0], view.phase = float(seconds), phase
        shown.phase(view)
    assert capsys.readouterr().err == "lenet-001: compiling the network…\n"
