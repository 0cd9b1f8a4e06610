"""Trials of a sweep: drawn alike from a seed, told with what came of them, gone on with."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import SweepError
from core.engine.group import Group
from core.runs import listing as runs
from core.runs.checkpoint import load
from core.runs.files import read_json
from core.runs.listing import RunView, list_runs
from core.runs.run_notes import read_notes
from core.wings.sweep import driver, results, study
from core.wings.sweep import start as opening
from core.wings.sweep.files import entered, read_request
from core.wings.sweep.listing import searched
from core.worker import child_process, launch, together, warm_worker
from tests.core.engine.test_compiled_step import as_noted
from tests.core.small_runs import GROUP, project, table_net, train_here

pytestmark = pytest.mark.slow
IRIS = project(table_net(4, 3), {"source": "iris"}, optimizer="SGD", epochs=2, threads=1)
Begin = Callable[..., Path]
ALONE: dict[str, Any] = {"prune": False, "together": "off"}
TWICE = 4
"""A seed by which the first two draws of three choices are the same."""
WORST_LAST = 5
"""A seed by which the last of five choices comes last."""


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Make the folders of sweeps whose runs train in this process."""
    monkeypatch.setattr(launch, "start", lambda run_dir, which="last": train_here(run_dir))

    def make(*search: str, runs: str = "runs", trials: int = 4, **more: Any) -> Path:
        asked = opening.request_of(IRIS, tmp_path / "iris.loom.json", search, trials,
                                  more.pop("fixed", {}), **{**ALONE, **more})  # fmt: skip
        return entered(tmp_path / runs, asked, IRIS)

    return make


def swept(folder: Path, looks: int = 10_000) -> dict[str, Any]:
    """Go through a sweep, or through its first looks; what came of it."""
    with opening.open_study(folder, folder.parents[1]) as sweep:
        for _, look in zip(range(looks), driver.drive(sweep), strict=False):
            assert len(look.live) <= 1
        return results.write(sweep, folder)


def drawn(found: dict[str, Any]) -> list[Any]:
    """Number, settings and outcome of each trial, in the order in which they were drawn."""
    rows = sorted(found["trials"], key=lambda row: row["trial"])
    return [(row["trial"], row["settings"], row["value"]) for row in rows]


def test_the_best_of_a_sweep_is_better_than_its_worst_and_trials_are_runs(begin: Begin) -> None:
    found = swept(begin("lr=1e-4..1:log", "fc1.out_features=4..64", trials=6))
    values = [row["value"] for row in found["trials"]]
    assert found["goal"] == {"metric": "val_accuracy", "direction": "maximize"}
    assert values == sorted(values, reverse=True)
    assert found["best"]["value"] == values[0] > values[-1]
    assert set(found["importances"]) == {"lr", "fc1.out_features"}
    assert sorted(row["run"] for row in found["trials"]) == [
        f"small-net-{number:03d}" for number in range(1, 7)
    ]


def test_the_best_value_is_the_one_that_its_run_tells(begin: Begin) -> None:
    folder = begin("lr=1e-4..1:log", trials=2)
    best = swept(folder)["best"]
    run_dir = folder.parents[1] / best["run"]
    view = next(view for view in list_runs(folder.parents[1]) if view.name == best["run"])
    assert view.best is not None
    assert view.best["value"] == best["value"]
    spec = read_json(run_dir / "spec.json")
    assert spec["training"]["lr"] == best["settings"]["lr"]
    expected = {"name": folder.name, "trial": best["trial"], "settings": best["settings"]}
    assert spec["sweep"] == expected
    marks = read_notes(run_dir)
    assert marks.tags == (folder.name,)
    assert marks.note == f"trial {best['trial']}: lr={best['settings']['lr']}"


def test_the_same_seed_draws_the_same_trials_and_another_seed_others(begin: Begin) -> None:
    search = ("lr=1e-4..1:log", "fc1.out_features=4..64")
    first = drawn(swept(begin(*search, trials=7, seed=3)))
    assert drawn(swept(begin(*search, trials=7, seed=3, runs="again"))) == first
    assert drawn(swept(begin(*search, trials=7, seed=4, runs="other"))) != first


