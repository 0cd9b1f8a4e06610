"""From source text to a live module: audited against the allow-list, then executed as it stands."""

import hashlib
import linecache
import sys
import types

from torch import nn

from core.source.audit import audit

KEPT = 64


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
    """Execute a model file, if the audit lets it pass; the same text is executed once."""
    tree = audit(source)
    name = f"layerloom_model_{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    module = sys.modules.get(name)
    if module is None:
        module = types.ModuleType(name)
        module.__file__ = f"<{name}>"
        lines = source.splitlines(keepends=True)
        linecache.cache[module.__file__] = (len(source), None, lines, module.__file__)
        exec(compile(tree, module.__file__, "exec"), module.__dict__)
        sys.modules[name] = module
        _forget_old()
    return module


def _forget_old() -> None:
    """Keep the last models only: a long-lived worker builds a new one after every edit."""
    names = [name for name in sys.modules if name.startswith("layerloom_model_")]
    for name in names[:-KEPT]:
        linecache.cache.pop(f"<{name}>", None)
        del sys.modules[name]
