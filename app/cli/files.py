"""Opening a project or a run for a command, and writing its output file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import limits, output
from app.wing import parts
from core.files.safe_path import discard

if TYPE_CHECKING:
    from core.analyse import Report
    from core.project import Project

RUNS = Path("runs")


def packed_kind(file: Path | None) -> Any:
    """The `file` part of the wing that knows files of this name; None for any other file."""
    kinds = [kind for _, kind in parts("file")]
    return next((kind for kind in kinds if file and file.name.endswith(kind.ENDING)), None)


def project_help() -> str:
    """The help of an argument that names a project, or a file that one comes in."""
    return "a project, NAME.loom.json" + "".join(f", or a {k.NOUN}" for _, k in parts("file"))


def analysed(file: Path) -> "tuple[Project, Report]":
    """Open and analyse a project. Raises Failed, after telling every error, if it has any."""
    from core import open_project

    project = open_project(file)
    return project, analysis(project, file)


def analysis(project: "Project", file: Path, as_json: bool = False) -> "Report":
    """Analyse the project of a file. Raises Failed, after telling every error, if it has any.

    as_json: how the command ends where own Python takes too long.
    """
    from core.analyse import analyse_project, report_json
    from core.analyse.run_once import run_once

    with limits.limited(project, as_json):
        report = run_once(analyse_project(project))
    if not report.ok:
        output.findings(report_json(report))
        count = len(report.errors)
        raise output.Failed(
            f"{file} has {count} error{'s' if count > 1 else ''}.",
            f"`layerloom {output.shell_word(file)}` opens it and shows fixes on the blocks.",
        )
    return report


def read_data(project: "Project", file: Path) -> None:
    """Read a project's own data, which may lie beside its file. Raises DataError."""
    from core.data.facts.metadata import read_own
    from core.data.facts.settings import check_keys
    from core.data.table.guess import row_numbers

    look_beside(file)
    check_keys(project.data)
    read_own(project.data)
    if names := row_numbers(project.data):
        which = f"{names[0]} only numbers" if len(names) == 1 else f"{', '.join(names)} only number"
        output.say(
            f"warning: {which} the rows, but the network uses every column. "
            "List the other columns in data.columns, as the Data page does."
        )


def look_beside(file: Path) -> None:
    """Look for own data beside the project's file, too."""
    os.environ["LAYERLOOM_BESIDE"] = str(file.absolute())


def find_data(folder: Path) -> None:
    """Look for own data where the run of a folder looked for it, then here."""
    from core.runs import control_file

    os.environ.update(control_file.read_data_roots(folder)[1])


def run_folder(name: str, runs: Path) -> Path:
    """Find a run by its name in `runs`, or by its path. Raises UsageError if there is none."""
    from core.runs.run_state import alive

    for folder in (runs / name, Path(name)):
        if (folder / "spec.json").is_file() or alive(folder):
            return folder
    is_file = Path(name).is_file()
    raise output.UsageError(
        f"{name} is a file, not a run." if is_file else f"There is no run called {name} in {runs}.",
        f"`layerloom runs --runs {output.shell_word(runs)}` lists runs.",
    )


def add_checkpoint(command: Any, help_text: str) -> None:
    """Add the option that names a checkpoint of a run."""
    command.add_argument("--checkpoint", metavar="best|last|previous|STEP", help=help_text)


def weights_of(source: Any, choice: str | None) -> str:
    """The checkpoint that an option names, "best" where it names none. source: a run folder or not.

    Raises CheckpointError; UsageError for a checkpoint of a project, which has none.
    """
    if choice is None:
        return "best"
    if not isinstance(source, Path):
        raise output.UsageError("A project has no checkpoints.", "Give the name of a run.")
    from core.runs.checkpoint_choice import checkpoint_of

    return checkpoint_of(source, choice)


def write_out(text: str, out: Path) -> None:
    """Write a text file, as `write_bytes_out` does. Raises UsageError."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise output.UsageError(
            f"{out} cannot be written: a text in it has {half}, which is half a character.",
            "Rename what has it.",
        ) from None
    write_bytes_out(content, out)


def write_bytes_out(content: bytes, out: Path) -> None:
    """Write a file whole or not at all, or straight into a pipe or a device.

    Raises UsageError if it cannot be written.
    """
    if out.is_dir():
        raise output.UsageError(f"{out} is a folder.", "Give a file name.")
    from core.runs.files import write_bytes

    straight = out.exists() and not out.is_file()
    try:
        if straight:
            out.write_bytes(content)
        else:
            write_bytes(out, content, durable=False)
    except OSError as error:
        raise unwritable(out, error) from None


def unwritable(out: Path, error: OSError) -> output.UsageError:
    """Word why a file cannot be written."""
    from core.runs.full_disk import advice

    missing = isinstance(error, FileNotFoundError | NotADirectoryError)
    hint = (
        "Choose an existing folder."
        if missing
        else advice(
            error, out, "Check the free space and your permissions, or choose another folder."
        )
    )
    return output.UsageError(f"{out} cannot be written ({error.strerror}).", hint)


@contextmanager
def gone_on_failure(*files: Path) -> Iterator[None]:
    """Leave none of the files, which were not there before, where an import fails.

    One that is stopped leaves what it had drawn, whole.
    """
    try:
        yield
    except Exception:
        for file in files:
            discard(file)
        raise
