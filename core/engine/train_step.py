"""The training step of a run: the text of `step.py` with its settings folded in, audited, executed.

A training script shows the same text. What differs: who runs it gives names for its parts, and
keeps what a batch came to on the device instead of reading its loss.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.analyse.build import step_function
from core.engine.exchange import StepExchange
from core.engine.loader import StepLoader
from core.engine.nonfinite import SkippedSteps
from core.engine.objective import Objective
from core.engine.optim import Optimization
from core.engine.precision import Precision
from core.engine.step_output import StepOutput, concatenate
from core.script.step_text import step_text, written_step
from core.source.fold import Slots

Values = tuple[Tensor, ...]


class TrainStep:
    """Makes one step. source: the text that is executed."""

    def __init__(
        self,
        training: Mapping[str, Any],
        module: nn.Module,
        parts: tuple[Objective, Precision, Optimization],
        average: Any = None,
        skips: SkippedSteps | None = None,
        add_noise: Callable[[Values], Values] | None = None,
        exchange: StepExchange | None = None,
        **more: Any,
    ) -> None:
        """exchange: this process's part of a step that several make. more: values of
        constants in the text, other than those that the settings give."""
        self.objective, self.computing, recipe = parts
        self._made: list[StepOutput] = []
        groups = self.objective.groups
        noise = ("inputs = add_noise(inputs)",) if add_noise else ()
        slots: Slots = {
            **(exchange.slots if exchange else {}),
            "BATCH": "inputs, targets",
            "PREPARE": (*(("begin_micro_batch()",) if exchange else ()), *noise),
            "LOSS": "losses" if groups else "loss",
            "COMPUTE": "compute_losses(inputs, targets)",
            "PARAMETERS": "weights",
        }
        losses = [_own_loss(index, len(groups)) for index in range(len(groups))]
        fixed = {"SCRIPT": False, "MAX_MINUTES": None, "MOVES": recipe.per, **more}
        lines = step_text(training, slots, losses, **fixed)
        self.source = "\n".join(["def train_step(loader):", *(f"    {line}" for line in lines)])
        names = {
            "torch": torch,
            "nn": nn,
            "add_noise": add_noise,
            "average": average,
            "begin_micro_batch": exchange and exchange.begin,
            "compute_losses": self._losses,
            "device": torch.device(self.computing.device),
            "exchange": exchange and exchange.exchange,
            "model": module,
            "optimizer": recipe.optimisers[0],
            "optimizers": recipe.optimisers,
            "owned": [self.objective.owned(group) for group in groups],
            "scaler": self.computing.scaler,
            "scheduler": next(iter(recipe.schedules), None),
            "schedulers": recipe.schedules,
            "skips": skips,
            "weights": recipe.weights,
        }
        self._run = step_function(self.source, "\n".join(written_step().values()), names)

    def __call__(self, loader: StepLoader) -> StepOutput:
        """Make a step of the batches of a loader; return their output, as one."""
        made = self.outputs(loader)
        return made[0] if len(made) == 1 else concatenate(made)

    def outputs(self, loader: Iterable[Any]) -> list[StepOutput]:
        """Make a step of the batches of a loader; return the output of each."""
        self._made = []
        self._run(loader)
        made, self._made = self._made, []
        return made

    def _losses(self, inputs: Values, targets: Values) -> Tensor | Sequence[Tensor]:
        """The loss of a batch, or that of each group of weights; all of them are kept."""
        outputs, values, loss = self.computing.losses(inputs, targets)
        size = inputs[0].size(0)
        self._made.append(StepOutput(loss.detach(), values, outputs, targets, size))
        groups = self.objective.groups
        return [self.objective.total(values, group) for group in groups] if groups else loss


def _own_loss(index: int, many: int) -> Slots:
    """What moves the weights of one group, from outputs that further groups read too."""
    arguments = f"inputs=owned[{index}]"
    keep = "" if index == many - 1 else ", retain_graph=True"
    return {"ONE": f"losses[{index}]", "WEIGHTS": (), "ARGUMENTS": arguments + keep}
