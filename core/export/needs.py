"""Tools that a format needs besides Layerloom's packages, checked in advance. No torch."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from core.engine.accelerations import cpp_compiler
from core.export.formats import Format


@dataclass(frozen=True)
class Need:
    """words: what it is, with its article. install: how to come by it. here: whether it is."""

    words: str
    install: str
    here: Callable[[], bool]


NEEDS = {
    "compiler": Need(
        "a C++ compiler (g++ or clang++)",
        "Install one: apt install g++, or Xcode's command line tools on a Mac.",
        lambda: bool(cpp_compiler()),
    ),
    "executorch": Need(
        "the package executorch",
        'Install it: pip install "layerloom[mobile]"',
        lambda: find_spec("executorch") is not None,
    ),
}


def missing(kind: Format) -> tuple[str, str]:
    """What is missing for a format on this machine, and what to do; "" twice if nothing."""
    for need in (NEEDS[name] for name in kind.needs):
        if not need.here():
            return (
                f"{kind.title} needs {need.words}, which is missing on this machine.",
                need.install,
            )
    return "", ""
