"""A run in a real Chromium: held and let go on, found again after a reload and a dead server."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.runs.listing import read_events, view_run
from core.worker import launch
from tests.browser.conftest import ROOT, end, free_port, wait_for
from tests.browser.rest import until
from tests.browser.test_runs_and_files import fill, press, to_training


def begun(page: Page, address: str, runs: Path) -> Path:
    """Start a run that lasts; its folder once it trains."""
    to_training(page, address)
    fill(page, "spinbutton", "Epochs", "3000")
    before = set(runs.glob("*")) if runs.exists() else set()
    press(page, "Train")
    expect(page.get_by_test_id("run-state")).to_have_text("Training")
    (run_dir,) = set(runs.glob("*")) - before
    expect(page).to_have_url(re.compile(f"run={run_dir.name}"))
    return run_dir


def steps_on(page: Page, run_dir: Path) -> None:
    """Wait until the run has made another step."""
    at = view_run(run_dir).step
    until(page, lambda: view_run(run_dir).step > at, f"still at step {at}")


def asked_for(run_dir: Path) -> bool:
    """Whether a checkpoint was written as somebody asked for it."""
    return any(event["kind"] == "checkpoint" for event in read_events(run_dir))


def test_a_run_is_held_goes_on_and_is_found_after_a_reload(page: Page, server) -> None:
    run_dir = begun(page, server.address, server.runs)
    state = page.get_by_test_id("run-state")
    try:
        press(page, "Pause")
        expect(state).to_have_text("Paused")
        held = view_run(run_dir).step
        page.wait_for_timeout(500)
        assert view_run(run_dir).step == held
        press(page, "Resume")
        expect(state).to_have_text("Training")
        steps_on(page, run_dir)
        page.reload()
        expect(state).to_have_text("Training")
        expect(page.get_by_test_id("curve-loss")).to_be_visible()
        assert view_run(run_dir).attempt == 1
        press(page, "Checkpoint")
        until(page, lambda: asked_for(run_dir), "no checkpoint was written")
        expect(state).to_have_text("Training")
        press(page, "Stop")
        expect(state).to_have_text("Stopped")
    finally:
        launch.stop(run_dir, grace_s=10)


def served(home: Path, port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "app.cli", "open", "--no-browser", "--port", str(port)]
    environment = os.environ | {"LAYERLOOM_HOME": str(home / "home"), "PYTHONPATH": str(ROOT)}
    with (home / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, "--runs", str(home / "runs")], cwd=home, env=environment,
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
    wait_for(f"http://localhost:{port}", process, home / "server.log")
    return process


@pytest.mark.slow
def test_a_run_outlives_the_server_and_the_next_one_shows_it(page: Page, tmp_path: Path) -> None:
    port = free_port()
    process, run_dir = served(tmp_path, port), None
    try:
        run_dir = begun(page, f"http://localhost:{port}", tmp_path / "runs")
        place = page.url
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        steps_on(page, run_dir)
        process = served(tmp_path, port)
        page.goto(place)
        expect(page.get_by_test_id("run-state")).to_have_text("Training")
        steps_on(page, run_dir)
        assert view_run(run_dir).attempt == 1
        press(page, "Stop")
        expect(page.get_by_test_id("run-state")).to_have_text("Stopped")
    finally:
        end(process)
        if run_dir:
            launch.stop(run_dir, grace_s=10)
