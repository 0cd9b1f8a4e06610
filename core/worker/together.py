"""The process of runs that train together: `python -m core.worker.together HOW RUN_DIR...`.

Each is an ordinary run with a folder, a curve, checkpoints and an end of its own; what is shared
are the process, the data where they are the same, and the step, which is compiled once for all.
HOW: "on" compiles it, "auto" only if enough steps remain to repay the compilation. The choice is
kept in `together.json` of each run; a resumed attempt follows it.
"""

import gc
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.common.errors import FolderGone
from core.runs.files import (
    THREADS,
    TOGETHER,
    WORKER_LOCK,
    read_json,
    read_status,
    remove_leftovers,
    take_lock,
    threads_of,
    write_json,
)
from core.runs.status import COMPILE_S, COMPILING_STEP, Status
from core.worker.main import drop_what_cannot_be_written, fail, set_threads
from core.worker.process_end import end_with
from core.worker.setup_retry import prepare_when_disk_allows

if TYPE_CHECKING:
    from core.engine.group import Group
    from core.worker.attempt import Attempt
    from core.worker.member_run import MemberRun

LEAST_S = 60.0  # of calculated steps left, for which compiling pays


@dataclass
class Driven:
    """A run under way. fit: the moments of its engine; at: its place among the others."""

    member: "MemberRun"
    fit: Iterator[str]
    at: int


def main(how: str, run_dirs: list[Path]) -> int:
    """Train the runs to their ends; 1 where one has failed."""
    drop_what_cannot_be_written()
    stop: list[Any] = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append("SIGTERM"))
    locks = {run_dir: take_lock(run_dir / WORKER_LOCK, wait_s=1.0) for run_dir in run_dirs}
    ours = [run_dir for run_dir, lock in locks.items() if lock]
    stored = read_json(ours[0] / THREADS).get("count") if ours else None
    threads = threads_of(read_json(run_dirs[0] / "spec.json"), run_dirs[0].name)
    set_threads(stored if isinstance(stored, int) else threads)
    members = [member for run_dir in ours if (member := _prepared(run_dir, run_dirs, stop))]
    failed = len(members) < len(ours)
    if members:
        gc.collect()
        gc.freeze()
        failed |= drive(members, how, stop)
    return int(failed)


def _prepared(run_dir: Path, all_of_them: list[Path], stop: list[Any]) -> "MemberRun | None":
    """A run that is ready to train; None where it failed before, with the reason in its status."""
    from core.worker.attempt import Attempt  # these import torch, after the threads are set
    from core.worker.member_run import prepare_member

    remove_leftovers(run_dir)
    plan = read_json(run_dir / TOGETHER)
    if not plan:
        names = [each.name for each in all_of_them]
        plan = {"runs": names, "slot": names.index(run_dir.name)}
        write_json(run_dir / TOGETHER, plan)
    if run_dir != all_of_them[0]:
        _tell_log(run_dir, all_of_them[0])
    status = Status(run_dir, read_status(run_dir))
    status.write(phase="importing torch")
    attempt = Attempt(run_dir, read_json(run_dir / "spec.json"), status)
    try:
        return prepare_when_disk_allows(attempt, lambda: prepare_member(attempt), stop)
    except BaseException as error:
        _failed(attempt, error)
        return None


def _tell_log(run_dir: Path, first: Path) -> None:
    try:
        with (run_dir / "log.txt").open("a") as log:
            log.write(
                f"It trains in one process with {first.name}, whose log.txt has its output.\n"
            )
    except OSError as error:
        print(run_dir.name, error, file=sys.stderr)  # noqa: T201


def _failed(attempt: "Attempt", error: BaseException) -> None:
    """Say how a run failed, in its folder; where that is gone, in the log alone."""
    if isinstance(error, FolderGone) or not attempt.run_dir.exists():
        print(error, file=sys.stderr)  # noqa: T201
        return
    fail(attempt, error)


