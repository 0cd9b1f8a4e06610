"""The lines with which git begins a merge conflict in a file."""

import re

_FOUND = re.compile(r"^<{7}(?: |$)", re.MULTILINE)


def has_markers(text: str) -> bool:
    """Whether a text has a line in which git begins a conflict. No project file has one."""
    return bool(_FOUND.search(text))
