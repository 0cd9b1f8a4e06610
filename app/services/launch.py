"""Starting a run from a project's text. Runs in a worker process; imports no Streamlit."""

from pathlib import Path
from typing import Any


def launch(
    text: str,
    runs_dir: str,
    beside: str = "",
    document: str = "",
    remedy: dict[str, Any] | None = None,
    launcher: dict[str, Any] | None = None,
) -> str:
    """Analyse the project, write its run folder, start training; return the run's name.

    beside: the folder of the project's file, "" for one that was never saved. document: what names
    the project in the workbench. remedy: of which run it is one, and what it changes. launcher: as
    in spec.json; one that cannot train is refused before anything is written.

    Raises what each of them raises: ProjectError, DataError, RunError.
    """
    from core.analyse import analyse_project
    from core.analyse.run_once import run_once
    from core.prepare.create import prepare
    from core.project import read_text
    from core.runs.files import read_json, write_json
    from core.settings.launcher import KEY, Launcher
    from core.worker.launch import start
    from core.worker.launcher_trust import trust
    from core.worker.launchers import check_launcher

    project = read_text(text)
    chosen = Launcher.read({KEY: launcher} if launcher else {})
    check_launcher(chosen, project.training)
    trust(chosen)
    report = run_once(analyse_project(project))
    at = Path(beside) if beside else None
    folder = prepare(
        project, report, Path(runs_dir), {}, at, document, None if chosen.plain else chosen
    )
    if remedy:
        spec = folder / "spec.json"
        write_json(spec, {**read_json(spec), "remedy": remedy}, durable=True)
    start(folder)
    return folder.name


def branch_off(run_dir: str, which: str, changes: dict[str, object]) -> str:
    """Start a run that goes on from a checkpoint of another; return its name. Raises RunError."""
    from core.prepare.branch import branch
    from core.worker.launch import start

    folder = branch(Path(run_dir), which, changes)
    start(folder)
    return folder.name
