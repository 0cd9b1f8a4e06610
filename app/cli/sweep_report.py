"""What `layerloom sweep` says: a line per trial, the table, the best settings as a command."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.cli import output
from app.cli.progress import duration, number
from core.sweep.search_space import said, text_of

Found = dict[str, Any]


def line(found: Found, metric: str, count: int) -> str:
    """Write a trial in a line."""
    width = len(str(count))
    began = f"trial {found['trial']:>{width}}/{count}"
    took = "" if found["seconds"] is None else f"  {duration(found['seconds'])}"
    run = f"  ({found['run']})" if found["run"] else ""
    return f"{began}  {outcome(found, metric)}{took}  {said(found['settings'])}{run}"


def outcome(found: Found, metric: str) -> str:
    """What came of a trial, in words."""
    again = f" as trial {found['as']}" if found["as"] else ""
    if found["value"] is not None:
        why = f" ({found['reason']})" if found["reason"] else ""
        return f"{metric} {number(metric, found['value'])}{again}{why}"
    if found["state"] == "pruned":
        return f"pruned at epoch {found['epoch']}{again}"
    return f"{found['state']}{again}: {found['reason']}" if found["reason"] else found["state"]


def print_results(found: Found) -> None:
    """Print the table, best first, and the best settings as a command."""
    metric, rows = found["goal"]["metric"], found["trials"]
    if not rows:
        return
    keys = list(dict.fromkeys(key for row in rows for key in row["settings"]))
    header = ("trial", metric, "state", *keys, "run")
    print(output.table(header, [cells(row, metric, keys) for row in rows]))
    if not found["best"]:
        output.say("No trial finished, so there is no best one.")
        return
    if found["importances"]:
        shares = (f"{key} {share:.0%}" for key, share in found["importances"].items())
        print(f"\nHow much each mattered: {', '.join(shares)}")
    best = found["best"]
    print(f"\nBest: trial {best['trial']}, {metric} {number(metric, best['value'])}")
    print(command_of(found))


def cells(row: Found, metric: str, keys: Sequence[str]) -> tuple[str, ...]:
    """Write a trial as cells of the table."""
    value = "" if row["value"] is None else number(metric, row["value"])
    state = f"as trial {row['as']}" if row["as"] else row["state"]
    known = row["settings"]
    settings = (text_of(known[key]) if key in known else "" for key in keys)
    return (str(row["trial"]), value, state, *settings, row["run"] or "")


def command_of(found: Found) -> str | None:
    """The command that trains with the best settings."""
    if not found["best"]:
        return None
    values = {**found["fixed"], **found["best"]["settings"]}
    pairs = (f"--set {shlex.quote(f'{key}={text_of(value)}')}" for key, value in values.items())
    return f"layerloom train {output.shell_word(short(Path(found['file'])))} {' '.join(pairs)}"


def short(file: Path) -> str:
    """A file as people would write it from here."""
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)