def test_a_sweep_that_goes_on_draws_what_it_would_have_drawn_without_a_stop(begin: Begin) -> None:
    whole = drawn(swept(begin("lr=1e-4..1:log", trials=7)))
    folder = begin("lr=1e-4..1:log", trials=7, runs="stopped")
    assert len(swept(folder, looks=5)["trials"]) < 7
    with (folder / "journal.log").open("a") as journal:
        journal.write('{"op_code":')  # a process was killed amid a line
    assert drawn(swept(folder)) == whole


def test_more_trials_extend_a_sweep_and_none_is_trained_twice(begin: Begin) -> None:
    first = swept(begin("lr=1e-4..1:log", trials=2))
    more = swept(begin("lr=1e-4..1:log", trials=3))
    assert drawn(more)[:2] == drawn(first)
    assert len(more["trials"]) == 3


def test_momentum_is_drawn_in_trials_with_sgd_and_not_with_adamw(begin: Begin) -> None:
    search = ("optimizer_settings.momentum=0..0.9", "optimizer=SGD,AdamW", "lr=0.001..0.1:log")
    whole = swept(begin(*search, trials=8))
    momentum = "optimizer_settings.momentum"
    assert whole["only"] == {momentum: {"optimizer": ["SGD"]}}
    assert [row["state"] for row in whole["trials"]] == ["finished"] * 8
    has = {"SGD": {"optimizer", "lr", momentum}, "AdamW": {"optimizer", "lr"}}
    known = [row["settings"] for row in whole["trials"]]
    assert {each["optimizer"] for each in known} == {"SGD", "AdamW"}
    assert all(set(each) == has[each["optimizer"]] for each in known)
    assert set(whole["importances"]) == {"optimizer", "lr", momentum}
    folder = begin(*search, trials=8, runs="stopped")
    swept(folder, looks=5)
    assert drawn(swept(folder)) == drawn(whole)
    every = [folder.parents[1] / row["run"] for row in whole["trials"]]
    assert set(searched(every)) == {"optimizer", "lr", momentum}


def test_few_combinations_are_each_tried_once(begin: Begin) -> None:
    found = swept(begin("batch_size=16,32", "relu1.block=ReLU,Tanh", trials=9))
    tried = {(row["settings"]["batch_size"], row["settings"]["relu1.block"])
             for row in found["trials"]}  # fmt: skip
    assert len(found["trials"]) == 4
    assert tried == {(16, "ReLU"), (16, "Tanh"), (32, "ReLU"), (32, "Tanh")}


def test_what_was_drawn_before_is_recorded_again_without_training(begin: Begin) -> None:
    folder = begin("batch_size=16,32,64", trials=2, seed=TWICE)
    first, again = swept(folder)["trials"]
    assert (first["trial"], again["trial"], again["as"]) == (1, 2, 1)
    for name in ("settings", "value", "run"):
        assert again[name] == first[name]
    assert [view.name for view in list_runs(folder.parents[1])] == ["small-net-001"]


def test_what_was_not_drawn_is_lined_up_where_more_trials_reach_every_combination(
    begin: Begin,
) -> None:
    swept(begin("batch_size=16,32,64", trials=2, seed=TWICE))
    found = swept(begin("batch_size=16,32,64", trials=3, seed=TWICE))
    assert {row["settings"]["batch_size"] for row in found["trials"]} == {16, 32, 64}
    assert len(found["trials"]) == 4


