"""`layerloom check`: the shape on every wire, errors, warnings, offered fixes."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.cli import files, output


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("check", help="shapes, errors and fixes of a project")
    command.add_argument("file", type=Path, help="a project, NAME.loom.json")
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Analyse a project; status 1 when it has errors."""
    from core import open_project
    from core.analyse import analyse_project, report_json
    from core.analyse.run_once import run_once

    project = open_project(args.file)
    report = report_json(run_once(analyse_project(project)))
    needs = needed(project, args)
    report = {**report, "warnings": [*report["warnings"], *needs]}
    notices = [{"place": path, "message": message} for path, message in project.notices]
    if args.json:
        output.answer({**report, "notices": notices})
        return 0 if report["ok"] else 1
    print(listing(report), flush=True)
    output.findings(report)
    for notice in notices:
        output.say(f"notice: {notice['place']} {notice['message']}")
    print(f"{project.name}: {verdict(report)}")
    return 0 if report["ok"] else 1


def needed(project: Any, args: argparse.Namespace) -> list[Any]:
    """Warnings of data, weights and runs that the project needs and that are not here."""
    from core.prepare.requirements import missing

    os.environ["LAYERLOOM_BESIDE"] = str(args.file.absolute())
    return missing(project, args.file.absolute().parent, args.runs)


def listing(report: Mapping[str, Any]) -> str:
    """Write one line per node: id, block, what comes out, parameters."""
    rows = [
        (path, node["block"], shown(node), f"{node['params']:,}" if node["params"] else "")
        for path, node in report["nodes"].items()
    ]
    return output.table(("node", "block", "output", "parameters"), rows)


def shown(node: Mapping[str, Any]) -> str:
    """Write the shapes a node gives, or why there are none."""
    shapes = [
        "(" + ", ".join(map(str, out["shape"])) + ("" if len(out["shape"]) > 1 else ",") + ")"
        for out in node["outputs"].values()
    ]
    return " ".join(shapes) or ("" if node["state"] == "ok" else node["state"])


def verdict(report: Mapping[str, Any]) -> str:
    """Sum up in half a sentence."""
    counts = [(len(report[f"{kind}s"]), kind) for kind in ("error", "warning")]
    parts = [f"{count} {kind}{'s' if count > 1 else ''}" for count, kind in counts if count]
    return ", ".join(parts) or "no errors, no warnings"
