"""Merge of the positions on the canvas and of the notes."""

from collections.abc import Callable, Mapping, Sequence, Set
from difflib import SequenceMatcher
from json import dumps
from typing import Any

from core.files.messages import quote
from core.wings.merge.order import order_of
from core.wings.merge.values import MISSING, MergeLog, is_map, merge_value, same

Spot = tuple[float, float]
Layout = Mapping[str, Spot]
PLACE = ("at", "size")
"""Where a note stands and how large it is: like places of blocks, never a conflict."""


def merge_layout(
    log: MergeLog,
    three: Sequence[Layout],
    blocks: Set[str],
    held: Mapping[str, int],
    say: Callable[[str], str],
) -> dict[str, Spot]:
    """Merge positions of nodes; where both moved one, ours holds and a remark says so.

    blocks: those of the merge; held: those that one side has, 1 for ours
    and 2 for theirs; by the names of the base.
    """
    base, ours, theirs = three
    positions: dict[str, Spot] = {}
    moved: list[str] = []
    for name in dict.fromkeys((*base, *ours, *theirs)):
        was, mine, yours = base.get(name), ours.get(name), theirs.get(name)
        spot = yours if held.get(name) == 2 else mine
        if name not in held and mine == was:
            spot = yours
        elif name not in held and yours not in (was, mine):
            if mine and yours:
                moved.append(say(name))
            else:
                spot = (mine or yours) if name in blocks else None
        if spot is not None:
            positions[name] = spot
    if moved:
        names = ", ".join(moved[:3]) + (", ..." if len(moved) > 3 else "")
        log.remarks.append(f"Both moved {names}; the position of ours is kept.")
    order, _ = order_of(list(base), list(ours), list(theirs), positions)
    return {name: positions[name] for name in order}


def merge_notes(log: MergeLog, three: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Merge notes, each recognised by its text, or by its index among the others."""
    base = {f"{index:06}": note for index, note in enumerate(three[0])}
    ours, theirs = (_aligned(list(three[0]), list(side)) for side in three[1:])
    notes: dict[str, Any] = {}
    for key in dict.fromkeys((*base, *ours, *theirs)):
        versions = [version.get(key, MISSING) for version in (base, ours, theirs)]
        notes[key] = _merge_note(log, *versions)
    keys = {key for key, note in notes.items() if note is not MISSING}
    order, _ = order_of(list(base), list(ours), list(theirs), keys)
    return tuple(notes[key] for key in order)


def _aligned(base: list[Any], side: list[Any]) -> dict[str, Any]:
    """The notes of a side by their index in the base; those it added by their content."""
    keys: list[str] = [""] * len(side)
    matcher = SequenceMatcher(None, [dumps(n) for n in base], [dumps(n) for n in side])
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal" or (tag == "replace" and i_end - i == j_end - j):
            keys[j:j_end] = [f"{index:06}" for index in range(i, i_end)]
    seen: dict[str, int] = {}
    for index, note in enumerate(side):
        if not keys[index]:
            text = dumps(note)
            seen[text] = seen.get(text, 0) + 1
            keys[index] = f"+{text}{seen[text]:06}"
    return dict(zip(keys, side, strict=True))


def _merge_note(log: MergeLog, base: Any, ours: Any, theirs: Any) -> Any:
    if same(theirs, base) or same(ours, theirs):
        return ours
    if same(ours, base):
        return theirs
    if ours is MISSING or theirs is MISSING:
        left = theirs if ours is MISSING else ours
        if same(_content_of(left), _content_of(base)):
            return MISSING
    title = f"note {_title(base)}"
    if not (is_map(ours) and is_map(theirs) and is_map(base)):
        log.differ((title,), base, ours, theirs)
        return ours
    content = merge_value(log, (title,), _content_of(base), _content_of(ours), _content_of(theirs))
    spots = {key: _spot(key, base, ours, theirs) for key in PLACE}
    merged = {**content, **{key: spot for key, spot in spots.items() if spot is not MISSING}}
    order, _ = order_of(list(base), list(ours), list(theirs), merged)
    return {key: merged[key] for key in order}


def _spot(key: str, *three: Mapping[str, Any]) -> Any:
    base, ours, theirs = (note.get(key, MISSING) for note in three)
    return theirs if same(ours, base) else ours


def _content_of(note: Any) -> Any:
    return {k: v for k, v in note.items() if k not in PLACE} if is_map(note) else note


def _title(note: Any) -> str:
    text: Any = note.get("text", "") if is_map(note) else note
    text = text if isinstance(text, str) else dumps(text)
    return quote(text if len(text) <= 30 else text[:27] + "...")
