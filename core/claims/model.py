"""A check as it stands in a file, and what came of it, as immutable values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


def _nothing() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Check:
    """A claim on a drawing, or a goal of runs: its kind, and what the kind asks for."""

    kind: str
    fields: Mapping[str, Any] = field(default_factory=_nothing)


@dataclass(frozen=True)
class ClaimResult:
    """A checked statement about a project. now: the current value in words, "" if of no use."""

    text: str
    holds: bool
    now: str = ""
