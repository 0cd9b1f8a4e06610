"""Build a live module from source text: audited against the allow-list, then executed as it is.

Generated source gets only the builtins it uses; source with the user's own classes, which are
trusted, gets all of them.
"""

import ast
import builtins
import hashlib
import linecache
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from core.source.audit import (
    CALLABLE,
    KINDS,
    STEP_CALLS,
    TOO_DEEP,
    AuditError,
    audit,
    audit_step,
    own_classes,
)

KEPT = 64
MACHINERY = ("__build_class__", "__import__")  # what class and import statements call
BUILTINS = {
    name: getattr(builtins, name)
    for name in (*CALLABLE, *KINDS, *MACHINERY, "ValueError")
    if hasattr(builtins, name)
}


def build(source: str, class_name: str | None = None) -> nn.Module:
    """Execute a model file and construct its class (the last one, if no name is given).

    The text is registered in linecache and sys.modules, so that tracebacks show its lines and
    torch.jit.script finds it. Raises AuditError for source that no graph could have produced.
    """
    module = loaded(source)
    mine = vars(module).values()
    classes = [v for v in mine if isinstance(v, type) and v.__module__ == module.__name__]
    chosen = getattr(module, class_name) if class_name else classes[-1]
    return chosen()


def loaded(source: str) -> types.ModuleType:
    """The module of a model file, executed once per text if the audit lets it pass.

    One with own Python is audited each time: it may not be trusted any more. Raises AuditError.
    """
    name = f"layerloom_model_{hashlib.sha256(source.encode()).hexdigest()}"
    known = sys.modules.get(name)
    if known is not None and vars(known)["__builtins__"] is not vars(builtins):
        return known
    tree = audit(source)
    if known is not None:
        return known
    module = types.ModuleType(name)
    module.__file__ = f"<{name}>"
    code = _compiled(tree, module.__file__)
    lines = source.splitlines(keepends=True)
    linecache.cache[module.__file__] = (len(source), None, lines, module.__file__)
    if not own_classes(tree, source):
        module.__dict__["__builtins__"] = dict(BUILTINS)
    exec(code, module.__dict__)
    sys.modules[name] = module
    _forget_old()
    return module


def step_function(source: str, written: str, names: Mapping[str, Any]) -> Callable[[Any], None]:
    """Execute the text of a training step, if the audit lets it pass; give the function.

    written: the text it was folded from. names: what it may use. Raises AuditError.
    """
    tree = audit_step(source, written, frozenset(names))
    place = f"<layerloom_step_{hashlib.sha256(source.encode()).hexdigest()[:16]}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[place] = (len(source), None, lines, place)
    # torch imports its own parts on first use by the caller's builtins; the audit keeps it from us
    kept = {name: getattr(builtins, name) for name in (*STEP_CALLS, "__import__")}
    module: dict[str, Any] = {**names, "__builtins__": kept}
    exec(_compiled(tree, place), module)
    return module["train_step"]


def _compiled(tree: ast.Module, place: str) -> types.CodeType:
    try:
        return compile(tree, place, "exec")
    except (SyntaxError, ValueError) as error:
        raise AuditError(f"the source is not Python: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise AuditError(TOO_DEEP) from error


def _forget_old() -> None:
    """Keep the last models only: a long-lived worker builds a new one after every edit."""
    names = [name for name in sys.modules if name.startswith("layerloom_model_")]
    for name in names[:-KEPT]:
        linecache.cache.pop(f"<{name}>", None)
        del sys.modules[name]
