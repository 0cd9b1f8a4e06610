"""Values outside of a model that its functions can change: global variables, attributes of classes
and functions, variables around a function, defaults of arguments."""

import copy
import dis
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from torch import nn

from core.wings.importing.tracing.user_frame import is_library_file

Getter = Callable[[], Any]
READS = frozenset(("LOAD_GLOBAL", "STORE_GLOBAL", "LOAD_NAME"))
"""Instructions of Python that name a global variable."""
HOOKS = ("_forward_hooks", "_forward_pre_hooks")


def outside_values(module: nn.Module) -> dict[str, Getter]:
    """How to read each, by words for it."""
    return {words: getter for words, getter in reached(module).items() if _is_plain(getter())}


def reached(module: nn.Module) -> dict[str, Getter]:
    """The same, also of what is called: layers and functions."""
    found: dict[str, Getter] = {}
    seen: set[int] = set()
    for part in module.modules():
        for kind in type(part).__mro__:
            if not is_library_file(_file(kind)):
                found |= _of_class(kind, seen)
        hooks = (hook for name in HOOKS for hook in vars(part)[name].values())
        for value in (*vars(part).values(), *hooks):
            found |= _of(value, seen)
    return found


def snapshot(getters: Mapping[str, Getter]) -> dict[str, Any]:
    """Copies of the values that can be copied."""
    kept: dict[str, Any] = {}
    for name, getter in getters.items():
        try:
            kept[name] = copy.deepcopy(getter())
        except Exception:  # a file, a lock: nothing that can be compared
            continue
    return kept


def _file(kind: type) -> str:
    try:
        return inspect.getfile(kind)
    except (OSError, TypeError):
        return __file__  # a class without a file, such as object


def _of_class(kind: type, seen: set[int]) -> dict[str, Getter]:
    found: dict[str, Getter] = {}
    for name, value in list(vars(kind).items()):
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if isinstance(function, FunctionType):
            found |= _of(function, seen)
        elif not name.startswith("__"):
            found[f"the class attribute {kind.__name__}.{name}"] = partial(getattr, kind, name)
    return found


def _of(value: Any, seen: set[int]) -> dict[str, Getter]:
    """Of a function, and of those that it calls or has around it."""
    function = value.func if isinstance(value, partial) else getattr(value, "__func__", value)
    if not isinstance(function, FunctionType) or id(function) in seen:
        return {}
    seen.add(id(function))
    found: dict[str, Getter] = {}
    if not is_library_file(function.__code__.co_filename):
        for words, getter, now in _around(function):
            found |= {words: getter, **_of(now, seen)}
    return found


def _around(function: FunctionType) -> Iterator[tuple[str, Getter, Any]]:
    """Words for each value that a function has from outside, how to read it, and what it is now."""
    name, code, space = function.__name__, function.__code__, function.__globals__
    for free, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if free != "__class__":
            getter = partial(_content, cell)
            yield f"the variable {free} around {name}", getter, getter()
    for used in (n for n in _globals(code) if n in space):
        yield f"the global variable {used}", partial(space.get, used), space[used]
    for key, value in vars(function).items():
        yield f"the attribute {key} of {name}", partial(vars(function).get, key), value
    for number, value in enumerate(function.__defaults__ or ()):
        yield f"default {number + 1} of {name}", partial(_nothing_else, value), value


@lru_cache(maxsize=10_000)
def _globals(code: CodeType) -> tuple[str, ...]:
    """Names of global variables in a function and in those inside it."""
    names = [str(i.argval) for i in dis.get_instructions(code) if i.opname in READS]
    inner = (
        name for part in code.co_consts if isinstance(part, CodeType) for name in _globals(part)
    )
    return tuple(dict.fromkeys((*names, *inner)))


def held_by(value: Any) -> dict[str, Any]:
    """What an object of the user's holds, also in slots."""
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return held | getattr(value, "__dict__", {})


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None  # given no value yet


def _nothing_else(value: Any) -> Any:
    return value


def _is_plain(value: Any) -> bool:
    """Whether it is a value, and nothing that is called or imported."""
    return not callable(value) and not isinstance(value, ModuleType | property | classmethod)
