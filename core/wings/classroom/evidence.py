"""What a hand-in shows: its drawing analysed by torch, its run, and what it learns."""

import hashlib
from functools import cache

from core.analyse import analyse_project, report_json
from core.analyse.flop_counter import leave_out_compiler
from core.analyse.run_once import run_once
from core.project import Project
from core.project.trust import untrusted
from core.wings.classroom.hand_in import RunFigures
from core.wings.classroom.judge import counted
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

    return Evidence(
        project=counted(project),
        report=report_json(report),
        own_python=untrusted(project.graph),
        run=run.metrics if run else None,
        same_run=run is None or run.source == source_sha256(report.source),
        learn=trained if key and key.data else None,
    )


def source_sha256(source: str | None) -> str:
    """The fingerprint of a source, as the folder of a run has it; "" without one."""
    return hashlib.sha256(source.encode()).hexdigest() if source else ""
