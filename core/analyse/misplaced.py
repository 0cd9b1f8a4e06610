"""Keys of a node that stand at the wrong level of a project file: beside its settings, not in them.

What this version does not know is kept and only noticed. A setting of the block that stands beside
`settings` would be left out of the network without a word, so it is an error.
"""

from collections.abc import Collection

from blocks import Fix, Problem
from core.graph import Node


def misplaced_settings(node: Node, known: Collection[str]) -> list[Problem]:
    """An error for each key beside the settings that is a setting of the block, with its remedy.

    A key that is among the settings too has no effect there and is kept.
    """
    found = [key for key in node.extra if key in known and key not in node.settings]
    return [_problem(node, key) for key in found]


def _problem(node: Node, key: str) -> Problem:
    value = node.extra[key]
    move = Fix(f"Move {key!r} into the settings", ({"op": "set", "settings": {key: value}},))
    message = (
        f"has {key!r} ({value!r}) beside its settings, where it has no effect; it is a setting of "
        f"{node.block}."
    )
    hint = f'Move it into "settings" of the project file, or remove it there: {{"{key}": ...}}.'
    return Problem("misplaced_setting", message, hint, (move,))
