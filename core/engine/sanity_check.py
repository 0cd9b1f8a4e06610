"""Sanity check, as in Lightning: network and losses on a few samples before training."""

import copy

import torch

from core.common.device import has
from core.common.errors import TrainingError
from core.data.batches.validation_batch import validation_batch
from core.engine.objective import LossTerm
from core.engine.rng import fork_rng
from core.engine.step_errors import is_of_calculation
from core.engine.trainer import Trainer
from core.runs.status import Status
from core.tasks.classification import WEIGHED
from core.tasks.metrics import as_tuple
from core.tasks.registry import LOSSES, has_trait, module_of

TRIED = 64  # samples that network and loss are tried on first


def sanity_check(engine: Trainer, status: Status) -> None:
    """Try network and losses on a few samples before training. Raises TrainingError."""
    with fork_rng(engine.module):  # to look at samples may vary them by chance
        inputs, targets = _first_samples(engine)
        try:
            if not has(inputs[0].device, "host"):
                _try_tokens(engine, inputs)
            outputs = as_tuple(engine.module(*inputs))
        except IndexError as error:
            raise _unknown_token(engine, inputs) from error
        for term in engine.objective.terms:
            for part in (engine.train, engine.validation):
                _check_classes(term, outputs, part.targets)
                _check_counts(term, part.targets)
            _check_term(term, outputs, targets, status)


def _first_samples(engine: Trainer) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
    """Inputs and targets of the first samples."""
    first = engine.train.inputs[0]
    some = min(TRIED, len(engine.train), validation_batch(2, first[:1].numel()))
    return engine.train.rows(torch.arange(some, device=first.device))


def _try_tokens(engine: Trainer, inputs: tuple[torch.Tensor, ...]) -> None:
    """Raise IndexError for a token out of range, which on a GPU would end the process."""
    if not all(x.is_floating_point() for x in inputs):
        copy.deepcopy(engine.module).cpu()(*(x.cpu() for x in inputs))


def _check_classes(
    term: LossTerm, outputs: tuple[torch.Tensor, ...], targets: tuple[torch.Tensor, ...]
) -> None:
    """Raise TrainingError for a class beyond the outputs, perhaps that of a few samples only."""
    target = None if term.target is None else targets[term.target]
    output = outputs[term.outputs[0]]
    if type(term.criterion).__name__ not in WEIGHED or output.ndim < 2:
        return
    if not isinstance(target, torch.Tensor) or target.is_floating_point() or not len(target):
        return
    counted = target.masked_fill(target == getattr(term.criterion, "ignore_index", -100), 0)
    count, largest = output.shape[-1 if term.declared.per_position else 1], int(counted.max())
    if largest >= count:
        message = (
            f"{type(term.criterion).__name__} cannot compare outputs {tuple(output.shape)} with"
        )
        message += f" targets from 0 to {largest}: class {largest} is out of bounds."
        hint = f"Set the last block to {largest + 1} outputs, or choose another loss."
        raise TrainingError("training.loss", message, hint)


def _check_counts(term: LossTerm, targets: tuple[torch.Tensor, ...]) -> None:
    """Raise TrainingError for a target below 0, which is not a count."""
    target = None if term.target is None else targets[term.target]
    if isinstance(term.criterion, torch.nn.PoissonNLLLoss) and isinstance(target, torch.Tensor):
        low = float(target.min())
        if low < 0:
            message = (
                f"PoissonNLLLoss needs counts of 0 or more but receives targets down to {low:.3g}."
            )
            hint = "Choose MSELoss, or targets that are counts."
            raise TrainingError("training.loss", message, hint)


def _check_distribution(term: LossTerm, outputs: tuple[torch.Tensor, ...]) -> None:
    """Raise TrainingError for rates and variances below 0."""
    quantity, output = "", outputs[term.outputs[-1]]
    if isinstance(term.criterion, torch.nn.GaussianNLLLoss):
        quantity = "variances"
    elif isinstance(term.criterion, torch.nn.PoissonNLLLoss) and not term.criterion.log_input:
        quantity = "rates"
    if quantity and float(output.min()) < 0:
        loss = type(term.criterion).__name__
        message = f"{loss} needs {quantity} of 0 or more but receives {float(output.min()):.3g}."
        other = ", or set log_input to true" if quantity == "rates" else ""
        raise TrainingError("training.loss", message, f"End the network with Softplus{other}.")


def _unknown_token(engine: Trainer, inputs: tuple[torch.Tensor, ...]) -> TrainingError:
    largest = max(int(x.max()) for x in inputs if not x.is_floating_point())
    sizes = {
        n: m.num_embeddings
        for n, m in engine.module.named_modules()
        if isinstance(m, torch.nn.Embedding)
    }
    name = min(sizes, key=lambda n: sizes[n], default="the embedding")
    message = f"{name} has {sizes.get(name, 0)} tokens but receives token {largest}."
    return TrainingError("network", message, f"Set num_embeddings to {largest + 1} or more.")


def _check_term(
    term: LossTerm,
    outputs: tuple[torch.Tensor, ...],
    targets: tuple[torch.Tensor, ...],
    status: Status,
) -> None:
    loss, output = type(term.criterion).__name__, outputs[term.outputs[0]]
    target = None if term.target is None else targets[term.target]
    if target is not None and len(term.outputs) == 1:
        _check_outputs(output, target, loss)
    _check_distribution(term, outputs)
    try:
        term.loss(outputs, targets)
    except (RuntimeError, ValueError, IndexError) as error:
        if is_of_calculation(error):
            raise
        message = f"{loss} cannot compare outputs {tuple(output.shape)} with targets "
        message += f"{tuple(target.shape) if target is not None else ()}: "
        message += str(error).splitlines()[0][:200]
        raise TrainingError("training.loss", message, "Choose another loss.") from error
    if has_trait(loss, "log_probabilities"):
        total = output.exp().sum(
            dim=-1 if term.declared.per_position or term.declared.reads_lengths else 1
        )
        if not torch.allclose(total, torch.ones_like(total), atol=1e-2):
            instead = LOSSES[loss].instead
            other = f", or use {instead}" if instead else ""
            status.warn(
                f"{loss} needs log-probabilities but receives other values. "
                f"End the network with LogSoftmax{other}."
            )


def _check_outputs(outputs: torch.Tensor, targets: torch.Tensor, loss: str) -> None:
    silent = not module_of(loss)  # torch broadcasts; a loss of ours checks shapes itself
    if silent and targets.is_floating_point() and outputs.shape != targets.shape:
        message = f"{loss} needs outputs of {tuple(targets.shape)} but receives "
        raise TrainingError(
            "training.loss",
            f"{message}{tuple(outputs.shape)}.",
            "Set the last block to one output per target.",
        )
    if has_trait(loss, "probabilities") and not bool(((outputs >= 0) & (outputs <= 1)).all()):
        low, high = float(outputs.min()), float(outputs.max())
        message = f"{loss} needs probabilities but receives values from {low:.3g} to {high:.3g}."
        hint = f"End the network with Sigmoid, or use {LOSSES[loss].instead}."
        raise TrainingError("training.loss", message, hint)
