"""Effects of a model that a drawing omits: autocast, checkpoints, gradient hooks.

Each is reported with its line or layer.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import checkpoint

from core.wings.importing.tracing.recorder import Run
from core.wings.importing.tracing.run_sample import FAILURES
from core.wings.importing.tracing.user_frame import user_line

AUTOCAST = "A drawing computes in float32: remove autocast from forward, or set precision there."
CHECKPOINT = "The drawing runs that part once: call it without checkpoint."
HOOKS = "A drawing has torch's own gradients: train the original, or clip gradients by a setting."
AGAIN = next(
    name
    for name in (
        "_checkpoint_without_reentrant_generator_impl",
        "_checkpoint_without_reentrant_generator",
    )
    if hasattr(checkpoint, name)
)
"""The function that torch's checkpoint calls; in an older torch it has the second name."""
MOST = 3
"""Largest number of causes of one kind in a sentence."""


def find_omissions(model: nn.Module, run: Run | None, inputs: Sequence[Tensor]) -> list[str]:
    """A sentence for each kind of omitted effect, from one run of the model in its current
    mode."""
    kinds: dict[str, dict[str, None]] = {AUTOCAST: {}, CHECKPOINT: {}, HOOKS: {}}
    with ExitStack() as stack:
        for owner, name, remedy, words in WATCHED:
            stack.enter_context(_watch(owner, name, kinds[remedy], words))
        try:
            with torch.enable_grad(), torch.random.fork_rng(devices=[]):
                _ = run(model, *inputs) if run else model(*inputs)
        except FAILURES:
            pass  # what it did until then is named
    kinds[HOOKS] |= dict.fromkeys(gradient_hooks(model))
    return [f"{'; '.join([*found][:MOST])}. {remedy}" for remedy, found in kinds.items() if found]


def gradient_hooks(model: nn.Module) -> Iterator[str]:
    """Layers and parameters with a gradient hook."""
    for path, part in model.named_modules():
        if part._backward_hooks or part._backward_pre_hooks:
            yield f"{path or type(part).__name__} has a gradient hook"
    for name, parameter in model.named_parameters():
        after = getattr(parameter, "_post_accumulate_grad_hooks", None)
        if getattr(parameter, "_backward_hooks", None) or after:
            yield f"{name} has a gradient hook"


WATCHED: tuple[tuple[Any, str, str, str], ...] = (
    (torch.autocast, "__enter__", AUTOCAST, "autocast{} changes the precision"),
    (
        checkpoint,
        AGAIN,
        CHECKPOINT,
        "checkpoint{} runs its part again in the backward pass, so its norms update twice",
    ),
    (
        checkpoint.CheckpointFunction,
        "apply",
        CHECKPOINT,
        "checkpoint{} runs its part again in the backward pass, so its norms update twice",
    ),
    (Tensor, "register_hook", HOOKS, "register_hook{} sees a gradient"),
)
"""What is watched: owner and name, what to do about it, and the words for it."""


@contextmanager
def _watch(owner: Any, name: str, lines: dict[str, None], words: str) -> Iterator[None]:
    """Record the user's lines that call a function inside the context."""
    own = vars(owner).get(name)
    function: Callable[..., Any] = getattr(owner, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        lines[words.format(user_line())] = None
        return function(*args, **kwargs)

    bound = isinstance(owner, type) and hasattr(function, "__self__")
    setattr(owner, name, staticmethod(call) if bound else call)
    try:
        yield
    finally:
        if own is None:  # it is a base class's
            delattr(owner, name)
        else:
            setattr(owner, name, own)
