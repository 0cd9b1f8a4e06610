"""Read messages from outside by their declaration; reject any other form."""

import functools
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum, auto
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Json = dict[str, Any]
Message = TypeVar("Message")


class BadMessage(Exception):
    """A message that is not part of the protocol; the text gives the reason, for log and screen."""


@dataclass(frozen=True)
class Range:
    """A whole number from `low` to `high`."""

    low: int
    high: int


@dataclass(frozen=True)
class Length:
    """A text or list of `low` to `high` characters or items."""

    low: int
    high: int


@dataclass(frozen=True)
class Read:
    """Only this form is checked here; the parts are checked where they are used."""

    form: Any


@dataclass(frozen=True)
class Key:
    """The name of the field in the message, where Python's is another."""

    name: str


@dataclass(frozen=True)
class TypeScript:
    """How TypeScript writes the type, where Python cannot."""

    text: str


class Depth(Enum):
    """How much of a form is checked.

    EXACT, also as a mark beside a type: objects may have no keys besides the declared ones.
    WHOLE: as EXACT, and all parts that `Read` leaves for later.
    """

    OPEN = auto()
    EXACT = auto()
    WHOLE = auto()


EXACT = Depth.EXACT
FORGIVING = object()
"""Marks a field that counts as left out where it has another form."""


def read(declared: type[Message], message: Any) -> Message:
    """Read a message as the dataclass that declares it. Raises BadMessage."""
    return cast(Message, _dataclass(declared, message, ""))


def check(declared: Any, value: Any) -> None:
    """Check that a value has exactly a declared form, in all its parts. Raises BadMessage."""
    _read(declared, value, "", Depth.WHOLE)


def _read(form: Any, value: Any, name: str, depth: Depth = Depth.OPEN) -> Any:
    """The value as `form` has it: dataclasses are made, all else stays as it is."""
    if get_origin(form) is Annotated:
        return _annotated(form, value, name, depth)
    origin = get_origin(form) or form
    if origin in (Union, types.UnionType):
        return _union(get_args(form), value, name, depth)
    if origin is Literal:
        if type(value) is not str or value not in get_args(form):
            raise BadMessage(f"{name} has no value {str(value)[:40]!r}.")
        return value
    if origin is list:
        return _list(get_args(form), value, name, depth)
    if origin is tuple:
        return _tuple(get_args(form), value, name, depth)
    if is_typeddict(origin):
        return _typed_dict(origin, value, name, depth)
    if origin is dict:
        return _dict(get_args(form), value, name, depth)
    return _plain(origin, value, name)


def _annotated(form: Any, value: Any, name: str, depth: Depth) -> Any:
    base, *marks = get_args(form)
    depth = EXACT if EXACT in marks and depth is Depth.OPEN else depth
    limits = [mark for mark in marks if isinstance(mark, Range | Length)]
    for limit in limits:
        _limited(base, limit, value, name)
    other = next((mark.form for mark in marks if isinstance(mark, Read)), None)
    form = base if other is None or depth is Depth.WHOLE else other
    return _read(form, value, name, depth)


def _limited(base: Any, limit: Range | Length, value: Any, name: str) -> None:
    if isinstance(limit, Range):
        if type(value) is not int or not limit.low <= value <= limit.high:
            raise BadMessage(f"{name} needs a whole number from {limit.low} to {limit.high}.")
    elif base is str and (not isinstance(value, str) or len(value) > limit.high):
        raise BadMessage(f"{name} needs a text of at most {limit.high} characters.")
    elif not isinstance(value, str | list):
        raise BadMessage(f"{name} must be a list.")
    elif not limit.low <= len(cast("Sequence[Any]", value)) <= limit.high:
        raise BadMessage(f"{name} needs {limit.low} to {limit.high} items.")


def _union(forms: Sequence[Any], value: Any, name: str, depth: Depth) -> Any:
    """Read as the first form that fits; where none does, the error is that of the last one."""
    if value is None and types.NoneType in forms:
        return None
    *others, last = [form for form in forms if form is not types.NoneType]
    for form in others:
        try:
            return _read(form, value, name, depth)
        except BadMessage:
            continue
    return _read(last, value, name, depth)


def _list(forms: Sequence[Any], value: Any, name: str, depth: Depth) -> Any:
    if not isinstance(value, list):
        raise BadMessage(f"{name} must be a list.")
    items = cast("list[Any]", value)
    return [_read(forms[0], item, f"{name}[{i}]", depth) for i, item in enumerate(items)]


def _tuple(forms: Sequence[Any], value: Any, name: str, depth: Depth) -> Any:
    if not isinstance(value, list) or len(cast("list[Any]", value)) != len(forms):
        raise BadMessage(f"{name} must be a list of {len(forms)}.")
    items = cast("list[Any]", value)
    return [_read(form, item, name, depth) for form, item in zip(forms, items, strict=True)]


def _dict(forms: Sequence[Any], value: Any, name: str, depth: Depth) -> Any:
    found = _object(value, name)
    if forms and forms[1] is not Any:
        for key, item in found.items():
            _read(forms[1], item, f"{name}.{key}", depth)
    return found


def _typed_dict(form: Any, value: Any, name: str, depth: Depth) -> Any:
    found, hints = _object(value, name), _hints(form)
    for key, hint in hints.items():
        optional = get_origin(hint) is NotRequired
        if key in found:
            _read(get_args(hint)[0] if optional else hint, found[key], f"{name}.{key}", depth)
        elif not optional and key in form.__required_keys__:
            raise BadMessage(f"{name} needs {key}.")
    more = [key for key in found if key not in hints]
    if depth is not Depth.OPEN and more:
        raise BadMessage(f"{name} has the unknown keys {', '.join(more)[:200]}.")
    return found


def _dataclass(form: Any, value: Any, name: str) -> Any:
    found = _object(value, name)
    return form(**{key: field(found) for key, field in _fields(form).items()})


@functools.cache
def _fields(form: Any) -> dict[str, Callable[[Json], Any]]:
    """A reader of each field of a dataclass, from the message that has it."""
    hints = _hints(form)
    return {each.name: functools.partial(_field, each, hints[each.name]) for each in fields(form)}


def _field(field: Field[Any], hint: Any, message: Json) -> Any:
    marks: tuple[Any, ...] = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    key = next((mark.name for mark in marks if isinstance(mark, Key)), field.name)
    optional = field.default is not MISSING or field.default_factory is not MISSING
    if key not in message and optional:
        return _default(field)
    try:
        return _read(hint, message.get(key), key)
    except BadMessage:
        if FORGIVING in marks:
            return _default(field)
        raise


def _default(field: Field[Any]) -> Any:
    make = field.default_factory
    return field.default if make is MISSING else cast("Callable[[], Any]", make)()


def _object(value: Any, name: str) -> Json:
    if not isinstance(value, dict):
        raise BadMessage(f"{name or 'The message'} is not an object.")
    return cast(Json, value)


def _plain(form: Any, value: Any, name: str) -> Any:
    if form is Any:
        return value
    if isinstance(form, type) and hasattr(form, "__dataclass_fields__"):
        return _dataclass(form, value, name)
    kinds = {float: (int, float), str: (str,), int: (int,), bool: (bool,)}[form]
    if type(value) not in kinds:
        words = {float: "a number", str: "a text", int: "a whole number", bool: "true or false"}
        raise BadMessage(f"{name} needs {words[form]}.")
    return value


@functools.cache
def _hints(form: Any) -> Mapping[str, Any]:
    return get_type_hints(form, include_extras=True)