def test_a_trial_worse_than_the_median_is_stopped_and_recorded_as_pruned(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, bad = (
        runs.view_run,
        {"attempt": 1, "kind": "epoch", "epoch": [1, 2, 3, 4], "val_accuracy": [0.1] * 4},
    )

    def hopeless(run_dir: Path) -> bool:
        return read_json(run_dir / "spec.json")["training"]["lr"] == 1e-7

    def start(run_dir: Path, which: str = "last") -> None:
        if hopeless(run_dir):
            (run_dir / "metrics.jsonl").write_text(json.dumps(bad) + "\n")
        else:
            train_here(run_dir)

    def view(run_dir: Path) -> RunView:
        if not hopeless(run_dir):
            return real(run_dir)
        asked = read_json(run_dir / "control.json").get("want")
        state = "stopped" if asked == "stop" else "running"
        return RunView(run_dir, run_dir.name, state, epoch=4)

    monkeypatch.setattr(launch, "start", start)
    monkeypatch.setattr(runs, "view_run", view)
    folder = begin("lr=0.01,0.02,0.03,0.04,1e-7", trials=5, seed=WORST_LAST, prune=True,
                   fixed={"epochs": 5})  # fmt: skip
    found = swept(folder)["trials"]
    assert [row["state"] for row in found] == ["finished"] * 4 + ["pruned"]
    last = found[-1]
    assert (last["trial"], last["settings"], last["value"]) == (5, {"lr": 1e-7}, None)
    assert (last["epoch"], last["run"]) == (4, "small-net-005")


def test_a_network_that_does_not_fit_fails_with_its_reason_and_makes_no_run(begin: Begin) -> None:
    folder = begin("fc2.block=Linear,Bilinear", trials=2)
    found = swept(folder)
    good, bad = found["trials"]
    assert (bad["state"], bad["run"]) == ("failed", None)
    assert bad["reason"] == "fc2 needs a wire into its port 'input1' but has none."
    assert found["best"] == good
    assert [view.name for view in list_runs(folder.parents[1])] == ["small-net-001"]


def test_settings_that_do_not_go_together_fail_with_their_reason(begin: Begin) -> None:
    found = swept(begin("warmup=0,1", "epochs=1,2", trials=4))
    failed = [row for row in found["trials"] if row["state"] == "failed"]
    assert [row["settings"] for row in failed] == [{"warmup": 1, "epochs": 1}]
    assert "training.warmup must be less than the 1 epochs but is 1." in failed[0]["reason"]


def test_a_sweep_of_another_question_gets_a_name_of_its_own(begin: Begin) -> None:
    one, two = begin("lr=0.1,0.2"), begin("lr=0.1,0.3")
    assert (one.name, two.name) == ("small-net-sweep-1", "small-net-sweep-2")
    assert begin("lr=0.1,0.2", name="mine").name == "mine"
    with pytest.raises(SweepError, match="The sweep mine has other search settings"):
        begin("lr=0.1,0.3", name="mine")
    with pytest.raises(SweepError, match="cannot be called 'a/b'"):
        begin("lr=0.1,0.3", name="a/b")


def test_a_key_is_searched_once_and_not_fixed_besides(begin: Begin) -> None:
    with pytest.raises(SweepError, match="lr is searched twice"):
        begin("lr=0.1,0.2", "training.lr=0.1..0.2")
    with pytest.raises(SweepError, match="lr is both fixed and searched"):
        begin("lr=0.1,0.2", fixed={"lr": 0.1})
    assert read_request(begin("lr=0.1,0.2", fixed={"epochs": 3})).fixed == {"epochs": 3}


def test_a_file_that_is_no_sweep_is_refused(begin: Begin) -> None:
    folder = begin("lr=0.1,0.2")
    (folder / "sweep.json").write_text("[]")
    with pytest.raises(SweepError, match=r"sweep.json of small-net-sweep-1 is not a valid sweep"):
        swept(folder)


def test_a_trial_whose_process_was_gone_is_taken_up_and_one_whose_run_is_deleted_fails(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = begin("lr=1e-4..1:log", trials=2)
    runs = folder.parents[1]
    with monkeypatch.context() as dying:
        dying.setattr(launch, "start", lambda run_dir, which="last": None)
        assert [row["state"] for row in swept(folder, looks=2)["trials"]] == ["unfinished"]
    shutil.rmtree(runs / "small-net-001")
    with monkeypatch.context() as dying:
        dying.setattr(launch, "start", lambda run_dir, which="last": None)
        assert [row["state"] for row in swept(folder, looks=3)["trials"]] == [
            "failed", "unfinished",
        ]  # fmt: skip
    good, lost = swept(folder)["trials"]
    assert (good["trial"], good["state"]) == (2, "finished")
    assert (lost["trial"], lost["state"]) == (1, "failed")
    assert lost["reason"] == "small-net-001 has no readable spec.json."


def test_a_trial_that_was_drawn_only_in_part_is_drawn_to_the_end(begin: Begin) -> None:
    folder = begin("lr=1e-4..1:log", "fc1.out_features=4..64", trials=2)
    with opening.open_study(folder, folder.parents[1]) as sweep:
        first = study.ask_trial(sweep.study, sweep.request, sweep.space[:1])
        assert [*results.document(sweep)["trials"][0]["settings"]] == ["lr"]
    rows = drawn(swept(folder))
    assert [number for number, _, _ in rows] == [1, 2]
    assert [set(settings) for _, settings, _ in rows] == [{"lr", "fc1.out_features"}] * 2
    assert rows[0][1]["lr"] == float(f"{first.params['lr']:.5g}")


def test_two_processes_do_not_search_one_sweep(begin: Begin) -> None:
    folder = begin("lr=1e-4..1:log")
    script = (
        "import sys; from pathlib import Path; from core.runs.files import take_lock;"
        "held = take_lock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(folder / "sweep.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(SweepError, match="small-net-sweep-1 is running in another process"):
            swept(folder)
        other.communicate()


def test_trials_that_differ_in_numbers_train_in_one_process_and_are_those_one_by_one(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal to the bit, as their steps are calculated by turns; two widths are two processes."""
    space = ("lr=0.01,0.1", "fc1.out_features=4,8")
    wanted = swept(begin(*space, runs="alone"))
    started: list[int] = []

    def start_all(run_dirs: list[Path], which: str = "last", how: str = "auto") -> None:
        started.append(len(run_dirs))
        handler = signal.getsignal(signal.SIGTERM)
        together.main(how, list(run_dirs))
        signal.signal(signal.SIGTERM, handler)

    monkeypatch.setattr(launch, "start_all", start_all)
    folder = begin(*space, runs="together", together="auto")
    with opening.open_study(folder, folder.parents[1]) as sweep:
        looks = list(driver.drive(sweep))
        found = results.write(sweep, folder)
    assert started == [2, 2]
    assert sorted(index for look in looks for index in look.ended) == [0, 1, 2, 3]
    assert drawn(found) == drawn(wanted)


def test_a_sweep_killed_amid_a_step_of_all_its_trials_goes_on_to_the_same_results(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that searches and the one that trains are gone at once, as on a power cut."""
    handler = signal.getsignal(signal.SIGTERM)
    killed, started = list[int](), list[int]()

    def train(run_dirs: list[Path], which: str = "last", how: str = "auto") -> None:
        started.append(len(run_dirs))
        together.main(how, list(run_dirs))
        signal.signal(signal.SIGTERM, handler)

    def die(run_dirs: list[Path], which: str = "last", how: str = "auto") -> None:
        command = child_process.module(str(GROUP), "step", "8", how, *map(str, run_dirs))
        done = subprocess.run(command, env=warm_worker.environment(1), check=False)
        killed.append(done.returncode)
        raise KeyboardInterrupt

    monkeypatch.setattr("core.engine.stacked_step.inductor", as_noted)
    monkeypatch.setattr(Group, "gains", lambda self: self.whole is not None)
    monkeypatch.setattr(launch, "start_all", train)
    given: dict[str, Any] = {"together": "on", "fixed": {"checkpoint_every_s": 0.0}}
    wanted = swept_at_once(begin("seed=0,1,2", runs="whole", **given))
    folder = begin("seed=0,1,2", runs="killed", **given)
    monkeypatch.setattr(launch, "start_all", die)
    with pytest.raises(KeyboardInterrupt):
        swept_at_once(folder)
    assert killed == [-signal.SIGKILL]
    run_dirs = sorted(folder.parents[1].glob("small-net-*"))
    assert [load(run_dir, "last")["step"] for run_dir in run_dirs] == [2, 2, 2]
    monkeypatch.setattr(launch, "start_all", train)
    assert drawn(swept_at_once(folder)) == drawn(wanted)
    assert started == [3, 3]
    assert [row["state"] for row in wanted["trials"]] == ["finished"] * 3


def swept_at_once(folder: Path) -> dict[str, Any]:
    """Go through a sweep whose trials share a process; what came of it."""
    with opening.open_study(folder, folder.parents[1]) as sweep:
        for _ in driver.drive(sweep):
            pass
        return results.write(sweep, folder)
