"""Tools that a format needs besides Layerloom's packages, checked in advance. No torch."""

from importlib.util import find_spec

from core.export.format import Format, Need


def _compiler() -> bool:
    from core.engine.accelerations import cpp_compiler

    return bool(cpp_compiler())


COMPILER = Need(
    "a C++ compiler (g++ or clang++)",
    "Install one: apt install g++, or Xcode's command line tools on a Mac.",
    _compiler,
)
EXECUTORCH = Need(
    "the package executorch",
    'Install it: pip install "layerloom[mobile]"',
    lambda: find_spec("executorch") is not None,
)


def missing(kind: Format) -> tuple[str, str]:
    """What is missing for a format on this machine, and what to do; "" twice if nothing."""
    for need in kind.needs:
        if not need.here():
            return (
                f"{kind.title} needs {need.words}, which is missing on this machine.",
                need.install,
            )
    return "", ""
