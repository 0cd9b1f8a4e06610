"""What a hand-in shows: its drawing analysed by torch, its run, and what it learns."""

from functools import cache

from core.analyse import analyse_project, report_json
from core.analyse.flop_counter import leave_out_compiler
from core.analyse.run_once import run_once
from core.project import Project
from core.wings.classroom.hand_in import RunFigures
from core.wings.classroom.judge import seen
from core.wings.classroom.kinds import Evidence, Learned
from core.wings.classroom.model import TaskKey


def evidence_of(
    project: Project, run: RunFigures | None = None, key: TaskKey | None = None
) -> Evidence:
    """Analyse a hand-in. key: of the task, which trains it where the key names data.

    Own Python is executed only as far as it is trusted.
    """
    leave_out_compiler()
    report = run_once(analyse_project(project))

    @cache
    def trained(epochs: int, seconds: int) -> Learned:
        from core.wings.classroom.learn import learn

        return learn(project, report, key or TaskKey(""), epochs, seconds)

    return seen(project, report_json(report), run, trained if key and key.data else None)
