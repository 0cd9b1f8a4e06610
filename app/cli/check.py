"""`layerloom check`: the shape on every wire, errors, warnings, offered fixes."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.cli import check_cache, files, limits, output
from app.wing import parts


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("check", help="check a project: shapes, errors and fixes")
    command.add_argument("file", type=Path, help=files.project_help())
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Analyse a project, also one packed in a file; status 1 when it has errors."""
    from core import open_project

    if kind := files.packed_kind(args.file):
        return kind.check(args)
    project = open_project(args.file)
    return report_project(project, needed(project, args), args, {})


def report_project(
    project: Any, needs: list[Any], args: argparse.Namespace, more: Mapping[str, Any]
) -> int:
    """Print the analysis of a project and what it lacks. more: keys of the JSON document."""
    from core.prepare.requirements import REFUSED
    from core.prepare.settings import refused_settings

    report = analysis(project, args.json)
    refused = [need for need in needs if need["code"] == REFUSED]
    refused = refused or refused_settings(project, report)
    needs = [need for need in needs if need["code"] != REFUSED]
    report = {**report, "warnings": [*report["warnings"], *needs], **more}
    if refused:
        report |= {"errors": [*report["errors"], *refused], "ok": False}
    notices = [{"place": path, "message": message} for path, message in project.notices]
    if args.json:
        output.answer({**report, "notices": notices})
        return 0 if report["ok"] else 1
    output.put(listing(report), flush=True)
    output.findings(report)
    for notice in notices:
        output.say(f"notice: {notice['place']} {notice['message']}")
    output.put_lines([f"{project.name}: {verdict(report)}"])
    return 0 if report["ok"] else 1


def analysis(project: Any, as_json: bool = False) -> dict[str, Any]:
    """The check of a project by torch, as JSON; from the cache where it was checked before.

    as_json: how the command ends where own Python takes too long.
    """
    key = check_cache.key_of(project)
    if key and (known := check_cache.find(key)) is not None:
        return known
    from core.analyse import analyse_project, report_json
    from core.analyse.flop_counter import leave_out_compiler
    from core.analyse.run_once import run_once

    leave_out_compiler()
    with limits.limited(project, as_json):
        report = report_json(run_once(analyse_project(project)))
    if key:
        check_cache.keep(key, report)
    return report


def needed(project: Any, args: argparse.Namespace) -> list[Any]:
    """Warnings of data, weights and runs that the project needs and that are not here."""
    from core.prepare.requirements import missing

    files.look_beside(args.file)
    path = args.file.absolute()
    needs = missing(project, path.parent, args.runs)
    return [
        *needs,
        *(need for _, kind in parts("file") for need in kind.lacks(project, path, needs)),
    ]


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
