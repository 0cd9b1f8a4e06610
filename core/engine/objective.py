"""The objective of a training: the losses of a step, and the weights that each of them updates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from core.common.device import has
from core.common.errors import TrainingError
from core.data.facts.loss_terms import LossTermSpec
from core.tasks.ctc import ctc_arguments
from core.tasks.losses import TENSORS
from core.tasks.metrics import Measure, measure_of, named
from core.tasks.readout import Readout
from core.tasks.registry import kind_of, module_of, readout_of
from core.tasks.task import TargetKind, function_of

COUNTED = 4096
"""Targets whose classes are counted in one go."""
Values = Sequence[Tensor]
Outputs = Sequence[Tensor] | Mapping[int, Tensor]
"""Outputs of a network by index; those that no loss reads may be missing."""


def in_reach_of_float64(tensor: Tensor) -> Tensor:
    """The tensor, on the processor if the GPU of a Mac holds it: that has no float64 for sums."""
    return tensor.cpu() if has(tensor.device, "short") else tensor


@dataclass(frozen=True)
class LossTerm:
    """One loss. outputs: places of the outputs it reads; target: place of its target, or None.

    constant: what outputs are held against where there is no target. trains: the node whose
    weights it moves, "" for all.
    """

    name: str
    criterion: Callable[..., Tensor]
    outputs: tuple[int, ...] = (0,)
    target: int | None = 0
    constant: float | None = None
    kind: str = ""
    weight: float = 1.0
    trains: str = ""
    measure: Measure | None = None

    @property
    def declared(self) -> TargetKind:
        """The kind of its target."""
        return kind_of(self.kind)

    @property
    def readout(self) -> Readout:
        """What the outputs that it reads mean."""
        return readout_of(self.measure.kind if self.measure else self.kind)

    def loss(self, outputs: Values, targets: Values) -> Tensor:
        """The mean loss over a batch."""
        read = [outputs[index] for index in self.outputs]
        if self.constant is not None:
            return self.criterion(read[0], torch.full_like(read[0], self.constant))
        if self.target is None:
            return self.criterion(*read)
        target = targets[self.target]
        if self.declared.per_position:
            return self.criterion(read[0].flatten(0, 1), target.flatten())
        return self.criterion(*self.arguments(read, target))

    def arguments(self, read: Values, target: Tensor) -> tuple[Any, ...]:
        """What its criterion takes, in torch's order, of the outputs it reads and their target."""
        if self.declared.reads_lengths:
            return ctc_arguments(read[0], target)
        if isinstance(self.criterion, nn.GaussianNLLLoss):
            mean, var = read
            return mean, target, var
        return (*read, target)

    def rows(self, outputs: Outputs, targets: Values) -> Tensor | None:
        """What each sample of a batch adds to the sums of its measure; None without one."""
        if self.measure is None:
            return None
        read = [in_reach_of_float64(outputs[index]) for index in self.outputs]
        targets = [in_reach_of_float64(target) for target in targets]
        if self.constant is not None:
            return self.measure.rows(read[0], torch.full_like(read[0], self.constant))
        if self.target is None:
            return self.measure.several(read, None)
        if self.measure.declared.outputs > 1:
            return self.measure.several(read, targets[self.target])
        return self.measure.rows(read[0], targets[self.target])

    def sums(self, outputs: Outputs, targets: Values) -> list[float]:
        """What its measure adds up over a batch; [] without one."""
        if self.measure and self.target is not None and len(self.outputs) == 1:
            read, target = outputs[self.outputs[0]], targets[self.target]
            return self.measure.sums(in_reach_of_float64(read), in_reach_of_float64(target))
        rows = self.rows(outputs, targets)
        return [] if rows is None else rows.sum(dim=0).tolist()

    @property
    def width(self) -> int:
        """How many sums it has."""
        return self.measure.width if self.measure else 0


