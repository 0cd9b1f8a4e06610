"""The kinds of goals in a lesson file: their keys and how each value is read."""

from typing import Any

from core.claims.forms import DRAWN, Form, Key, checks, number, pair, word
from core.claims.model import Check


def having(value: Any, path: str) -> tuple[Check, ...]:
    """Read the claims on the project of a run."""
    return checks(value, path, "claim", DRAWN)


_REST = {"having": Key(having, optional=True)}
_BESIDE = {"metric": Key(word), "over": Key(word), "times": Key(number), **_REST}

GOALS: dict[str, Form] = {
    "reaches": {"metric": Key(word), "at_least": Key(number), **_REST},
    "stays_below": {"metric": Key(word), "at_most": Key(number), **_REST},
    "drifts": _BESIDE,
    "keeps_close": _BESIDE,
    "apart": {"setting": Key(word), "values": Key(pair)},
    "finishes": _REST,
}
"""Goals of runs. reaches, stays_below: a metric at the best epoch, at least or at most so much;
drifts, keeps_close: at the end, at least or at most so many times another metric; apart: two
finished runs, one with each value of a setting."""
