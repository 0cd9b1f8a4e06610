"""Output of `layerloom sweep`: a line per trial, the table, the best settings as a command."""

import shlex
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.cli import output
from app.cli.progress import number
from core.runs.duration import duration
from core.settings.literal import text_of
from core.tasks.metric_labels import with_deviation
from core.wings.sweep.counts import among, outcome_of
from core.wings.sweep.objective_text import objective_text
from core.wings.sweep.search_space import settings_text

Found = dict[str, Any]


def line(trial: Found, objectives: Sequence[Found], count: int) -> str:
    """Write a trial in a line."""
    width = len(str(count))
    began = f"trial {trial['trial']:>{width}}/{count}"
    took = "" if trial["seconds"] is None else f"  {duration(trial['seconds'])}"
    run = f"  ({trial['run']})" if trial["run"] else ""
    return f"{began}  {outcome(trial, objectives)}{took}  {settings_text(trial['settings'])}{run}"


def outcome(trial: Found, objectives: Sequence[Found]) -> str:
    """The outcome of a trial, in words."""
    again = f" same as trial {trial['as']}" if trial["as"] else ""
    why = f" ({trial['reason']})" if trial["reason"] else ""
    if trial["value"] is not None:
        values = zip(objectives, values_of(trial, objectives), strict=True)
        texts = (f"{about['name']} {text}" for about, text in values)
        return f"{', '.join(texts)}{again}{why}"
    if trial["state"] == "pruned":
        return f"pruned at epoch {trial['epoch']}{again}{why}"
    return f"{trial['state']}{again}: {trial['reason']}" if trial["reason"] else trial["state"]


def values_of(trial: Found, objectives: Sequence[Found]) -> list[str]:
    """The values of a trial by each objective, as text."""
    values = trial.get("values") or {}
    return [objective_text(each, values.get(each["name"]), 2) for each in objectives]


def repeated_reason(trial: Found, reasons: dict[str, int]) -> Found:
    """The trial, with a reference in place of an error that an earlier trial had already.

    reasons: errors so far and the trial of each; this one's is added.
    """
    if trial["state"] != "failed" or not trial["reason"]:
        return trial
    first = reasons.setdefault(trial["reason"], trial["trial"])
    return trial if first == trial["trial"] else {**trial, "reason": f"as trial {first}"}


def _say_failed(results: Found) -> None:
    """Say how many trials failed and why, and how to try them again."""
    rows = results["trials"]
    if text := outcome_of(rows, len(rows)):
        output.say(text)
        words = f"layerloom sweep --resume {output.shell_word(results['sweep'])} --retry-failed"
        output.say(f"`{words}` tries them again.")


def print_results(results: Found) -> None:
    """Print the table, best first, and the best settings as a command."""
    metric, rows = results["goal"]["metric"], results["trials"]
    if not rows:
        return
    keys = list(dict.fromkeys(key for row in rows for key in row["settings"]))
    scored, front = results["objectives"], results["front"]
    names = [each["name"] for each in scored]
    header = ("trial", *names, *(("front",) if front else ()), "state", *keys, "run")
    output.put(output.table(header, [cells(row, scored, front, keys) for row in rows]))
    _say_failed(results)
    if not results["best"]:
        output.say("No trial finished.")
        return
    values = [row["value"] for row in rows if row["value"] is not None]
    if keys == ["seed"] and len(values) > 1:
        middle, spread = statistics.mean(values), statistics.stdev(values)
        both = with_deviation(metric, middle, spread)
        output.put(f"\nOver {len(values)} seeds: {metric} {both}")
    if results["importances"]:
        shares = (f"{key} {share:.0%}" for key, share in results["importances"].items())
        output.put(f"\nImportance of each setting: {', '.join(shares)}")
    if means := results.get("folds"):
        output.put(f"\n{fold_table(means, metric)}")
        output.put(command_of(results) or "")
        return
    _put_best(results)
    output.put(command_of(results) or "")


def _put_best(results: Found) -> None:
    """Print the best trial, and the front where there is one."""
    rows, scored, front = results["trials"], results["objectives"], results["front"]
    best, names = results["best"], [each["name"] for each in scored]
    text = f"{values_of(best, scored)[0]}{among(rows)}"
    if front:
        output.put(f"\nFront of {' and '.join(names)}: {front_text(rows, scored, front)}")
        for note in filter(None, (each.get("note") for each in scored)):
            output.put(note)
        output.put(f"\nBest by {names[0]}: trial {best['trial']}, {text}")
    else:
        output.put(f"\nBest: trial {best['trial']}, {names[0]} {text}")


def front_text(rows: Sequence[Found], objectives: Sequence[Found], front: Sequence[int]) -> str:
    """The trials of the front with their values: "trial 4 (97.20%, 1,591)"."""
    by_number = {row["trial"]: row for row in rows}
    texts = (", ".join(values_of(by_number[number], objectives)) for number in front)
    return ", ".join(f"trial {number} ({text})" for number, text in zip(front, texts, strict=True))


def fold_table(means: Sequence[Found], metric: str) -> str:
    """Write mean and spread over the folds, the best first."""
    keys = list(dict.fromkeys(key for one in means for key in one["settings"]))
    rows = [
        (
            *(text_of(one["settings"].get(key)) for key in keys),
            number(metric, one["mean"]),
            "" if one["spread"] is None else number(metric, one["spread"]),
            str(one["folds"]),
        )
        for one in means
    ]
    return output.table((*keys, f"mean {metric}", "standard deviation", "folds"), rows)


def cells(
    row: Found, objectives: Sequence[Found], front: Sequence[int], keys: Sequence[str]
) -> tuple[str, ...]:
    """Write a trial as cells of the table; `front` has a column where there is one."""
    state = f"same as trial {row['as']}" if row["as"] else row["state"]
    known = row["settings"]
    settings = (text_of(known[key]) if key in known else "" for key in keys)
    mark = ("*" if row["trial"] in front else "",) if front else ()
    values = values_of(row, objectives)
    return (str(row["trial"]), *values, *mark, state, *settings, row["run"] or "")


def command_of(results: Found) -> str | None:
    """The command that trains with the best settings."""
    if not results["best"]:
        return None
    values = {**results["fixed"], **results["best"]["settings"]}
    if results.get("folds"):  # which say how good it is; one that is used learns from all
        values.pop("data.folds", None)
    pairs = (f"--set {shlex.quote(f'{key}={text_of(value)}')}" for key, value in values.items())
    file = short(Path(results["file"])) if results["file"] else "FILE"  # never saved, as yet
    return f"layerloom train {output.shell_word(file)} {' '.join(pairs)}"


def short(file: Path) -> str:
    """A file as people would write it from here."""
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)
