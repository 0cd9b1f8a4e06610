"""What an older torch does not have yet.

A setting or block that torch got later says so in `since`. A setting at torch's default is written
nowhere, so only another value needs the newer torch, and a source always runs on the torch that it
was made with.
"""

import re
from collections.abc import Mapping
from typing import Any

from blocks.spec import Block, Fix, Problem, Setting
from blocks.validate import show_value


def release(version: str) -> tuple[int, ...]:
    """Read the numbers of a release: (2, 11, 0) of "2.11.0+cu128"."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def has(part: Setting | Block, torch: str) -> bool:
    """Whether torch of this version has the setting or block."""
    return not part.since or release(torch) >= release(part.since)


def newer_settings(block: Block, given: Mapping[str, Any], torch: str) -> list[Problem]:
    """Say which given settings need a newer torch than this version, or that the block does."""
    if not has(block, torch):
        return [_block_needs(block, torch)]
    return [
        _needs(setting, given[setting.name], torch)
        for setting in block.settings
        if not has(setting, torch) and given.get(setting.name, setting.default) != setting.default
    ]


def _block_needs(block: Block, torch: str) -> Problem:
    return Problem(
        "newer_torch",
        f"needs torch {block.since} or newer, as {block.name} does, but runs on torch {torch}.",
        f"Install torch {block.since} or newer, or use other blocks.",
    )


def _needs(setting: Setting, value: object, torch: str) -> Problem:
    name, usual = setting.name, show_value(setting.default)
    return Problem(
        "newer_torch",
        f"needs torch {setting.since} or newer for {name} {show_value(value)} but runs on torch "
        f"{torch}.",
        f"Install torch {setting.since} or newer, or leave {name} at {usual}.",
        (Fix(f"Remove {name} (torch's default)", ({"op": "set", "settings": {name: None}},)),),
    )