def drive(members: "list[MemberRun]", how: str, stop: list[Any], apart: str = "") -> bool:
    """Train runs that are ready, step by step; whether one failed. apart: why each makes its own
    steps, where that is known."""
    from core.engine.group import Group, JointStepFailed

    trainers = [member.trainer for member in members]
    plan = members[0].plan
    group = Group(trainers, [member.plan["slot"] for member in members], len(plan["runs"]))
    made, why, took_s = (False, apart, 0.0) if apart else _compile(group, members, how)
    live = _begun(members, group, lambda member: member.settle(made, why, took_s))
    failed = len(live) < len(members)
    _acquaint(live)
    while live:
        try:
            ended = _round(live, group, stop)
        except JointStepFailed as error:
            traceback.print_exception(error)
            return _drive_apart([one.member for one in live], str(error), stop) or failed
        failed |= None in ended.values()
        if ended:
            live = [one for one in live if one.at not in ended]
            _acquaint(live)
    return failed


def _acquaint(live: list[Driven]) -> None:
    """Have a run that waits show that the others live: silent for long, they count as hanging."""
    states = [one.member.attempt.status for one in live]
    for status in states:
        status.beside = [each for each in states if each is not status]


def _drive_apart(members: "list[MemberRun]", error: str, stop: list[Any]) -> bool:
    """Go on with each from its last checkpoint in steps of its own; whether one failed."""
    again = list["MemberRun"]()
    for member in members:
        member.loop.saver.wait()
        member.loop.journal.board.close()
        run_dir = member.attempt.run_dir
        if found := _prepared(run_dir, [run_dir], stop):
            again.append(found)
    failed = len(again) < len(members)
    if again:
        why = f"A step of all failed ({error}), so each makes its own, from its last checkpoint."
        failed |= drive(again, "off", stop, why)
    return failed


def _begun(
    members: "list[MemberRun]", group: "Group", settle: "Callable[[MemberRun], None]"
) -> list[Driven]:
    """Begin the runs; those that could. settle: writes down how the steps of one are made."""
    live = list[Driven]()
    for at, member in enumerate(members):
        member.loop.among(len(members), lambda at=at: group.settle(at))
        try:
            settle(member)
            member.loop.begin()
            live.append(Driven(member, member.trainer.fit(0.0), at))
        except Exception as error:
            _failed(member.attempt, error)
    return live


def _round(live: list[Driven], group: "Group", stop: list[Any]) -> dict[int, str | None]:
    """Make a step of each run; the states of those that end with it, None for one that failed."""
    ended = dict[int, str | None]()
    moments = [(one, _guarded(one, lambda one=one: next(one.fit, None) or "end")) for one in live]
    lost = group.make()
    for one, moment in moments:
        if moment and (error := lost.get(one.at)):
            _lose(one, error)
            moment = None
        if stop:
            one.member.loop.stop_signal = "SIGTERM"
        state = moment and _guarded(one, lambda one=one, m=moment: _attended(one, m))
        if state is None or state:
            ended[one.at] = state
    return ended


def _guarded(one: Driven, what: Any) -> str | None:
    """Do something for a run; None where it failed, which costs that run alone."""
    try:
        return what()
    except Exception as error:
        _lose(one, error)
        return None


def _lose(one: Driven, error: Exception) -> None:
    """End a run that failed, alone."""
    one.member.trainer.staged = ()
    one.member.loop.journal.board.close()  # the process goes on with the others
    _failed(one.member.attempt, error)


def _attended(one: Driven, moment: str) -> str:
    """Write and obey what is due for a run; the state it is left in, "" where it goes on."""
    loop = one.member.loop
    if moment == "end":
        return loop.end()
    state = loop.attend(moment)
    return loop.finish(state) if state else ""


def _compile(group: "Group", members: "list[MemberRun]", how: str) -> tuple[bool, str, float]:
    """Make one step of all where that is wanted, can be and pays: whether, why not, seconds."""
    plan = next((m.plan for m in members if "compiled" in m.plan), members[0].plan)
    known = plan.get("compiled")
    wanted = how == "on" or group.calculated_s() >= LEAST_S if known is None else known
    why = "" if wanted else "The rest of the run is shorter than compiling the step."
    if known is False:
        why = str(plan.get("why", ""))
    started = time.monotonic()
    if wanted:
        for member in members:
            member.attempt.status.write(phase=COMPILING_STEP, hang_after_s=COMPILE_S)
        group.compile()
        done = group.whole is not None and (known is True or group.gains())
        why = "" if done else f"The runs do not share a step: {group.why}."
        wanted = done
    return wanted, why, time.monotonic() - started


if __name__ == "__main__":
    end_with(lambda: main(sys.argv[1], [Path(text) for text in sys.argv[2:]]))
