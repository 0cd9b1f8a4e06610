"""A bundle where the command line takes a file of a project: opened, checked, written."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import check as check_command
from app.cli import output

if TYPE_CHECKING:
    from core.prepare.requirements import Need
    from core.project import Project

ENDING, NOUN = ".loom.zip", "bundle"


def opened(file: Path, runs: Path) -> Path:
    """Bring a bundle into the workspace and say what came and what is lacking; its project.

    Raises ProjectError.
    """
    from core.data.sources.paths import workspace
    from core.project import open_project
    from core.wings.bundle import missing_requirements, open_bundle
    from core.wings.bundle.needs import untrusted

    with opened_file(file) as content_file:
        made = open_bundle(content_file, file.name, workspace(), runs)
    project = open_project(made.project)
    came = "was already opened as" if made.before else "was opened as"
    output.say(f"{file.name} {came} {made.project.name} in {made.project.parent}")
    if made.runs:
        output.say(f"  imported runs: {', '.join(made.runs.values())}")
    needs = missing_requirements(project, made.manifest, made.project.parent, runs)
    for each in [*needs, *untrusted(project)]:
        output.say(f"  missing: {each['message']} {each['hint']}")
    return made.project


def opened_file(file: Path) -> Any:
    """Open a bundle's file for reading. Raises UsageError."""
    try:
        return file.open("rb")
    except OSError as error:
        raise output.UsageError(f"{file} cannot be read ({error.strerror}).") from None


def check(args: argparse.Namespace) -> int:
    """Check a bundle without opening it: its project, and what would be lacking here."""
    from core.wings.bundle import read_bundle
    from core.wings.bundle.needs import missing_before_opening

    with tempfile.TemporaryDirectory() as folder, opened_file(args.file) as content:
        made = read_bundle(content, args.file.name, Path(folder))
        needs = missing_before_opening(made.project, made.manifest, made.folder)
        more = {"runs": list(made.manifest.runs)}
        return check_command.report_project(made.project, needs, args, more)


def lacks(project: "Project", file: Path, needs: "Sequence[Need]") -> "list[Need]":
    """What differs here from the bundle that the project of a file came in, beside its needs.

    Raises ProjectError where the record of the bundle cannot be read.
    """
    from core.wings.bundle.manifest import read_beside
    from core.wings.bundle.needs import differences

    return differences(project, read_beside(file), needs)


def pack(project: "Project", file: Path, runs: Path, out: Path) -> None:
    """Write a project, whose file has its weights beside it, as a bundle."""
    from core.wings.bundle import BundleSelection, write_bundle

    write_bundle(BundleSelection(project, runs, file), out)
