"""The order in which runs were made: by time, and by number where the clock was set back."""

import re
from collections.abc import Mapping

NUMBERED = re.compile(r"(.*-)(\d{3,9})", re.DOTALL)


def newest_first(made_s: Mapping[str, float]) -> list[str]:
    """Names of runs, the newest first. made_s: when each was made, by the clock of that day.

    A run is no older than those of its project with a lower number.
    """
    numbered = sorted((_number(name), name) for name in made_s)
    times, latest_s = dict[str, float](), dict[str, float]()
    for (stem, _), name in numbered:
        latest_s[stem] = times[name] = max(made_s[name], latest_s.get(stem, made_s[name]))
    return sorted(made_s, key=lambda name: (times[name], _number(name)), reverse=True)


def _number(name: str) -> tuple[str, int]:
    """The stem that a run shares with those of its project, and its number."""
    found = NUMBERED.fullmatch(name)
    return (found[1], int(found[2])) if found else (f"{name}/", 0)
