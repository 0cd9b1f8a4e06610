"""`layerloom compare`, `layerloom diff`: the differences of runs, and of two projects."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output
from app.wing import parts

if TYPE_CHECKING:
    from core.project import Project
    from core.runs.compare_runs import Standing


def declare(commands: Any) -> None:
    """Add the two commands."""
    command = commands.add_parser("compare", help="compare runs: settings that differ, and results")
    command.add_argument("names", metavar="RUN", nargs="+", help="name of a run, or its folder")
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=compare)
    command = commands.add_parser("diff", help="compare two projects: blocks, wires and settings")
    nouns = "".join(f", or a {part.NOUN}" for _, part in parts("diff"))
    command.add_argument("old", metavar="A", help=f"a project, NAME.loom.json, a run{nouns}")
    command.add_argument("new", metavar="B", help="what to compare it with")
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    for _, part in parts("diff"):
        part.declare(command)
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=diff)


def compare(args: argparse.Namespace) -> int:
    """Print a column per run: settings that are not all the same, then results."""
    from core.runs.compare_runs import differing_settings, outcomes, standing

    folders = [files.run_folder(name, args.runs) for name in args.names]
    if len(folders) < 2:
        raise output.UsageError("compare needs two runs or more.", "`layerloom runs` lists them.")
    names = [folder.name for folder in folders]
    settings, results, found = differing_settings(folders), outcomes(folders), standing(folders)
    if args.json:
        comparison = {"runs": names, "differing": settings, "results": results}
        output.answer({"ok": True, **comparison, **_standing_fields(found, names)})
        return 0
    rows = [*_rows(settings), *_rows(results)]
    output.put(output.table(("", *names), rows))
    if not settings:
        output.say("All settings are the same.")
    for line in found.sentences(names):
        output.say(line)
    return 0


def _standing_fields(found: "Standing", names: Sequence[str]) -> dict[str, Any]:
    """The best run, and which runs compare with each other."""
    groups = [
        {"runs": [names[i] for i in group], "best": None if best is None else names[best]}
        for group, best in zip(found.groups, found.bests, strict=True)
    ]
    best = None if found.best is None else names[found.best]
    return {"best": best, "groups": groups, "judged_on": found.why}


def _rows(table: Mapping[str, Sequence[Any]]) -> list[tuple[str, ...]]:
    return [(name, *map(_written, row)) for name, row in table.items()]


def _written(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else f"{value}"


def diff(args: argparse.Namespace) -> int:
    """Print a line per node, edge or setting that is not the same."""
    from core.project.changes import changed_lines, changes

    old, new = (_version(name, args.runs) for name in (args.old, args.new))
    for _, part in parts("diff"):
        if (status := part.run(args, old, new)) is not None:
            return status
    if args.json:
        graph, settings = changes(old, new)
        output.answer({"same": not (graph or settings), **asdict(graph), "settings": settings})
        return 0
    output.put_lines(changed_lines(old, new) or ["Same drawing and settings."])
    return 0


def _version(name: str, runs: Path) -> "Project":
    """The project that a file, a run or a version of a project is. Raises ProjectError."""
    from core.project import open_project

    file = Path(name)
    if file.is_file():
        return open_project(file)
    for _, part in parts("diff"):
        if (project := part.opened(name)) is not None:
            return project
    drawings = [folder / "project.loom.json" for folder in (runs / name, file)]
    return open_project(next((drawing for drawing in drawings if drawing.is_file()), file))
