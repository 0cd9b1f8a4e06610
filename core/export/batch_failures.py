"""A network that itself fails on a batch of some size is refused before anything is written."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import nn

from core.export.error_text import first_line
from core.export.parity import BATCHES, Inputs, run_seeded
from core.export.result import ExportError


def refuse_failing_batches(module: nn.Module, sample: Callable[[int], Inputs]) -> None:
    """Run the network on each size of batch that every file is compared on.

    Raises ExportError with the block, the size and the block's own error.
    """
    for batch in BATCHES:
        if why := failure(module, sample(batch)):
            raise ExportError(
                f"The network itself fails on a batch of {batch}. {why}",
                "A file has to take a batch of any size. Change this block, so that it does.",
            )


def failure(module: nn.Module, inputs: Inputs) -> str:
    """The block of a network that fails on a batch, and its error; "" where none does."""
    with _running(module) as running, torch.no_grad():
        try:
            run_seeded(module, inputs)
        except Exception as error:  # own Python raises whatever it likes
            where = f"{running[-1]}: " if running else ""
            return f"{where}{first_line(error)}."
    return ""


@contextmanager
def _running(module: nn.Module) -> Iterator[list[str]]:
    """The blocks whose forward has begun and not ended, the innermost last."""
    running = list[str]()
    handles = [
        handle
        for path, each in module.named_modules()
        if path
        for handle in (
            each.register_forward_pre_hook(
                lambda each, _, path=path: running.append(f"{path} ({type(each).__name__})")
            ),
            each.register_forward_hook(lambda *_: running.pop() and None),
        )
    ]
    try:
        yield running
    finally:
        for handle in handles:
            handle.remove()
