"""Which versions of a project go when there are many: old ones that nobody named."""

from collections.abc import Collection, Mapping

ALL_OF = 100
"""So many of the last versions are all kept."""
MOST = 300
"""Versions without a name that are kept."""
DAY_S = 86_400


def thinned(when_s: Mapping[str, float], named: Collection[str]) -> list[str]:
    """The versions to delete. when_s: the time of each, in order; named: those kept for good.

    Of what is older than the last 100, the last of each day stays, up to 300 in all.
    """
    open_to = [version for version in when_s if version not in named]
    old, young = open_to[:-ALL_OF], open_to[-ALL_OF:]
    last_of_day = {int(when_s[version] // DAY_S): version for version in old}
    room = max(0, MOST - len(young))
    stay = {*young, *list(last_of_day.values())[-room:]}
    return [version for version in open_to if version not in stay]
