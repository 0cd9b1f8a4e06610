"""More for `layerloom diff`: both projects in one drawing, as SVG or in the browser."""

import argparse
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, limits, output

if TYPE_CHECKING:
    from core.project import Project
    from core.wings.team.svg import Figure

NOUN = "version of a project, FILE@VERSION (layerloom history FILE)"


def declare(command: Any) -> None:
    """Add the options."""
    command.add_argument(
        "--svg", type=Path, metavar="FILE", help="write both projects as one drawing"
    )
    command.add_argument(
        "--open", action="store_true", help="show the drawing and tables in the browser"
    )


def opened(name: str) -> "Project | None":
    """The project of a version, FILE@VERSION; None for another name. Raises ProjectError."""
    file, sign, version = name.rpartition("@")
    if not sign or not Path(file).is_file():
        return None
    from core.wings.team.history import find

    return find(Path(file), version).open()


def run(args: argparse.Namespace, old: "Project", new: "Project") -> int | None:
    """Draw both as one; None where no option asks for it."""
    if args.svg is None and not args.open:
        return None
    if args.json:
        raise output.UsageError("--json goes with neither --svg nor --open.", "Leave one out.")
    from core.project.changes import changed_lines
    from core.wings.team.one_file import page
    from core.wings.team.svg import picture

    figure = _figure(args, old, new)
    if args.svg:
        files.write_out(picture(figure), args.svg)
        output.say(f"Wrote {args.svg}.")
    if args.open:
        _show(page(figure, changed_lines(old, new)))
    return 0


def _figure(args: argparse.Namespace, old: "Project", new: "Project") -> "Figure":
    from core.wings.team.compared import compare
    from core.wings.team.side_by_side import side_by_side
    from core.wings.team.svg import Figure

    compared = compare(old, new)
    costs = side_by_side(compared, _analysis(old), _analysis(new))
    return Figure(compared, (Path(args.old).name, Path(args.new).name), costs)


def _analysis(project: "Project") -> dict[str, Any]:
    from core.analyse import analyse_project, report_json

    with limits.limited(project):
        return report_json(analyse_project(project))


def _show(text: str) -> None:
    """Open a file in the browser; where there is none, say where it is."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="layerloom-diff-", suffix=".html", delete=False
    ) as file:
        file.write(text)
    shown = webbrowser.open(Path(file.name).as_uri())
    output.say(f"{'Opened' if shown else 'There is no browser here. Wrote'} {file.name}.")
