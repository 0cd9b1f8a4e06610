"""Trials that train elsewhere: who may send them there, and what a lost cluster does."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import RunError, SweepError
from core.runs.files import read_json
from core.runs.listing import view_run
from core.settings.launcher import Launcher
from core.wings.sweep import claims, driver, results, start, trial_jobs, trials
from core.wings.sweep.files import entered, read_request
from core.wings.sweep.sweep import Sweep
from core.worker import launch
from core.worker.launcher_trust import trust
from tests.core.small_runs import project, table_net

ray_launcher = pytest.importorskip("core.wings.launch.ray_launcher")
report_end = pytest.importorskip("core.wings.launch.remote_job").report_end
IRIS = project(table_net(4, 3), {"source": "iris"}, optimizer="SGD", epochs=2, threads=1)
RAY = Launcher("ray", address="box:6379")
SEARCH = ["fc1.out_features=4,8"]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the cluster answers: the last element."""
    state = [True]

    def check(_: Launcher) -> None:
        if not state[-1]:
            raise RunError("address", "No Ray cluster answers at box:6379: Connection refused.")

    monkeypatch.setattr(ray_launcher, "check", check)
    return state


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sweep]:
    """A sweep whose trials train on Ray; no process is started."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(launch, "_launch", lambda *_: 0)
    asked = start.request_of(IRIS, None, SEARCH, 2, {}, launcher=RAY.as_spec())
    folder = entered(tmp_path / "runs", asked, IRIS)
    with start.open_study(folder, tmp_path / "runs") as opened:
        yield opened


def rows(sweep: Sweep) -> list[tuple[str, str]]:
    """State and reason of each trial."""
    found = sorted(results.document(sweep)["trials"], key=lambda row: row["trial"])
    return [(row["state"], row["reason"]) for row in found]


def begun(sweep: Sweep) -> driver.Live:
    """A trial whose run was given to the cluster."""
    trial = claims.draw(sweep)
    assert trial is not None
    run_dir = trials.make(sweep, trial)
    assert run_dir is not None
    live = [driver.Live(trial, run_dir)]
    list(driver._launched(sweep, live, 1))
    assert live[0].first == run_dir
    return live[0]


def test_every_run_of_a_sweep_has_its_launcher_and_its_own_process(
    sweep: Sweep, answers: list[bool]
) -> None:
    trust(RAY)
    run_dir = begun(sweep).run_dir
    assert read_json(run_dir / "spec.json")["launcher"] == RAY.as_spec()
    assert sweep.request.together == "off"
    assert view_run(run_dir).state == "queued"


def test_a_sweep_of_somebody_else_sends_no_trial_elsewhere(
    sweep: Sweep, answers: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    monkeypatch.setattr(launch, "_launch", lambda *given: started.append(given))
    with pytest.raises(SweepError) as refused:
        next(iter(_driven(sweep)))
    assert refused.value.message.endswith('would train on the Ray cluster at "box:6379". You have '
                                          "not trained there yet.")  # fmt: skip
    assert started == []


def _driven(sweep: Sweep) -> Iterator[object]:
    """What `drive` gives once it has begun a trial."""
    for progress in driver.drive(sweep):
        if progress.live:
            yield progress


def test_a_cluster_that_is_gone_ends_the_sweep_and_no_trial(
    sweep: Sweep, answers: list[bool]
) -> None:
    trust(RAY)
    live = begun(sweep)
    report_end(live.run_dir, "failed", "No Ray cluster answers at box:6379.", "")
    answers.append(False)
    with pytest.raises(SweepError, match="No Ray cluster answers"):
        driver._has_ended(sweep, live, view_run(live.run_dir))
    assert rows(sweep) == [("unfinished", "")]
    answers.append(True)
    again = driver._resume_trial(sweep, claims.running(sweep)[0])
    assert again is not None
    assert again.first is None  # its run is to be started again


def test_a_job_that_failed_on_a_cluster_that_lives_ends_its_trial_alone(
    sweep: Sweep, answers: list[bool]
) -> None:
    trust(RAY)
    live = begun(sweep)
    report_end(live.run_dir, "failed", "A worker of Ray was lost.", "")
    assert driver._has_ended(sweep, live, view_run(live.run_dir))
    assert rows(sweep) == [("failed", "A worker of Ray was lost.")]


def test_a_trial_of_an_earlier_place_trains_where_the_sweep_does_now(
    sweep: Sweep, answers: list[bool]
) -> None:
    trust(RAY)
    live = begun(sweep)
    trial_jobs.move(replace(sweep, launcher=None), live.run_dir)
    assert Launcher.read(read_json(live.run_dir / "spec.json")) == Launcher()


def test_a_request_has_its_launcher_and_none_of_it_names_another_sweep(tmp_path: Path) -> None:
    here = start.request_of(IRIS, None, SEARCH, 2, {}, together="auto")
    there = start.request_of(IRIS, None, SEARCH, 2, {}, launcher=RAY.as_spec())
    folder = entered(tmp_path, here, IRIS)
    assert start.launcher_of(read_request(folder)) is None
    assert entered(tmp_path, there, IRIS) == folder
    assert start.launcher_of(read_request(folder)) == RAY
    start.set_launcher(folder, {})
    assert start.launcher_of(read_request(folder)) is None


def test_trials_that_are_jobs_cannot_train_together() -> None:
    with pytest.raises(SweepError, match="so none train together"):
        start.request_of(IRIS, None, SEARCH, 2, {}, together="on", launcher=RAY.as_spec())


@pytest.mark.parametrize("stored", [{"kind": "moon"}, {"kind": "ssh", "port": 1}])
def test_a_launcher_that_cannot_be_is_refused_by_the_name_of_the_sweep(
    tmp_path: Path, stored: dict[str, Any]
) -> None:
    asked = start.request_of(IRIS, None, SEARCH, 2, {})
    with pytest.raises(SweepError, match="launcher"):
        start.launcher_of(replace(asked, launcher=stored))
