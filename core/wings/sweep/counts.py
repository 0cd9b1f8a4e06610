"""How many trials of a sweep finished and failed, as every door says it. No torch, no Optuna."""

from collections.abc import Mapping, Sequence
from typing import Any

ENDED = ("finished", "pruned", "failed")
REASON = 200  # letters of an error in a line


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The number of trials in each state: {"finished", "pruned", "failed", "unfinished"}."""
    states = [row.get("state") for row in rows]
    found = {state: states.count(state) for state in ENDED}
    return {**found, "unfinished": len(states) - sum(found.values())}


def failed_reason(rows: Sequence[Mapping[str, Any]]) -> str:
    """The last line of the error of the first trial that failed, "" where none did."""
    failed = [row for row in rows if row.get("state") == "failed"]
    failed.sort(key=lambda row: int(row.get("trial") or 0))
    reasons = (str(row.get("reason") or "").strip() for row in failed)
    first = next(filter(None, reasons), "")
    return first.splitlines()[-1][:REASON] if first else ""


def outcome_of(rows: Sequence[Mapping[str, Any]], total: int) -> str:
    """ "2 of 6 finished, 4 failed: REASON", "" where none failed."""
    found = counts(rows)
    if not found["failed"]:
        return ""
    pruned = f", {found['pruned']} pruned" if found["pruned"] else ""
    reason = failed_reason(rows)
    text = f"{found['finished']} of {total} finished{pruned}, {found['failed']} failed"
    return f"{text}: {reason}" if reason else f"{text}."


def among(rows: Sequence[Mapping[str, Any]]) -> str:
    """What a winner is the best of, where some trials failed: " of 2 that finished; 4 failed"."""
    found = counts(rows)
    if not found["failed"]:
        return ""
    return f" of {found['finished']} that finished; {found['failed']} failed"
