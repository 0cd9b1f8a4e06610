"""The changes that checks offer, in a student's words."""

from collections.abc import Mapping
from typing import Any, cast

from blocks.spec import Fix
from blocks.validate import show_value


def set_to(title: str = "", /, **settings: Any) -> Fix:
    """Offer to set settings of this block; None removes a setting."""
    shown = " and ".join(f"{name} to {show_value(value)}" for name, value in settings.items())
    return Fix(title or f"Set {shown}", ({"op": "set", "settings": settings},))


def follow_wire(name: str) -> Fix:
    """Offer to remove a setting so that the wire decides it."""
    return set_to(f"Remove {name}: the wire decides it", **{name: None})


def insert(port: str, block: str, title: str = "", /, **settings: Any) -> Fix:
    """Offer a new block on the wire into a port."""
    edit = {"op": "insert", "port": port, "block": block, "settings": settings}
    return Fix(title or f"Insert {call(block, settings)} before it", (edit,))


def replace_by(block: str, **settings: Any) -> Fix:
    """Offer another block in this one's place."""
    edit = {"op": "replace", "block": block, "settings": settings}
    return Fix(f"Use {call(block, settings)} instead", (edit,))


def disconnect(port: str) -> Fix:
    """Offer to take away the wire into a port."""
    return Fix(f"Disconnect {port}", ({"op": "disconnect", "port": port},))


def rewire(port: str) -> Fix:
    """Offer other results of the right kind for a port."""
    return Fix(f"Wire another result to {port}", ({"op": "rewire", "port": port},))


def same_as(port: str, other: str) -> Fix:
    """Offer to feed a port with what feeds another one."""
    title = f"Connect the input of {other} to {port}, too"
    return Fix(title, ({"op": "same", "port": port, "as": other},))


def input_as(port: str, dtype: str) -> Fix:
    """Offer another dtype for the Input that feeds a port."""
    edit = {"op": "input", "port": port, "settings": {"dtype": dtype}}
    return Fix(f"Set the Input's dtype to {dtype}", (edit,))


def entries(value: Any) -> tuple[Any, ...]:
    """Read a size that is one number or a list as a tuple."""
    listed = isinstance(value, list | tuple)
    return tuple(cast("tuple[Any, ...]", value)) if listed else (value,)


def call(block: str, settings: Mapping[str, Any]) -> str:
    """Write a block with its settings for a title, such as flatten(start_dim=1)."""
    inner = ", ".join(f"{name}={show_value(value)}" for name, value in settings.items())
    return f"{block}({inner})" if inner else block
