"""`layerloom bundle`: write a project with runs and data as one file."""

import argparse
from pathlib import Path
from typing import Any

from app.cli import files, output
from app.wings.bundle.file import ENDING

AFTER = "serve"


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("bundle", help="a project, its runs and data as one .loom.zip")
    command.add_argument("file", type=Path, help="a project, NAME.loom.json")
    command.add_argument(
        "run_names", metavar="RUN", nargs="*", help="runs to include: curves, best weights, notes"
    )
    command.add_argument("-o", "--out", type=Path, required=True, help="NAME.loom.zip to write")
    command.add_argument(
        "--with-data", action="store_true", help="include your own data, not only its fingerprint"
    )
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write a bundle and say what is in it."""
    from core import open_project
    from core.wings.bundle import BundleSelection, write_bundle

    if not args.out.name.endswith(ENDING):
        raise output.UsageError(
            f"{args.out} does not end with {ENDING}.", f"Use a name such as project{ENDING}."
        )
    project = open_project(args.file)
    files.look_beside(args.file)
    runs, names = named_runs(args.run_names, args.runs)
    chosen = BundleSelection(project, runs, args.file.absolute(), names, args.with_data)
    written = write_bundle(chosen, args.out)
    if args.json:
        output.answer({"ok": True, **written.json()})
        return 0
    output.say(f"{args.out} written, {written.size / 1e6:,.1f} MB: {content(written.json())}")
    if written.unknown:
        output.say(f"warning: the bundle has no fingerprint of the data: {written.unknown}")
    output.say(f"`layerloom {output.shell_word(args.out.name)}` opens it.")
    return 0


def named_runs(given: list[str], runs: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder of the runs and their names in it, named as other commands take them: by name or
    by path. Raises UsageError for runs of several folders."""
    places = [(runs / name, Path(name)) for name in given]
    folders = [
        next((p.resolve() for p in two if (p / "spec.json").is_file()), None) for two in places
    ]
    if None in folders:  # the writer of the bundle reports which run is missing
        return runs, tuple(given)
    folders = [folder for folder in folders if folder]
    parents = {folder.parent for folder in folders}
    if len(parents) > 1:
        listed = ", ".join(sorted(map(str, parents)))
        raise output.UsageError(
            f"The runs are in {len(parents)} different folders: {listed}.",
            "Choose runs from one folder.",
        )
    return next(iter(parents), runs), tuple(folder.name for folder in folders)


def content(made: dict[str, Any]) -> str:
    """What is in a bundle, in half a sentence."""
    runs, data = made["runs"], made["data"]
    parts = ["the project", f"{len(runs)} run{'s' if len(runs) != 1 else ''}"]
    if data["files"]:
        parts.append("its data" if data["included"] else "the fingerprint of its data")
    return ", ".join(parts)
