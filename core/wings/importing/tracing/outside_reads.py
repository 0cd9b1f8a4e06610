"""What a model reads besides its inputs and weights: the clock, the system, global variables."""

import dis
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from torch import nn

from core.wings.importing.tracing.user_frame import is_users_file

READ = {
    "time": "the clock",
    "datetime": "the clock",
    "os": "the system",
    "posix": "the system",
    "nt": "the system",
    "uuid": "random numbers from outside of torch",
    "secrets": "random numbers from outside of torch",
    "random": "random numbers from outside of torch",
    "_random": "random numbers from outside of torch",
    "io": "a file",
    "_io": "a file",
    "pathlib.open": "a file",
    "pathlib.read_text": "a file",
    "pathlib.read_bytes": "a file",
    "torch.serialization.load": "a file",
    "os.environ": "the environment",
    "builtins.id": "an address in memory",
}
"""By module or function, what it gives."""

WRITES = ("write", "writelines", "flush", "close", "__exit__")
"""Functions of files that give nothing that was there before."""
LASTING = ("a file", "the environment")
"""What gives the same in every call of one run, and perhaps something else another day."""

SEEDS, SETS_SEED = "torch.random", "a seed of its own"
SEEDING = ("manual_seed", "seed", "set_rng_state")
"""Functions of torch.random that set where its random numbers begin."""


@contextmanager
def outside_reads() -> Iterator[dict[str, str]]:
    """What the user's lines inside the context read from outside of the model, by place."""
    found: dict[str, str] = {}

    def note(frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call" and _is_users(frame):
            owner = getattr(function, "__self__", None)
            home = getattr(function, "__module__", None) or _home(owner)
            _add(found, frame, home, getattr(function, "__name__", ""))
        elif event == "call":
            for line, name in _stored_globals(frame.f_code) if _is_users(frame) else ():
                place = f"{_owner(frame)} ({Path(frame.f_code.co_filename).name}, line {line})"
                found.setdefault(place, f"the global variable {name}")
            caller, home = frame.f_back, str(frame.f_globals.get("__name__", ""))
            while home == SEEDS and caller is not None and _is_torchs(caller):
                caller = caller.f_back  # torch calls it by wrappers of its own
            if caller is not None and _is_users(caller):
                name = frame.f_code.co_name
                environment = name == "getenv" or frame.f_locals.get("self") is os.environ
                _add(found, caller, *(("os", "environ") if environment else (home, name)))

    earlier = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(earlier)


def _is_users(frame: FrameType) -> bool:
    return is_users_file(frame.f_code.co_filename)


def _is_torchs(frame: FrameType) -> bool:
    """Whether a frame is of torch's own files."""
    return str(frame.f_globals.get("__name__", "")).startswith("torch.")


def _home(owner: Any) -> str:
    kind = owner if isinstance(owner, type) else type(owner)
    return "" if owner is None else kind.__module__


def _add(found: dict[str, str], frame: FrameType, home: str, name: str) -> None:
    """Note a call from a line of the user's; a library's own calls are its own affair."""
    seeds = home == SEEDS and name in SEEDING
    what = SETS_SEED if seeds else READ.get(f"{home}.{name}") or READ.get(home, "")
    if what and not (what == "a file" and name in WRITES):
        place = f"{_owner(frame)} ({Path(frame.f_code.co_filename).name}, line {frame.f_lineno})"
        found.setdefault(place, f"{what} ({home.strip('_')}.{name})")


def _owner(frame: FrameType) -> str:
    owner = next(iter(frame.f_locals.values()), None)  # whatever it calls itself
    return type(owner).__name__ if isinstance(owner, nn.Module) else frame.f_code.co_name


@lru_cache(maxsize=10_000)
def _stored_globals(code: CodeType) -> tuple[tuple[int, str], ...]:
    """Lines of a function that give a global variable a new value."""
    found: list[tuple[int, str]] = []
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = instruction.starts_line or line
        if instruction.opname == "STORE_GLOBAL":
            found.append((line, str(instruction.argval)))
    return tuple(found)