class Objective:
    """All losses of a training. Usually one, of one output against one target."""

    def __init__(self, aims: Sequence[LossTerm]) -> None:
        self.terms = tuple(aims)
        self.several = len(self.terms) > 1
        self.groups = tuple(dict.fromkeys(aim.trains for aim in self.terms if aim.trains))
        self.read = tuple(sorted({i for aim in self.terms if aim.measure for i in aim.outputs}))
        own = len(self.terms) if self.several else 0
        self.width = sum(aim.width for aim in self.terms) + own
        self._weights: dict[str, list[nn.Parameter]] = {}

    @property
    def main(self) -> LossTerm:
        """The first loss that is measured: what views of single samples are about."""
        return next((aim for aim in self.terms if aim.measure), self.terms[0])

    def assign_weights(self, module: nn.Module) -> None:
        """Find whose weights each loss moves. Raises TrainingError for weights that none moves."""
        if not self.groups:
            return
        named_weights = {id(w): n for n, w in module.named_parameters() if w.requires_grad}
        for group in self.groups:
            part = getattr(module, group, None)
            weights = list(part.parameters()) if isinstance(part, nn.Module) else []
            self._weights[group] = [w for w in weights if w.requires_grad]
            if not self._weights[group]:
                message = f"training.losses trains {group}, which has no weights to learn."
                raise TrainingError(
                    "training.losses",
                    message,
                    "Name a block with weights of its own that is not frozen.",
                )
        moved = {id(w) for weights in self._weights.values() for w in weights}
        if left := [name for key, name in named_weights.items() if key not in moved]:
            message = f"No entry of training.losses trains {left[0]}."
            raise TrainingError(
                "training.losses", message, "Add one, or remove trains from all entries."
            )

    def values(self, outputs: Values, targets: Values) -> list[Tensor]:
        """Every loss of a batch, in order."""
        return [aim.loss(outputs, targets) for aim in self.terms]

    def total(self, values: Values, group: str = "") -> Tensor:
        """The weighted sum of losses: all of them, or those that train one node."""
        chosen = [
            v if aim.weight == 1.0 else aim.weight * v
            for aim, v in zip(self.terms, values, strict=True)
            if not group or aim.trains == group
        ]
        whole = chosen[0]
        for value in chosen[1:]:
            whole = whole + value
        return whole

    def owned(self, group: str) -> list[nn.Parameter]:
        """The weights that the losses of a group move."""
        return self._weights[group]

    def rows(self, outputs: Outputs, targets: Values) -> Tensor:
        """What each sample of a batch adds to the sums of all measures."""
        columns = [aim.rows(outputs, targets) for aim in self.terms]
        return torch.cat([rows for rows in columns if rows is not None], dim=1)

    def sums(self, outputs: Outputs, targets: Values) -> list[float]:
        """Sums of all measures over a batch."""
        return [value for aim in self.terms for value in aim.sums(outputs, targets)]

    def metrics(self, part: str, sums: Sequence[float], count: int) -> dict[str, float]:
        """Metrics of sums under the name of their part of the data, `count` samples.

        Where there are several losses each is told too, and all but the first measure go by the
        name of their loss.
        """
        metrics: dict[str, float] = {}
        at, plain = 0, not self.groups
        for aim in self.terms:
            if aim.measure is None:
                continue
            values = aim.measure.values(list(sums[at : at + aim.width]))
            metrics |= named(part if plain else f"{part}_{aim.name}", values)
            at, plain = at + aim.width, False
        if self.several:
            losses = zip(self.terms, sums[at:], strict=True)
            metrics |= {f"{part}_{aim.name}_loss": value / count for aim, value in losses}
        return metrics


def term_weight(class_weights: Any, targets: Tensor, classes: int) -> Tensor | None:
    """The weight of each class, (classes,); None where all count the same.

    given: "balanced" or a number for each. targets: of the training part, class numbers or, in
    floats, which labels (S, classes) there are.
    """
    if not class_weights:
        return None
    if class_weights != "balanced":
        return torch.tensor(class_weights, device=targets.device)
    if targets.is_floating_point():
        counts = targets.sum(dim=0).clamp_min(1)
        return targets.sum() / (classes * counts)
    counts = torch.zeros(classes, dtype=torch.int64)
    for some in targets.split(COUNTED):  # masks are read from their file
        counts = counts + torch.bincount(some[some >= 0].cpu(), minlength=classes)
    weights = counts.sum() / (classes * counts.clamp_min(1))
    return weights.to(targets.device)


def criterion_of(loss: str, settings: Mapping[str, Any]) -> nn.Module:
    """The module of a loss. settings: as a project holds them, or as torch takes them.

    Raises TrainingError with the sentence of a loss that refuses its settings.
    """
    numbers = {
        name: torch.tensor(value, dtype=torch.float32)
        for name, value in settings.items()
        if name in TENSORS and value is not None
    }
    written = module_of(loss)
    made = function_of(written) if written else getattr(nn, loss)
    try:
        return made(**{**settings, **numbers})
    except ValueError as error:
        raise TrainingError("training.loss_settings", str(error)) from error


def objective_of(
    terms: Sequence[LossTermSpec],
    training: Mapping[str, Any],
    unit: float = 1.0,
    weight: Tensor | None = None,
    middle: float = 0.0,
    classes: int = 0,
) -> Objective:
    """Build the losses that the data's terms and the training settings name.

    unit, middle: of a standardised number that is told. weight: of each class, (classes,), for the
    loss that training.loss names. classes: how many there are where each counts the same in what a
    run is judged by, else 0.
    """
    aims: list[LossTerm] = []
    target = 0
    for term in terms:
        loss = term.loss or training["loss"]
        settings = term.settings if term.loss else training["loss_settings"]
        index = target if term.column else None
        target += bool(term.column)
        measure = measure_of(term.kind, loss, settings, unit, middle, term.classes or classes)
        more = {"weight": weight} if weight is not None and not term.loss else {}
        criterion = torch.mean if loss == "mean" else criterion_of(loss, {**settings, **more})
        aims.append(
            LossTerm(
                term.name,
                criterion,
                term.outputs,
                index,
                term.constant,
                term.kind,
                term.weight,
                term.trains,
                measure,
            )
        )
    return Objective(aims)
