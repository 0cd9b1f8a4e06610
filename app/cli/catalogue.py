"""`layerloom blocks`: the catalogue of blocks."""

import argparse
from collections.abc import Mapping
from typing import Any

from app.cli import output


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("blocks", help="the catalogue of blocks")
    command.add_argument("block", nargs="?", help="show one block in detail, such as Conv2d")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print all blocks by family, or one with its ports and settings."""
    from blocks.catalogue import catalogue_json

    catalogue = catalogue_json()
    if args.block is not None and args.block not in catalogue["blocks"]:
        raise unknown(args.block, list(catalogue["blocks"]))
    if args.json:
        blocks = catalogue["blocks"]
        output.answer(catalogue if args.block is None else {args.block: blocks[args.block]})
    elif args.block is not None:
        output.put("\n".join(in_full(args.block, catalogue["blocks"][args.block])))
    else:
        output.put("\n".join(listing(catalogue)))
    return 0


def unknown(name: str, names: list[str]) -> output.UsageError:
    """Word a block that is not there, with the nearest that is."""
    import difflib

    low: dict[str, list[str]] = {}
    for known in names:  # Conv2d and conv2d are two blocks
        low.setdefault(known.lower(), []).append(known)
    near = difflib.get_close_matches(name.lower(), low, n=1)
    hint = (
        f"Did you mean {' or '.join(low[near[0]])}?"
        if near
        else "`layerloom blocks` lists all of them."
    )
    return output.UsageError(f"There is no block called {name}.", hint)


def listing(catalogue: Mapping[str, Any]) -> list[str]:
    """Write every family with one line per block."""
    lines: list[str] = []
    width = max(len(name) for name in catalogue["blocks"])
    for family in catalogue["families"]:
        lines += ["", family["title"]]
        for name in family["blocks"]:
            lines.append(f"  {name:<{width}}  {catalogue['blocks'][name]['summary']}")
    return [
        *lines[1:],
        "",
        f"{len(catalogue['blocks'])} blocks. `layerloom blocks NAME` shows one.",
    ]


def in_full(name: str, block: Mapping[str, Any]) -> list[str]:
    """Write one block: what it does, its ports, every setting."""
    lines = [f"{name} ({block['family']})", block["summary"]]
    for title, key in (("in", "shape_in"), ("out", "shape_out"), ("docs", "reference")):
        if block.get(key):
            lines.append(f"  {title}: {block[key]}")
    if block["traits"]:
        lines.append(f"  is: {', '.join(block['traits'])}")
    for title in ("inputs", "outputs"):
        lines += ["", title]
        for port in block[title]:
            optional = " (optional)" if port.get("optional") else ""
            lines.append(f"  {port['name']}{optional}  {port.get('help') or ''}".rstrip())
    lines += ["", "settings"]
    width = max((len(setting["name"]) for setting in block["settings"]), default=0)
    for setting in block["settings"]:
        lines.append(f"  {setting['name']:<{width}}  {setting['help']} {limits(setting)}".rstrip())
    return lines


def limits(setting: Mapping[str, Any]) -> str:
    """Say a setting's kind, default and range in brackets."""
    parts = ["one of " + ", ".join(setting["choices"]) if setting.get("choices") else ""]
    parts[0] = parts[0] or str(setting["kind"])
    if setting.get("inferred"):
        parts.append("set by the input")
    elif "default" in setting:
        parts.append(f"default {setting['default']}")
    else:
        parts.append("required")
    if setting.get("low") is not None:
        parts.append(f"from {setting['low']:g}")
    if setting.get("high") is not None:
        parts.append(f"to {setting['high']:g}")
    return f"[{', '.join(parts)}]"
