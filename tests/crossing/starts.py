"""What starts something with its defaults: a command on a project's file or on a trained run."""

import contextlib
import io
from collections.abc import Callable

from app.cli import main
from core.project import save_project
from tests.crossing.trained_run import Refused, TrainedRun

Start = Callable[[TrainedRun], None]


def said(run: TrainedRun, *words: str) -> str:
    """Give a command, and what it prints. Raises Refused with its sentence."""
    out, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        status = main([*words])
    text = out.getvalue() + told.getvalue()
    if status == 0:
        return text
    if "Layerloom itself failed" in text or "Traceback" in text or "error: " not in text:
        raise AssertionError(f"{' '.join(words)}: {status}\n{text}")
    raise Refused(text.partition("error: ")[2].partition("\n")[0])


def file_of(run: TrainedRun) -> str:
    """The project as a file."""
    file = run.workspace / "crossed.loom.json"
    save_project(run.project, file)
    return str(file)


def command(name: str, *words: str) -> Start:
    """A command on the project's file."""

    def start(run: TrainedRun) -> None:
        runs = ["--runs", str(run.run_dir.parent)] if name in ("train", "sweep") else []
        said(run, name, file_of(run), *words, *runs)

    return start


def of_run(name: str, *words: str) -> Start:
    """A command on the trained run."""

    def start(run: TrainedRun) -> None:
        said(run, name, str(run.run_dir), *words)

    return start
