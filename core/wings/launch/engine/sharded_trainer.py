"""A rank of a run whose weights are sharded over its processes (FSDP2).

Rank 0 keeps the whole network too, without gradients and optimiser, for validation, views and
checkpoints: it is gathered whenever rank 0 looks up. A checkpoint is that of any other run.
"""

import copy
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from core.engine.optim import configure_optimizers
from core.engine.precision import Precision
from core.engine.step_norms import StepNorms
from core.engine.train_step import TrainStep
from core.engine.trainer_state import restore_recipe
from core.wings.launch.engine.ranked_trainer import END, RankedTrainer
from core.wings.launch.engine.ranks import RankLost, Ranks
from core.wings.launch.engine.sharded_average import ShardedAverage, copy_into, tensors_of
from core.wings.launch.engine.sharded_step import ShardedStep
from core.wings.launch.engine.shards import joined, local, shard, shard_like, whole

STATE = 2.0
"""What rank 0 sends where it needs the state of the optimisers."""
GATHER_SHARE = 0.1
"""At most this share of the time goes to bringing whole weights to rank 0."""
LOST = ("gloo", "NCCL", "Connection closed", "Connection reset")
"""Words of an error of torch.distributed within torch's own exchanges."""

States = Mapping[int, Mapping[str, Any]]


