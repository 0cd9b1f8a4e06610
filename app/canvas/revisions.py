"""Numbered annotations, so that the canvas receives only the changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.canvas.annotations import annotations

Json = dict[str, Any]
Splice = tuple[int, int, list[str]]
"""So many lines stay, so many after them go, and these come in their place."""

KEPT = 4


class AnnotationVersions:
    """The last annotations of a session. `since` lists those that a canvas does not have yet."""

    def __init__(self) -> None:
        self.number = 0
        self._kept: dict[int, Json] = {}
        self._report: Json | None = None
        self._rest: tuple[Any, ...] = ()

    def add(
        self,
        report: Json,
        failed: str,
        missing: Sequence[Mapping[str, Any]] = (),
        unfit: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Take a report; a new number is given where the annotations on it are new.

        missing, unfit: warnings and errors besides those of the report.
        """
        rest = failed, missing, unfit
        if report is self._report and rest == self._rest:
            return
        old = self._kept.get(self.number)
        new = annotations(report, failed, self._report or {}, old or {}, missing, unfit)
        self._report, self._rest = report, rest
        if new == old:
            return
        self.number += 1
        self._kept[self.number] = new
        self._kept.pop(self.number - KEPT, None)

    def since(self, have: int) -> Json:
        """Return the number, and all annotations or what changed since those of number `have`."""
        new, old = self._kept[self.number], self._kept.get(have)
        if have == self.number:
            return {"told": self.number, "annotations": None, "changes": None}
        if old is None:
            return {"told": self.number, "annotations": new, "changes": None}
        changes = {"base": have, **difference(old, new)}
        return {"told": self.number, "annotations": None, "changes": changes}


def difference(old: Json, new: Json) -> Json:
    """The delta between two sets of annotations; frontend/src/store/annotationDelta.ts applies it.

    Nodes that only moved down in the source, as its splice says, are not listed.
    """
    change = _splice(old["source"], new["source"])
    before, after = old["nodes"], new["nodes"]
    nodes = {
        path: note
        for path, note in after.items()
        if not _only_moved(before.get(path), note, change)
    }
    gone = {path: None for path in before if path not in after}
    rest = {key: value for key, value in new.items() if key not in ("nodes", "source")}
    return {
        "nodes": {**nodes, **gone},
        "source": change if change else new["source"],
        "set": {key: value for key, value in rest.items() if value != old.get(key)},
    }


def _splice(old: str | None, new: str | None) -> Splice | None:
    if old is None or new is None:
        return None
    a, b = old.split("\n"), new.split("\n")
    most = min(len(a), len(b))
    same = next((i for i in range(most) if a[i] != b[i]), most)
    rest = most - same
    tail = next((i for i in range(rest) if a[-1 - i] != b[-1 - i]), rest)
    return same, len(a) - same - tail, b[same : len(b) - tail]


def _only_moved(
    old: Mapping[str, Any] | None, new: Mapping[str, Any], change: Splice | None
) -> bool:
    """Whether a note is the old one, its lines moved as the splice moves them."""
    if old is None:
        return False
    if change is None or "lines" not in old:
        return old == new
    same, gone, come = change
    lines = [line if line <= same else line + len(come) - gone for line in old["lines"]]
    return {**old, "lines": lines} == new
