"""Forms of what is written in files: the keys of a claim, and how each value is read. No torch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from blocks import CATALOGUE
from core.claims.model import Check
from core.files.messages import at, fail, one_of, quote
from core.project import values

LONGEST = 700
MOST = 10_000_000
_KEY = 40


@dataclass(frozen=True)
class Key:
    """How one key of a form is read, and whether it may be left out."""

    read: Callable[[Any, str], Any]
    optional: bool = False


def words(value: Any, path: str, longest: int = LONGEST) -> str:
    """Read a text for people; one that is not in the usual Unicode form is refused."""
    notices: values.Notes = []
    content = values.text(value, path, longest, notices)
    if notices or not content.strip():
        fail(path, "needs text in the usual Unicode form (NFC).", "Type it again.")
    return content


def node(value: Any, path: str) -> str:
    """Read the id of a node."""
    name = words(value, path, _KEY)
    values.identifier(name, path, "Use the id of a block in the template.")
    return name


def word(value: Any, path: str) -> str:
    """Read a short name, of a setting or a metric."""
    return words(value, path, _KEY)


def block(value: Any, path: str) -> str:
    """Read the name of a block."""
    name = words(value, path, _KEY)
    if name not in CATALOGUE:
        fail(path, f"{quote(name)} is not a block.", "`layerloom blocks` lists them.")
    return name


def count(value: Any, path: str) -> int:
    """Read a whole number."""
    return values.whole(value, path, 0, MOST)


def number(value: Any, path: str) -> float:
    """Read a number."""
    return values.number(value, path, -1e9, 1e9)


def plain(value: Any, path: str) -> Any:
    """Read the value of a setting: a number, a text, true, false or null."""
    if value is not None and not isinstance(value, bool | int | float | str):
        fail(path, f"needs a plain value but receives {quote(value)}.", "Write a number or text.")
    return value


def pair(value: Any, path: str) -> tuple[Any, ...]:
    """Read two different values of a setting."""
    items = values.json_list(value, path)
    if len(items) != 2 or items[0] == items[1]:
        fail(path, "needs two different values.", "Write [value, value].")
    return tuple(plain(each, at(path, i)) for i, each in enumerate(items))


def shape(value: Any, path: str) -> tuple[int, ...]:
    """Read the sizes of a shape, batch left out."""
    items = values.json_list(value, path)
    return tuple(values.whole(each, at(path, i), 1, MOST) for i, each in enumerate(items))


Form = Mapping[str, Key]

DRAWN: dict[str, Form] = {
    "has": {
        "block": Key(block),
        "after": Key(node, optional=True),
        "before": Key(node, optional=True),
    },
    "lacks": {"block": Key(block)},
    "block_setting": {"node": Key(node), "setting": Key(word), "value": Key(plain)},
    "repeats": {"node": Key(node), "times": Key(count)},
    "data": {"setting": Key(word), "value": Key(plain)},
    "training": {"setting": Key(word), "value": Key(plain)},
}
"""Claims on a project alone, so they can also be checked on the project of a run."""
CLAIMS: dict[str, Form] = {
    **DRAWN,
    "no_errors": {},
    "error_on": {"node": Key(node)},
    "leaves": {"node": Key(node), "shape": Key(shape)},
    "params_below": {"count": Key(count)},
}
"""Claims on a project and on its report."""


def checks(value: Any, path: str, key: str, forms: Mapping[str, Form]) -> tuple[Check, ...]:
    """Read a list of checks, at least one: {key: kind, ...} with exactly the keys of the kind."""
    items = values.json_list(value, path)
    if not items:
        fail(path, "is empty.", "Leave it out, or write a check.")
    return tuple(_check(each, at(path, i), key, forms) for i, each in enumerate(items))


def _check(value: Any, path: str, key: str, forms: Mapping[str, Form]) -> Check:
    data = values.json_object(value, path)
    kind = data.get(key)
    if not isinstance(kind, str) or kind not in forms:
        fail(at(path, key), f"{quote(kind)} is not a {key}.", f"Choose one of: {one_of(forms)}.")
    return Check(kind, keys(data, path, forms[kind], (key,)))


def keys(
    data: Mapping[str, Any], path: str, form: Form, more: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Read the keys of a form, and refuse missing and further ones."""
    for name in data:
        if name not in form and name not in more:
            fail(at(path, name), "is not known.", f"Choose one of: {one_of([*more, *form])}.")
    for name, key in form.items():
        if name not in data and not key.optional:
            fail(at(path, name), "is missing.", "Add it.")
    return {n: k.read(data[n], at(path, n)) for n, k in form.items() if n in data}
