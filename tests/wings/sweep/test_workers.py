"""Several workers of one sweep: no trial is taken twice, and none of a dead worker is lost."""

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import SweepError
from core.runs.listing import RunView
from core.wings.sweep import claims, driver, files, results, start, trials, workers
from core.wings.sweep.sweep import Sweep
from tests.core.small_runs import project, table_net

ALONE: dict[str, Any] = {"together": "off", "pruner": "asha"}
IRIS = project(table_net(4, 3), {"source": "iris"}, optimizer="SGD", epochs=2, threads=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a sweep of four combinations."""
    asked = start.request_of(IRIS, None, ["lr=0.1,0.2", "fc1.out_features=4,8"], 4, {}, **ALONE)
    return files.entered(tmp_path / "runs", asked, IRIS)


@pytest.fixture
def pair(folder: Path) -> Iterator[tuple[Sweep, Sweep]]:
    """The same sweep, open twice."""
    with ExitStack() as opened:
        runs_dir = folder.parents[1]
        one = opened.enter_context(start.open_study(folder, runs_dir))
        yield one, opened.enter_context(start.open_study(folder, runs_dir, join=True))


def drawn(sweep: Sweep) -> Any:
    trial = claims.draw(sweep)
    assert trial is not None
    return trial


def test_two_workers_draw_each_trial_once(pair: tuple[Sweep, Sweep]) -> None:
    one, two = pair
    found: list[int] = []

    def draw_all(sweep: Sweep) -> None:
        while (trial := claims.draw(sweep)) is not None:
            found.append(trial.number)

    threads = [threading.Thread(target=draw_all, args=(each,)) for each in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [0, 1, 2, 3]
    settings = [row["settings"] for row in results.document(one)["trials"]]
    assert len({json.dumps(each) for each in settings}) == 4


def test_a_second_worker_needs_to_join(pair: tuple[Sweep, Sweep], folder: Path) -> None:
    with (
        pytest.raises(SweepError, match="is running in another process") as caught,
        start.open_study(folder, folder.parents[1]),
    ):
        pass
    assert f"--join {folder}" in caught.value.hint
    assert pair[0].worker.others() == [pair[1].worker.id]


def test_a_living_worker_keeps_its_trial_and_a_dead_one_loses_it(
    pair: tuple[Sweep, Sweep], folder: Path
) -> None:
    one, two = pair
    trial = drawn(one)
    assert claims.orphans(two) == []
    (folder / "workers" / f"{one.worker.id}.json").unlink()
    (orphan,) = claims.orphans(two)
    taken = claims.adopt(two, orphan)
    assert taken is not None
    assert claims.adopt(two, orphan) is None
    assert (claims.is_mine(one, trial), claims.is_mine(two, trial)) == (False, True)
    (row,) = results.document(two)["trials"]
    assert (row["worker"], row["retries"]) == (two.worker.id, 1)


def test_a_trial_that_is_given_back_is_no_retry(pair: tuple[Sweep, Sweep]) -> None:
    one, two = pair
    drawn(one)
    claims.give_back(one)
    taken = claims.adopt(two, claims.orphans(two)[0])
    assert taken is not None
    assert claims.RETRIES not in taken.user_attrs


def test_an_idle_worker_takes_a_trial_over_that_has_not_begun(pair: tuple[Sweep, Sweep]) -> None:
    one, two = pair
    first, second = drawn(one), drawn(one)
    for trial in (first, second):
        trials.make(one, trial)
    assert claims.begin(one, [first]) == [True]
    taken = claims.take_over(two)
    assert taken is not None
    assert taken.number == second.number
    assert claims.begin(one, [second]) == [False]
    assert claims.begin(two, [second]) == [True]
    assert claims.take_over(two) is None


def test_a_worker_of_another_machine_is_gone_once_its_beat_stands_still(
    pair: tuple[Sweep, Sweep], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = folder / "workers" / "far-1-abc.json"
    far.write_text(json.dumps({"host": "far", "pid": 1, "beat": "000000000001"}))
    worker, now = pair[0].worker, [100.0]
    monkeypatch.setattr(workers.time, "monotonic", lambda: now[0])
    assert worker.lives("far-1-abc")
    now[0] += workers.DEAD_S - 1
    assert worker.lives("far-1-abc")
    far.write_text(json.dumps({"host": "far", "pid": 1, "beat": "000000000002"}))
    assert worker.lives("far-1-abc")
    now[0] += workers.DEAD_S
    assert not worker.lives("far-1-abc")


@pytest.mark.parametrize("name", ["../../secret", "", "none"])
def test_a_worker_that_the_journal_only_names_is_gone(name: str, pair: tuple[Sweep, Sweep]) -> None:
    assert not pair[0].worker.lives(name)


def test_a_torn_line_of_a_killed_worker_is_removed_before_the_next_record(
    pair: tuple[Sweep, Sweep], folder: Path
) -> None:
    one, two = pair
    drawn(one)
    with (folder / files.JOURNAL).open("a") as journal:
        journal.write('{"op_code":')
    drawn(two)
    assert len(claims.running(one)) == 2


def test_a_sweep_is_under_way_as_long_as_one_worker_lives(folder: Path) -> None:
    runs_dir = folder.parents[1]
    with start.open_study(folder, runs_dir, join=True):
        assert files.under_way(folder)
    assert not files.under_way(folder)
    assert list((folder / "workers").iterdir()) == []


def test_two_drivers_go_through_a_sweep_together(
    pair: tuple[Sweep, Sweep], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their runs end at once, with a fixed accuracy."""
    best = {"metric": "val_accuracy", "value": 0.5, "metrics": {"val_loss": 1.0}}

    def view(run_dir: Path) -> RunView:
        return RunView(run_dir, run_dir.name, "finished", epoch=2, elapsed_s=1.0, best=best)

    monkeypatch.setattr(driver.launch, "start", lambda run_dir, which="last": None)
    monkeypatch.setattr(driver.listing, "view_run", view)
    monkeypatch.setattr(driver.warm_worker, "warm", lambda: None)
    monkeypatch.setattr(driver.time, "sleep", lambda seconds: None)
    ended = [0, 0]
    for looks in itertools.zip_longest(*(driver.drive(each) for each in pair)):
        for i, look in enumerate(looks):
            ended[i] += len(look.ended) if look else 0
    assert ended == [2, 2]
    rows = results.document(pair[0])["trials"]
    assert [row["state"] for row in rows] == ["finished"] * 4
    assert len({row["run"] for row in rows}) == 4
    assert {row["worker"] for row in rows} == {each.worker.id for each in pair}


def test_halving_stops_a_trial_that_is_not_in_the_best_third(
    pair: tuple[Sweep, Sweep], monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep, stopped = pair[0], list[Path]()
    monkeypatch.setattr(driver.launch, "stop", stopped.append)
    for accuracy in (0.7, 0.8, 0.9):
        trial = drawn(sweep)
        trial.report(accuracy, 1)
        trial.should_prune()
        sweep.study.tell(trial, accuracy)
    one = driver.Live(drawn(sweep), sweep.runs_dir / "bad")
    one.run_dir.mkdir(parents=True)
    record = {"attempt": 1, "kind": "epoch", "epoch": [1, 2], "val_accuracy": [0.1, 0.1]}
    (one.run_dir / "metrics.jsonl").write_text(json.dumps(record) + "\n")
    driver._report(sweep, one, RunView(one.run_dir, "bad", "running", epoch=2))
    assert stopped == [one.run_dir]
    attributes = one.trial.user_attrs
    assert (attributes["pruned"], one.reported) == (1, {1})
    assert attributes["reason"] == "not in the best third at epoch 1 (ASHA)"
