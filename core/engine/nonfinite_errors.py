"""Errors that torch raises because values in a step are not finite, reported as divergence.

BCELoss, random draws and matrix decompositions raise for NaN; other operations return NaN.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.common.errors import Diverged
from core.engine.nonfinite import LOWER, first_nonfinite_step
from core.engine.rng import fork_rng
from core.engine.step_errors import is_of_calculation
from core.engine.trainer_state import TrainerState

REFUSALS = (RuntimeError, ValueError, IndexError, OverflowError)
"""What torch and Python raise for numbers that they cannot calculate with."""
Inputs = tuple[Tensor, ...]


def explain_refusal(
    engine: TrainerState, error: Exception, batches: Sequence[Inputs] = ()
) -> Diverged | None:
    """The divergence behind an error that is caused by values that are not finite, or None.

    batches: inputs of the step that could not be made; none where it was a validation.
    """
    if is_of_calculation(error) or "CUDA" in str(error):
        return None
    engine.collect()
    if engine.diverged:
        return engine.diverged
    if name := first_nonfinite_step(engine.eval_model.state_dict()) or first_nonfinite_step(
        engine.module.state_dict()
    ):
        return _diverged(engine, bool(batches), f"{name} is no longer finite")
    seen = batches or [tuple(column[:1] for column in engine.validation.inputs)]
    names = (_first_bad_output(engine, inputs, training=bool(batches)) for inputs in seen)
    name = next(filter(None, names), "")
    if not name:
        return None
    return _diverged(engine, bool(batches), f"the output of {name} is not finite")


def _diverged(engine: TrainerState, training: bool, why: str) -> Diverged:
    step = engine.step + training
    loss = f"loss could not be calculated at step {step}"
    if not training:
        loss = f"validation loss could not be calculated after step {step}"
    return Diverged(step, f"The {loss} with a learning rate of {engine.recipe.lr:g}: {why}.", LOWER)


def _first_bad_output(engine: TrainerState, inputs: Inputs, training: bool) -> str:
    """The first block whose output is not finite although its inputs are.

    The network calculates once more, as it was when it was refused, perhaps to the same error.
    """
    nodes: list[str] = []
    module = engine.module if training else engine.eval_model

    def watch(name: str) -> Any:
        def hook(_module: nn.Module, _inputs: Any, output: Any) -> None:
            values = output if isinstance(output, tuple | list) else (output,)
            tensors = [v for v in values if isinstance(v, Tensor) and v.is_floating_point()]
            if not all(bool(torch.isfinite(value).all()) for value in tensors):
                nodes.append(name)

        return hook

    if not all(bool(torch.isfinite(x).all()) for x in inputs if x.is_floating_point()):
        return ""
    hooks = [m.register_forward_hook(watch(n or "the network")) for n, m in module.named_modules()]
    try:
        with fork_rng(module):
            module.train(training)
            module(*inputs)
    except REFUSALS:
        return nodes[0] if nodes else ""  # the same error again: what came before it is known
    finally:
        for hook in hooks:
            hook.remove()
    return nodes[0] if nodes else ""
