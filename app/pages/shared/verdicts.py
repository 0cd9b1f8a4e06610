"""The verdict on a run in a few words, for lists of runs."""

from pathlib import Path

from core.runs.listing import RunView
from core.runs.verdict import Kind, Verdict, verdict_of

LOOKS: dict[Kind, tuple[str, str]] = {
    "learned": ("green", ":material/check_circle:"),
    "improving": ("blue", ":material/trending_up:"),
    "short": ("orange", ":material/hourglass_empty:"),
    "guessing": ("orange", ":material/casino:"),
    "underfits": ("orange", ":material/trending_flat:"),
    "overfits": ("orange", ":material/call_split:"),
    "unstable": ("orange", ":material/ssid_chart:"),
    "exploded": ("red", ":material/warning:"),
    "none": ("gray", ":material/help:"),
}
SURPASSED = "blue", ":material/flag:"
"""Look of a network that learned, while a template does clearly better on the same data."""
_KNOWN: dict[Path, tuple[tuple[int, int], Verdict]] = {}
KEPT = 200  # verdicts that are not reached again until a run changes


def look(verdict: Verdict) -> tuple[str, str]:
    """The colour and the icon of a verdict."""
    return SURPASSED if verdict.kind == "learned" and verdict.template else LOOKS[verdict.kind]


def newest(view: RunView) -> Verdict:
    """The verdict on a run, cached until its files change."""
    try:
        size = (view.dir / "metrics.jsonl").stat().st_size
    except OSError:
        size = -1
    stamp = size, hash((view.state, view.attempt, view.step))
    known = _KNOWN.get(view.dir)
    if known is None or known[0] != stamp:
        if len(_KNOWN) >= KEPT:
            _KNOWN.clear()
        known = _KNOWN[view.dir] = stamp, verdict_of(view.dir, view)
    return known[1]


def word(view: RunView) -> str:
    """The verdict in a few words for a list, "" where there is none."""
    verdict = newest(view)
    return "" if verdict.kind == "none" else verdict.title
