"""All ways of `layerloom look`: the `VIEWS` of every module of this folder and of the wings.

No torch here.
"""

from importlib import import_module
from pkgutil import iter_modules

from core.common import wing
from core.common.network_ref import NetworkRef
from core.insight import look as folder
from core.insight.look.view import LookRequest, LookResult, View


def _declared() -> list[View]:
    names = (found.name for found in iter_modules(folder.__path__, f"{folder.__name__}."))
    own = (import_module(name) for name in names if name != __name__)
    modules = (*own, *(part for _, part in wing.parts("look")))
    every = (view for module in modules for view in getattr(module, "VIEWS", ()))
    return sorted(every, key=lambda view: (view.order, view.name))


LOOKS = {view.name: view for view in _declared()}


def look(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Look at a network in one way. Raises what the way raises, with a message and a hint."""
    return LOOKS[request.what].calculate(ref, request)
