"""Comparison of an imported drawing with its original, in a small file beside the project.

It is valid for the drawing as imported; outputs that were not compared are listed, too.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.common.errors import ProjectError
from core.files.folder import write_bytes
from core.files.strict import decode, parse

ENDING = ".compared.json"
MAX_BYTES = 100_000
MOST = 16
LONGEST = 1000
"""Verdicts of one file, characters of a note: more is nothing that was written here."""


@dataclass(frozen=True)
class OutputComparison:
    """name: what was tried, as files have it. equal: bit for bit. note: how it differs, or why it
    was not tried. called: what people call it, where that is not its name."""

    name: str
    equal: bool | None
    note: str = ""
    called: str = ""

    @property
    def title(self) -> str:
        """What it is called for people."""
        return self.called or self.name

    def as_json(self) -> dict[str, Any]:
        """As JSON values, for the file."""
        more = {"called": self.called} if self.called else {}
        return {"name": self.name, "equal": self.equal, "note": self.note, **more}


@dataclass(frozen=True)
class Comparison:
    """verdicts: those that were reached. awaited: names of the others. ended: why there are any."""

    verdicts: tuple[OutputComparison, ...] = ()
    awaited: tuple[str, ...] = ()
    ended: str = ""

    @property
    def equal(self) -> int:
        """How many comparisons were equal."""
        return sum(verdict.equal is True for verdict in self.verdicts)

    @property
    def differing(self) -> tuple[OutputComparison, ...]:
        """The comparisons that were not equal."""
        return tuple(verdict for verdict in self.verdicts if verdict.equal is False)

    @property
    def untried(self) -> tuple[OutputComparison, ...]:
        """Those that the original itself has no answer for."""
        return tuple(verdict for verdict in self.verdicts if verdict.equal is None)

    def heard(self, verdict: OutputComparison) -> "Comparison":
        """The same with one verdict more."""
        awaited = tuple(name for name in self.awaited if name != verdict.name)
        return replace(self, verdicts=(*self.verdicts, verdict), awaited=awaited)


def beside(project: Path) -> Path:
    """Where the comparison of a project's file lies: beside it."""
    stem = project.name.removesuffix(".json").removesuffix(".loom")
    return project.with_name(stem + ENDING)


def as_json(comparison: Comparison) -> dict[str, Any]:
    """As JSON values, for the file."""
    verdicts = [verdict.as_json() for verdict in comparison.verdicts]
    return {"verdicts": verdicts, "awaited": list(comparison.awaited), "ended": comparison.ended}


def from_json(data: Any) -> Comparison:
    """Read what `as_json` wrote. Raises ProjectError where it is nothing of the kind."""
    with suppress(KeyError, TypeError):
        verdicts = tuple(_verdict(each) for each in data["verdicts"][:MOST])
        awaited = tuple(_text(name) for name in data["awaited"][:MOST])
        return Comparison(verdicts, awaited, _text(data["ended"]))
    raise ProjectError("", "is not a comparison of an imported model.", "Import the model again.")


def _verdict(data: Mapping[str, Any]) -> OutputComparison:
    if data["equal"] not in (True, False, None):
        raise TypeError
    return OutputComparison(
        _text(data["name"]), data["equal"], _text(data["note"]), _text(data.get("called", ""))
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value[:LONGEST]


def write_comparison(project: Path, comparison: Comparison) -> None:
    """Write it beside a project's file, never half. Raises ProjectError."""
    data = json.dumps(as_json(comparison), indent=2, ensure_ascii=False).encode()
    try:
        write_bytes(beside(project), data)
    except OSError as error:
        name = beside(project).name
        raise ProjectError(name, f"cannot be written: {error.strerror}.") from error


def read_comparison(project: Path) -> Comparison | None:
    """Read what lies beside a project's file; None where there is nothing. Raises ProjectError."""
    path = beside(project)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ProjectError(path.name, f"cannot be read: {error.strerror}.") from error
    return from_json(parse(decode(data, MAX_BYTES), MAX_BYTES))
