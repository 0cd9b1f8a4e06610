"""torch's compiler, which an import of a model asks no more than two small questions.

It takes most of a second to import. Inside `without_compiler` stand-ins answer those questions as
it does where nothing is compiled; any other question brings in the compiler itself, which stays.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from types import ModuleType
from typing import Any

COMPILER, QUESTIONS = "torch._dynamo", "torch._dynamo.utils"


def real(name: str) -> Any:
    """A part of the compiler itself, imported if that was not done before."""
    for one in ANSWERS:
        if isinstance(sys.modules.get(one), Later):
            del sys.modules[one]
    return importlib.import_module(name)


class Later(ModuleType):
    """Stands in for a part: knows one of its functions, and asks the part for all else."""

    def __init__(self, name: str, known: dict[str, Callable[..., Any]]) -> None:
        super().__init__(name)
        self.__dict__.update(known)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(real(self.__name__), name)


class Inside:
    """Brings in the compiler when a module inside of it is imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find what is inside the compiler once it is there, and nothing else."""
        if not name.startswith(f"{COMPILER}.") or not isinstance(sys.modules.get(COMPILER), Later):
            return None
        real(COMPILER)
        if name in sys.modules:
            return spec_from_loader(name, Existing(sys.modules[name]))
        return find_spec(name)


class Existing(Loader):
    """Gives a module that was imported on the way."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Give it."""
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Leave it: it has run."""


def disable(function: Callable[..., Any], *args: Any, **settings: Any) -> Callable[..., Any]:
    """Hide a function from the compiler, as soon as there is one."""

    def call(*given: Any, **named: Any) -> Any:
        if isinstance(sys.modules.get(COMPILER), (Later, type(None))):
            return function(*given, **named)
        return real(COMPILER).disable(function, *args, **settings)(*given, **named)

    return call


def is_compile_supported(device_type: str) -> bool:
    """Ask the compiler."""
    return bool(real(QUESTIONS).is_compile_supported(device_type))


ANSWERS: dict[str, dict[str, Callable[..., Any]]] = {
    COMPILER: {"disable": disable},
    QUESTIONS: {"is_compile_supported": is_compile_supported},
}


@contextmanager
def without_compiler() -> Iterator[None]:
    """Let stand-ins stand in for a compiler that is not there yet. For one thread alone."""
    import torch  # noqa: F401  (not under a stand-in of its own part)

    missing = {n: Later(n, known) for n, known in ANSWERS.items() if n not in sys.modules}
    finder: Any = Inside()
    sys.modules.update(missing)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name, stand_in in missing.items():
            if sys.modules.get(name) is stand_in:
                del sys.modules[name]
