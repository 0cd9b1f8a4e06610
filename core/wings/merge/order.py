"""Merge of ordered lists: what both sides have first, then what one side added after it."""

from collections.abc import Collection, Sequence


def order_of(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], names: Collection[str]
) -> tuple[list[str], bool]:
    """Order `names`; and whether both sides reordered, so that ours holds.

    A name only one side has stays behind the one it stands behind there. Where both added behind
    one name the alphabet decides, so that it is the same whoever merges.
    """
    wanted = set(names)
    common = wanted & set(ours) & set(theirs)
    spine, clash = _spine(*([n for n in side if n in common] for side in (base, ours, theirs)))
    runs = [_runs(side, common, wanted) for side in (ours, theirs)]
    ordered: list[str] = []
    for anchor in ("", *(f"={name}" for name in spine)):
        ordered += [anchor[1:]] if anchor else []
        for run in sorted(filter(None, (side.get(anchor) for side in runs))):
            ordered += run
    return ordered, clash


def _spine(base: list[str], ours: list[str], theirs: list[str]) -> tuple[list[str], bool]:
    if ours == theirs:
        return ours, False
    old = set(base)
    mine, yours = ([name for name in side if name in old] for side in (ours, theirs))
    if mine == yours:
        return min(ours, theirs), False
    if mine == base:
        return theirs, False
    return ours, yours != base


def _runs(side: Sequence[str], common: set[str], wanted: set[str]) -> dict[str, list[str]]:
    """Names that only this side has, by the name of both that they follow ("=name"; "": none)."""
    runs: dict[str, list[str]] = {}
    anchor = ""
    for name in side:
        if name in common:
            anchor = f"={name}"
        elif name in wanted:
            runs.setdefault(anchor, []).append(name)
    return runs
