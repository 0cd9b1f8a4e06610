"""The two versions in a file in which git left a merge conflict between markers."""

import re
from dataclasses import dataclass

OPENING, BASE, MIDDLE, CLOSING = "<<<<<<<", "|||||||", "=======", ">>>>>>>"
_MARKER = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(?:[ \t]+(.*?))?\s*$")


@dataclass(frozen=True)
class MarkedText:
    """Both versions of a file, and the one before; None where git did not write it.

    our_name, their_name: what git calls the versions, such as HEAD and the name of a branch.
    """

    base: str | None
    ours: str
    theirs: str
    our_name: str = ""
    their_name: str = ""


def split_versions(text: str) -> MarkedText | None:
    """Take the versions apart; None where the markers are not whole."""
    versions: dict[str, list[str]] = {OPENING: [], BASE: [], MIDDLE: []}
    names = {OPENING: "", CLOSING: ""}
    inside, with_base = "", True
    for line in text.splitlines(keepends=True):
        marker = _MARKER.match(line)
        kind = marker[1] if marker else ""
        if kind and not _follows(kind, inside):
            return None
        if not kind:
            for each in [inside] if inside else versions:
                versions[each].append(line)
            continue
        with_base &= not (kind == MIDDLE and inside == OPENING)
        names |= {kind: marker[2] or names[kind]} if marker and kind in names else {}
        inside = "" if kind == CLOSING else kind
    if inside:
        return None
    base, ours, theirs = ("".join(versions[each]) for each in (BASE, OPENING, MIDDLE))
    return MarkedText(base if with_base else None, ours, theirs, names[OPENING], names[CLOSING])


def _follows(kind: str, inside: str) -> bool:
    """Whether a marker may stand after the one that came last ("" for none open)."""
    before = {OPENING: ("",), BASE: (OPENING,), MIDDLE: (OPENING, BASE), CLOSING: (MIDDLE,)}
    return inside in before[kind]
