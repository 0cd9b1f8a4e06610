"""Several runs in one process: each is what it would be alone, and ends by itself."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.analyse import analyse_project
from core.engine.group import Group
from core.engine.member import Member
from core.engine.stacked_step import StackedStep
from core.prepare.create import prepare
from core.runs import full_disk
from core.runs.checkpoint import load
from core.runs.files import read_json, write_json
from core.runs.listing import view_run
from core.runs.status import Status
from core.worker import launch, together
from tests.core.engine.test_compiled_step import as_noted
from tests.core.small_runs import ended, hold_groups, project, table_net, train_here, until
from tests.gpu.engines import apart

RATES = (0.01, 0.03, 0.1)


@pytest.fixture(autouse=True)
def _handlers_as_before() -> Iterator[None]:
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


def runs(folder: Path, *rates: float, **settings: Any) -> list[Path]:
    """Runs that differ in their learning rate alone."""
    found: list[Path] = []
    for lr in rates:
        given = {"optimizer": "AdamW", "epochs": 3, "threads": 1, **settings, "lr": lr}
        net = project(table_net(4, 3), {"source": "iris"}, **given)
        found.append(prepare(net, analyse_project(net), folder))
    return found


def losses(run_dir: Path) -> list[float]:
    """The loss of every step."""
    lines = map(json.loads, (run_dir / "metrics.jsonl").read_text().splitlines())
    return [loss for line in lines if line["kind"] == "step" for loss in line["loss"]]


def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have steps made as one by what was noted, whatever that gains."""
    monkeypatch.setattr("core.engine.stacked_step.inductor", as_noted)
    monkeypatch.setattr(Group, "gains", lambda self: self.whole is not None)


@pytest.mark.gate
def test_short_runs_share_a_process_and_are_to_the_bit_what_they_are_alone(tmp_path: Path) -> None:
    """One that is asked to stop, and one whose loss is no number, leave the others."""
    shared, single = runs(tmp_path / "a", *RATES, 1e30), runs(tmp_path / "b", *RATES)
    write_json(shared[1] / "control.json", {"want": "stop", "seq": 1})
    assert together.main("auto", shared) == 1
    states = [view_run(run_dir).state for run_dir in shared]
    assert states == ["finished", "stopped", "finished", "failed"]
    for at in (0, 2):
        train_here(single[at])
        assert losses(shared[at]) == losses(single[at])
        mine, theirs = (load(each[at], "last") for each in (shared, single))
        assert apart(mine["model"], theirs["model"]) == 0.0
        assert mine["fingerprint"] == theirs["fingerprint"]
    plan = read_json(shared[0] / "together.json")
    assert (plan["slot"], plan["compiled"]) == (0, False)
    assert plan["why"] == "The rest of the run is shorter than compiling the step."
    assert shared[0].name in (shared[2] / "log.txt").read_text()


