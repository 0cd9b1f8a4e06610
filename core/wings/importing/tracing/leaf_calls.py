"""Calls of leaf modules: their hooks run outside of the layer, so that what they compute is drawn.

The order is that of torch.nn.Module.__call__: hooks before, forward, hooks after.
"""

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

Forward = Callable[[tuple[Any, ...], dict[str, Any]], Any]


def has_hooks(module: nn.Module) -> bool:
    """Whether functions run before or after a module's forward."""
    return bool(module._forward_pre_hooks or module._forward_hooks)


def with_hooks(
    module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], forward: Forward
) -> Any:
    """Call the hooks of a module around `forward`, which is given their arguments."""
    words = dict(kwargs)
    for number, hook in module._forward_pre_hooks.items():
        if number in module._forward_pre_hooks_with_kwargs:
            changed: Any = hook(module, args, words)
            args, words = changed if changed is not None else (args, words)
        elif (changed := hook(module, args)) is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    result = forward(args, words)
    for number, after in module._forward_hooks.items():
        if number in module._forward_hooks_with_kwargs:
            changed = after(module, args, words, result)  # pyright: ignore[reportCallIssue]
        else:
            changed = after(module, args, result)
        result = result if changed is None else changed
    return result
