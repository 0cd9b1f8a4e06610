"""State of the trainer: network, optimisers, progress; state_dict and load_state_dict."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import MultiStepLR

from core.common.device import has
from core.common.errors import CheckpointError, Diverged
from core.data.batches.epochs import batches_of, noisy
from core.engine.ema import make_averaged
from core.engine.loader import DeviceSplit
from core.engine.metric_accumulator import MetricAccumulator
from core.engine.nonfinite import LOWER, SkippedSteps, not_finite
from core.engine.objective import Objective
from core.engine.optim import Optimization, configure_optimizers, has_stepped
from core.engine.precision import Precision
from core.engine.rng import rng_state, set_rng_state
from core.engine.snapshot import (
    StepPart,
    attributes_part,
    counters_part,
    network_part,
    optimiser_part,
    scaler_part,
    stateful_part,
)
from core.engine.train_step import TrainStep
from core.settings.step_settings import StepSettings

PROGRESS = ("epoch", "batch", "step", "best", "progress", "top", "diverged")


class TrainerState:
    """Everything that steps work on. `epoch` and `step` count what is complete."""

    def __init__(
        self,
        module: nn.Module,
        training: Mapping[str, Any],
        parts: tuple[DeviceSplit, DeviceSplit],
        objective: Objective,
        spreads: Sequence[float] = (),
        draw_weights: Tensor | None = None,
    ) -> None:
        self.module, self.training, self.objective = module, training, objective
        self.step_settings = StepSettings.of(training)
        self.train, self.validation = parts
        self.spreads = tuple(spreads) or (0.0,) * len(self.train.inputs)
        self.draw_weights = draw_weights
        self.epoch = self.batch = self.step = 0
        self.steps_per_epoch = len(self.batches_of_epoch())
        self.recipe: Optimization = configure_optimizers(module, training, self.steps_per_epoch)
        self.computing = Precision(module, training, objective)
        self.average = make_averaged(module, training["ema_decay"])
        self.skips = SkippedSteps() if training["on_not_finite"] == "skip" else None
        objective.assign_weights(module)
        if self.skips or self.computing.scaler:  # then the first step may be left out
            for optimiser in self.recipe.optimisers:
                has_stepped(optimiser)
        self.accumulator = MetricAccumulator(objective)
        self.best: dict[str, Any] | None = None
        self.progress: dict[str, Any] | None = None  # the last epoch that patience starts from
        self.top: list[dict[str, Any]] = []  # the best epochs, as many as keep_best, best first
        self.best_weights: dict[str, Tensor] | None = None
        self.diverged: Diverged | None = None
        self._noisy = any(self.spreads)
        self.train_step = self.step_of(self.average)

    @property
    def steps(self) -> int:
        """Steps in the whole run."""
        return self.steps_per_epoch * self.training["epochs"]

    @property
    def eval_model(self) -> nn.Module:
        """The network that is validated and kept: the averaged one where there is one."""
        return self.average.module if self.average else self.module

    @property
    def learner(self) -> nn.Module:
        """What steps are made of."""
        return self.module

    def batches_of_epoch(self) -> list[list[Tensor]]:
        """The batches of each step of the epoch under way."""
        training = self.training
        sampler = batches_of(training, len(self.train), self.draw_weights)
        sampler.set_epoch(self.epoch)
        on_host = sampler.batches()
        order = torch.cat(on_host).to(self.train.where)  # one transfer for all of them
        batches = order.split([len(indices) for indices in on_host])
        size = self.step_settings.batches
        return [list(batches[at : at + size]) for at in range(0, len(batches), size)]

    def use(self, recipe: Optimization) -> None:
        """Go on with other optimisers or schedules."""
        self.recipe = recipe
        self.train_step = self.step_of(self.average)

    def step_of(self, average: Any, **more: Any) -> TrainStep:
        """What makes a step of this network. average: follows its weights; None for nothing."""
        parts = (self.objective, self.computing, self.recipe)
        noise = self.add_noise if self._noisy else None
        return TrainStep(self.training, self.learner, parts, average, self.skips, noise, **more)

    def parts(self) -> dict[str, StepPart]:
        """Everything that steps change, by name: what is tried is undone in all of it."""
        found = {
            "model": network_part(self),
            "attributes": attributes_part(self.module),
            "chance": StepPart(rng_state, set_rng_state),
            "progress": counters_part(self, PROGRESS),
            "metrics": counters_part(self.accumulator, self.accumulator.changing()),
        }
        for at, optimiser in enumerate(self.recipe.optimisers):
            found[f"optimiser {at}"] = optimiser_part(optimiser)
        for at, schedule in enumerate(self.recipe.schedules):
            found[f"schedule {at}"] = stateful_part(schedule)
        if self.average:
            found["average"] = attributes_part(self.average.module)
        if self.skips:
            found["skips"] = counters_part(self.skips, vars(self.skips))
        if self.computing.scaler:
            found["scaler"] = scaler_part(self.computing.scaler)
        return found

    def add_noise(self, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Inputs with their noise."""
        if not self._noisy:
            return inputs
        return tuple(noisy(x, spread) for x, spread in zip(inputs, self.spreads, strict=True))

    def collect(self) -> None:
        """Bring losses and metrics of the steps since the last time to the host, in one go."""
        self.accumulator.compute()
        if self.diverged:
            return
        if self.skips:
            self.diverged = self.skips.too_many()
        elif self.accumulator.bad:
            step, loss = self.accumulator.bad
            self.diverged = Diverged(step, not_finite(loss, step, self.recipe.lr), LOWER)

    def drain_metrics(self) -> dict[str, list[Any]]:
        """The steps collected since the last time, as parallel lists."""
        self.collect()
        return self.accumulator.drain()

    def state_dict(self) -> dict[str, Any]:
        """Everything that training goes on from exactly: tensors and plain values only."""
        self.collect()
        return {
            "model": self.module.state_dict(),
            "average": self.average.state_dict() if self.average else None,
            "optimizers": [o.state_dict() for o in self.recipe.optimisers],
            "schedulers": [s.state_dict() for s in self.recipe.schedules],
            "epoch": self.epoch,
            "batch": self.batch,
            "step": self.step,
            **self.accumulator.state_dict(),
            "best": self.best,
            "progress": self.progress,
            "top": self.top,
            "skips": self.skips.state_dict() if self.skips else None,
            "scaler": self.computing.scaler.state_dict() if self.computing.scaler else None,
            "chance": rng_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go back to a saved state. Raises CheckpointError when it is of another network."""
        try:
            self.module.load_state_dict(state["model"])
            if self.average:
                self.average.load_state_dict(state["average"])
            restore_recipe(self.recipe, state)
            self.epoch, self.batch, self.step = state["epoch"], state["batch"], state["step"]
            before = self.batches_of_epoch()[: self.batch]
            self.accumulator.load_state_dict(state, sum(len(i) for group in before for i in group))
            self.best, self.top = state["best"], list(state.get("top", ()))
            self.progress = state.get("progress", state["best"])
            if self.skips and state.get("skips"):
                self.skips.load_state_dict(state["skips"])
            if self.computing.scaler and state.get("scaler"):
                self.computing.scaler.load_state_dict(state["scaler"])
            set_rng_state(state["chance"])
        except (LookupError, RuntimeError, ValueError, TypeError) as error:
            message = f"The checkpoint does not fit this network: {str(error).splitlines()[0]}"
            raise CheckpointError("checkpoint", message, "Start the run again.") from error


def restore_recipe(recipe: Optimization, state: Mapping[str, Any]) -> None:
    """Bring optimisers and schedules to where those of a saved state are."""
    for optimiser, saved in zip(recipe.optimisers, state["optimizers"], strict=True):
        optimiser.load_state_dict(saved)
        _fit_device(optimiser)
        if state["step"]:
            has_stepped(optimiser)
    for schedule, saved in zip(recipe.schedules, state["schedulers"], strict=True):
        schedule.load_state_dict(saved)
        for part in (schedule, *getattr(schedule, "_schedulers", ())):
            if isinstance(part, MultiStepLR):  # checkpoints hold plain dictionaries only
                part.milestones = Counter(part.milestones)


def _fit_device(optimiser: torch.optim.Optimizer) -> None:
    """Count steps where the weights are: a recording on a GPU had them counted there."""
    for group in optimiser.param_groups:
        if group.get("capturable") and has(group["params"][0].device, "host"):
            group["capturable"] = False