@pytest.mark.gate
def test_a_step_of_all_that_fails_costs_only_the_run_that_also_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what it has changed, so each goes on from its last checkpoint."""
    compiled(monkeypatch)
    settings = {"checkpoint_every_s": 0.0, "epochs": 3}
    shared, single = (runs(tmp_path / name, *RATES, **settings) for name in ("a", "b"))
    step, calculated = StackedStep.step, Member._calculated_step

    def fails_at_the_fourth(self: StackedStep, wanted: Any) -> None:
        step(self, wanted)
        if self.stack.engines[0].step == 3:
            raise RuntimeError("index 7 is out of bounds\nsecond line")

    def fails_in_the_second(self: Member, group: Any) -> Any:
        if self.training["lr"] == RATES[1]:
            raise RuntimeError("index 7 is out of bounds")
        return calculated(self, group)

    monkeypatch.setattr(StackedStep, "step", fails_at_the_fourth)
    monkeypatch.setattr(Member, "_calculated_step", fails_in_the_second)
    assert together.main("on", shared) == 1
    assert [view_run(each).state for each in shared] == ["finished", "failed", "finished"]
    assert "index 7 is out of bounds" in view_run(shared[1]).message
    (*_, warning) = view_run(shared[2]).warnings
    assert warning == (
        "Resumed, but not bit for bit. A step of all failed (index 7 is out of bounds), so each "
        "makes its own, from its last checkpoint."
    )
    train_here(single[2])
    assert losses(shared[2]) == pytest.approx(losses(single[2]), rel=1e-4)


@pytest.mark.alone
@pytest.mark.slow
def test_runs_stopped_at_steps_of_their_own_go_on_in_one_step_as_if_never_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where one has finished meanwhile: its place stays, idle."""
    compiled(monkeypatch)
    whole, halved = runs(tmp_path / "a", *RATES), runs(tmp_path / "b", *RATES)
    assert together.main("on", whole) == 0
    stop_at = {halved[1]: 2, halved[2]: 5}
    made = Group.make

    def make(self: Group) -> Any:
        failed = made(self)
        for run_dir, step in stop_at.items():
            if self.members[halved.index(run_dir)].step == step:
                write_json(run_dir / "control.json", {"want": "stop", "seq": 1})
        return failed

    monkeypatch.setattr("core.worker.member_run.LOOK_S", 0.0)
    monkeypatch.setattr("core.worker.run_loop.OBEY_S", 0.0)
    monkeypatch.setattr(Group, "make", make)
    together.main("on", halved)
    steps = [view_run(run_dir).step for run_dir in halved]
    assert steps == [6, 2, 5]
    stop_at.clear()
    for run_dir in halved[1:]:
        write_json(run_dir / "control.json", {"want": "run", "seq": 2, "from": "last"})
    together.main("auto", halved[1:])
    for one, other in zip(whole, halved, strict=True):
        assert view_run(other).state == "finished"
        assert losses(other) == losses(one)
        assert apart(load(one, "last")["model"], load(other, "last")["model"]) == 0.0
        assert read_json(other / "status.json")["exact"] is True
        assert load(other, "last")["fingerprint"]["together"] == "3 at once"


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize(
    ("event", "number", "kept", "left"),
    [
        ("step", 11, [3, 3, 3], ["crashed"] * 3),  # amid the fourth step of all
        ("checkpoint", 12, [3, 3, 2], ["crashed"] * 3),
        ("checkpoint", 30, [6, 6, 6], ["finished", "finished", "crashed"]),  # the last of all
    ],
)
def test_runs_killed_in_one_process_go_on_to_the_bits_of_those_that_never_were(
    run_folders: Path,
    monkeypatch: pytest.MonkeyPatch,
    event: str,
    number: int,
    kept: list[int],
    left: list[str],
) -> None:
    """Killed with SIGKILL before a step or a checkpoint; some have made more steps than others."""
    compiled(monkeypatch)
    settings = {"checkpoint_every_s": 0.0, "optimizer": "AdamW", "epochs": 3}
    whole, broken = (runs(run_folders / name, *RATES, **settings) for name in ("whole", "broken"))
    assert together.main("on", whole) == 0
    with monkeypatch.context() as patch:
        hold_groups(patch, event, number)
        launch.start_all(broken, how="on")
    states = [until(run_dir, ended).state for run_dir in broken]
    assert states == left
    assert [load(run_dir, "last")["step"] for run_dir in broken] == kept
    crashed = [run_dir for run_dir in broken if view_run(run_dir).state == "crashed"]
    for run_dir in crashed:
        write_json(
            run_dir / "control.json", {"want": "run", "seq": 2, "attempt": 2, "from": "last"}
        )
    assert together.main("auto", crashed) == 0
    for one, other in zip(whole, broken, strict=True):
        assert view_run(other).state == "finished"
        assert losses(other) == losses(one)
        assert apart(load(one, "last")["model"], load(other, "last")["model"]) == 0.0
        assert read_json(other / "status.json")["exact"] is True


def test_where_one_waits_for_room_the_others_show_that_they_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_disk, "SHORTEST_S", 0.001)
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    states = [Status(folder, {}) for folder in folders]
    live: Any = [
        SimpleNamespace(member=SimpleNamespace(attempt=SimpleNamespace(status=each)))
        for each in states
    ]
    together._acquaint(live)
    has_room = iter([False, False, True])
    assert full_disk.wait_for_room(states[0], "it", lambda: next(has_room), lambda: False)
    assert [read_json(folder / "status.json")["beat"] for folder in folders] == [3, 3, 3]
    assert read_json(folders[1] / "status.json")["state"] == "starting"  # not its own words
    together._acquaint(live[1:])
    assert states[1].beside == [states[2]]
