"""The inputs for writing the training part of a file, and its line breaks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from core.data.batches.validation_batch import validation_batch
from core.data.facts.info import DataInfo
from core.script.samples import Samples, samples_of
from core.settings.class_balance import ACCURACY, BALANCED, counts_each_class
from core.settings.lr_schedulers import moves
from core.settings.optimizers import OPTIMIZERS
from core.settings.step_settings import StepSettings
from core.source.layout import wrap_inside
from core.source.literal import literal
from core.tasks.registry import TASKS, reads_logarithms


@dataclass(frozen=True)
class Names:
    """What stands for the numbers a reader may change: args.epochs in a script, EPOCHS in cells.

    batches: of a step; "" where that is the number of the settings.
    """

    epochs: str
    lr: str
    batch_size: str
    out: str
    start: str = ""
    teacher: str = ""
    batches: str = ""


@dataclass(frozen=True)
class Learning:
    """Everything the training part is written from.

    training: resolved settings. indent: how deep the lines will stand, for breaking long ones.
    outputs: how many the network has. rates: factors of the learning rate by path in the module, 0
    where frozen. model: the file of the network. teacher, teacher_model: the class and the file of
    the teacher, "" without one. learns: whether any weight is there to learn, not frozen. shuffled:
    whether batches are those of DataLoader's own shuffle, as tutorials have them, and not those of
    the run. ranks: whether torchrun may start the file in several processes.
    """

    info: DataInfo
    training: Mapping[str, Any]
    names: Names
    class_name: str
    indent: str = ""
    outputs: int = 1
    rates: Mapping[str, float] = field(default_factory=lambda: {})
    model: str = ""
    teacher: str = ""
    teacher_model: str = ""
    learns: bool = True
    shuffled: bool = False
    ranks: bool = False

    @property
    def samples(self) -> Samples:
        """What the file calls its samples."""
        return samples_of(self.info)

    @property
    def draws(self) -> bool:
        """Whether the network draws random numbers when it validates, which leaves others alone."""
        drawn = "rand" in self.model or "bernoulli" in self.model
        return drawn and not self.info.plain

    @property
    def accurate(self) -> bool:
        """Whether right answers are counted (else errors are measured)."""
        return TASKS[self.info.task].chosen_by_accuracy

    def lines(self, statement: str, inner: str = "") -> list[str]:
        """One statement, broken where it is too long for its place."""
        return [inner + line for line in wrap_inside(self.indent + inner, statement)]

    @property
    def prediction(self) -> str:
        """The outputs of the only loss as the numbers that they stand for."""
        log = reads_logarithms(self.training["loss"], self.training["loss_settings"])
        return "outputs.exp()" if log else "outputs"

    @property
    def by_accuracy(self) -> bool:
        return self.training["best_by"] in (ACCURACY, BALANCED)

    @property
    def each_class(self) -> bool:
        """Whether each class counts the same in what is measured."""
        return counts_each_class(self.training, self.info.task, self.info.rare)

    @property
    def newest(self) -> bool:
        """Whether the weights of the last epoch are kept, however good others were."""
        return self.training["best_by"] == "last"

    @property
    def validated(self) -> int:
        """How many samples validate at once."""
        values = max(prod(feed.shape) for feed in self.info.feeds)
        return validation_batch(self.training["batch_size"], values)

    @property
    def limited(self) -> bool:
        """Whether it stops at its time limit, even within an epoch."""
        return self.training["max_minutes"] is not None

    @property
    def drops_last(self) -> bool:
        """Whether the last batch is left out where it is smaller: DataLoader would else give batch
        norm a single sample."""
        return self.training["drop_last"] or (self.shuffled and self.keeps_statistics)

    @property
    def counts(self) -> bool:
        """Whether samples are counted as they are learned from, as there may be fewer than all."""
        return self.limited or self.training["drop_last"]

    @property
    def count(self) -> str:
        """How many samples an epoch learned from."""
        if self.counts or self.drops_last:
            return "seen"
        return f"len({self.samples.counted[0]})"

    @property
    def zeros(self) -> str:
        """The statement that an epoch's sums begin with."""
        return "train_loss = seen = 0.0" if self.counts else "train_loss = 0.0"

    @property
    def batches(self) -> str:
        """How many batches make a step, as an expression."""
        return self.names.batches or literal(StepSettings.of(self.training).batches)

    def counted(self, loss: str, batch: str) -> list[str]:
        """The statements that add a batch to an epoch's sums."""
        seen = [f"seen += len({batch})"] if self.counts else []
        return [f"train_loss += {loss}.item() * len({batch})", *seen]

    @property
    def eval_model(self) -> str:
        """What is validated and saved: the network, or the average of its weights."""
        return "average.module" if self.training["ema_decay"] else "model"

    @property
    def matrices(self) -> bool:
        """Whether two optimisers share the weights (Muon)."""
        return OPTIMIZERS[self.training["optimizer"]].matrices

    @property
    def keeps_statistics(self) -> bool:
        """Whether the network has layers that keep running statistics, as batch norm does."""
        kept = "nn.BatchNorm" in self.model or "track_running_stats" in self.model
        return kept or self.measures_weights

    @property
    def measures_weights(self) -> bool:
        """Whether layers measure their weights in training, as spectral norm does."""
        return "spectral_norm(" in self.model

    @property
    def has_parameters(self) -> bool:
        """Whether the network has weights outside of layers."""
        return "nn.Parameter(" in self.model

    @property
    def per(self) -> str:
        """When the schedule moves: "step", "epoch" or "" without one."""
        return moves(self.training)