class ShardedTrainer(RankedTrainer):
    """One of the processes of a run with sharded weights.

    Each block of `composites` is gathered by itself. Before it joins others it is an ordinary
    trainer, so that a checkpoint is loaded as ever.
    """

    makes_step = ShardedStep

    def __init__(self, *made_of: Any) -> None:
        self.shards: nn.Module | None = None
        self._average: ShardedAverage | None = None
        self._optimizers: list[dict[str, Any]] = []
        self._optimizers_at = -1
        self._own: Sequence[Tensor] = ()
        self._rest_until = 0.0
        self._norm: Tensor | None = None
        super().__init__(*made_of)

    @property
    def learner(self) -> nn.Module:
        """The sharded module."""
        return self.module if self.shards is None else self.shards

    def join(self, ranks: Ranks) -> None:
        """Be one of several processes from here on: keep shards of weights and optimisers."""
        self.ranks = ranks
        shards = self.module if ranks.rank else copy.deepcopy(self.module)
        shard(shards, self.composites, ranks, lambda: self.rank_step.turn)
        self._average = ShardedAverage(self.average, shards) if self.average else None
        self._shard_optimizers(shards)
        teacher = self.computing.teacher
        self.computing = Precision(shards, self.training, self.objective)
        self.computing.teacher = teacher
        self.shards = shards
        if ranks.rank:  # rank 0 alone keeps the whole network, and looks into it
            self.module, self.average = nn.Module(), None
            self._weights, self._modules, self._optimizers = {}, [], []
        self.use(self.recipe)

    def _shard_optimizers(self, shards: nn.Module) -> None:
        """Go on with optimisers of this rank's parts of the weights, as they treat each number
        alone; clipping sees the sharded weights."""
        before, own = self.recipe, OwnParts(shards)
        self._optimizers = [optimizer.state_dict() for optimizer in before.optimisers]
        self._optimizers_at = self.step
        self.recipe = configure_optimizers(own, self.training, self.steps_per_epoch)
        self._own, self.recipe.weights = self.recipe.weights, own.sharded
        states = [
            {**state, "state": dict(self._own_states(optimizer, state["state"]))}
            for optimizer, state in zip(self.recipe.optimisers, self._optimizers, strict=True)
        ]
        schedules = [schedule.state_dict() for schedule in before.schedules]
        state = {"optimizers": states, "schedulers": schedules, "step": self.step}
        restore_recipe(self.recipe, state)

    def _own_states(self, optimizer: Optimizer, states: States) -> Iterator[tuple[int, Any]]:
        """This rank's parts of the whole state of an optimiser, by the number of a weight."""
        likes = self._sharded_of(optimizer)
        for index, values in states.items():
            parts = {
                name: shard_like(value, likes[index]) if isinstance(value, Tensor) else value
                for name, value in values.items()
            }
            yield index, parts

    def _sharded_of(self, optimizer: Optimizer) -> list[Tensor]:
        """The sharded weights whose parts an optimiser steps, in its order."""
        known = {id(own): w for own, w in zip(self._own, self.recipe.weights, strict=True)}
        return [known[id(own)] for group in optimizer.param_groups for own in group["params"]]

    def step_of(self, average: Any, **more: Any) -> TrainStep:
        """What makes this rank's part of a step."""
        if self.shards is None:
            return super().step_of(average, **more)
        made = super().step_of(self._average, **more)
        assert isinstance(self.rank_step, ShardedStep)
        self.rank_step.own = self._own
        return made

    def make_step(self, group: Sequence[Tensor]) -> None:
        """Make this rank's part of a step. Raises RankLost."""
        try:
            super().make_step(group)
        except RuntimeError as error:
            if not any(word in str(error) for word in LOST):
                raise
            raise RankLost("ranks", "Another process of the run ended.") from error

    def _signal(self) -> float:
        return super()._signal() if time.monotonic() >= self._rest_until else 0.0

    def _gather_metrics(self) -> None:
        super()._gather_metrics()
        self._gather_weights()

    def _gather_weights(self) -> None:
        """Bring whole weights, buffers and their average to rank 0."""
        started = time.monotonic()
        first = self.ranks.rank == 0
        own = (whole(tensor.detach(), self.ranks) for tensor in tensors_of(self.learner))
        copy_into(tensors_of(self.module) if first else [], own)
        if self._average:
            to = self.average if first else None
            copy_into(tensors_of(to.module) if to else [], self._average.gather(self.ranks))
            if to:
                to.n_averaged.copy_(self._average.count)
        self._norm = self._norm_of_gradients()
        now = time.monotonic()
        self._rest_until = now + (now - started) / GATHER_SHARE

    def _norm_of_gradients(self) -> Tensor | None:
        """The L2 norm of the gradients of all ranks, which they calculate together."""
        gradients = [own.grad for own in self._own if own.grad is not None]
        if not gradients:
            return None
        squares = torch.stack([grad.double().square().sum() for grad in gradients]).sum()
        self.ranks.all_reduce(squares)
        return squares.sqrt()

    def gradient_norm(self) -> Tensor | None:
        """The L2 norm of all gradients of the step after which rank 0 looked up last, ()."""
        return self._norm if self.shards is not None else super().gradient_norm()

    def _gather_optimizers(self) -> None:
        """Bring the whole state of the optimisers to rank 0, in the memory of the host."""
        self._optimizers, self._optimizers_at = [], self.step
        for optimizer in self.recipe.optimisers:
            state = optimizer.state_dict()
            whole_states = dict(self._whole_states(optimizer, state["state"]))
            if self.ranks.rank == 0:
                self._optimizers.append({**state, "state": whole_states})

    def _whole_states(self, optimizer: Optimizer, states: States) -> Iterator[tuple[int, Any]]:
        likes = self._sharded_of(optimizer)
        for index, values in states.items():
            found: dict[str, Any] = {}
            for name, value in values.items():
                if isinstance(value, Tensor) and value.ndim:  # others are counts of steps
                    value = joined(value, likes[index], self.ranks)
                if self.ranks.rank == 0:
                    found[name] = value.cpu() if isinstance(value, Tensor) else value
            yield index, found

    def state_dict(self) -> dict[str, Any]:
        """The state of an ordinary trainer. On rank 0, while the others wait for a decision."""
        if self.shards is None:
            return super().state_dict()
        if self._optimizers_at != self.step:
            self.ranks.send(STATE)
            self._gather_optimizers()
        return super().state_dict() | {"optimizers": self._optimizers}

    def _send_decision(self) -> None:
        if not self._goes_on:  # the others leave, and the last checkpoint comes after
            self.state_dict()
        super()._send_decision()

    def _decision(self) -> Sequence[float]:
        """What rank 0 decides; until then it may ask for the state of the optimisers."""
        while (message := self.ranks.receive())[0] == STATE:
            self._gather_optimizers()
        if message[0] != END:
            self.norms_at, self.norms_each_epoch = int(message[2]), bool(message[3])
        return message

    def _weights_before(self) -> list[Tensor] | None:
        return [own.detach().clone() for own in self._own] if self._norms_wanted() else None

    def _norms_since(self, before: list[Tensor]) -> StepNorms:
        """Norms over the parts of all ranks."""
        rows: list[Tensor] = []
        for own, old in zip(self._own, before, strict=True):
            new = own.detach()
            gradient = torch.full_like(old[:1], torch.nan) if own.grad is None else own.grad
            rows.append(
                torch.stack([v.double().square().sum() for v in (old, gradient, new - old)])
            )
        squares = torch.stack(rows)
        self.ranks.all_reduce(squares)
        named = self.learner.named_parameters()
        names = tuple(name for name, weight in named if weight.requires_grad)
        return StepNorms(self.step, names, squares.sqrt().float())


class OwnParts(nn.Module):
    """A rank's parts of the weights of a sharded module, as weights of the same names.

    They lie in the same memory. sharded: the weights that learn, in the order of their parts.
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        weights = dict(module.named_parameters())
        self.sharded = [weight for weight in weights.values() if weight.requires_grad]
        self.own = {
            name: nn.Parameter(local(weight.detach()), weight.requires_grad)
            for name, weight in weights.items()
        }

    def named_parameters(self, *_: Any, **__: Any) -> Iterator[tuple[str, nn.Parameter]]:
        """Names and parts."""
        yield from self.own.items()
