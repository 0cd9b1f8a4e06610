"""The part of a training file that learns: step by step what a run's engine does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from core.data.info import DataInfo
from core.data.validation_batch import validation_batch
from core.script.accelerations import trained
from core.script.ending import Epoch, patience_anew, patience_begins, patience_ends
from core.script.loop import loop
from core.script.param_groups import train_lines
from core.script.step import batches_line, shared, step_lines
from core.settings.lr_schedulers import moves
from core.settings.optimizers import OPTIMIZERS
from core.source.layout import wrap
from core.source.literal import literal

BATCHES = '''\
class EpochBatches(Sampler[Tensor]):
    """Batches of epoch after epoch; a last one of one sample joins the one before."""

    def __init__(self, count: int, size: int) -> None:
        self.count, self.size, self.epoch = count, size, 0

    def __len__(self) -> int:
        return len(self.batches(0))

    def __iter__(self) -> Iterator[Tensor]:
        self.epoch += 1
        return iter(self.batches(self.epoch - 1))

    def batches(self, epoch: int) -> list[Tensor]:
        """The order of the samples follows from seed and epoch alone."""
        generator = torch.Generator().manual_seed(1000 * SEED + epoch)
        batches = list(torch.randperm(self.count, generator=generator).split(self.size))
        if len(batches[-1]) == 1 < len(batches[0]):
            batches[-2:] = [torch.cat(batches[-2:])]
        return batches'''
LOADER = (
    "from collections.abc import Iterator",
    "from torch.utils.data import DataLoader, Sampler, TensorDataset",
)
"""What the batches need to be imported."""


@dataclass(frozen=True)
class Names:
    """What stands for the numbers a reader may change: args.epochs in a script, EPOCHS in cells."""

    epochs: str
    lr: str
    batch_size: str
    out: str
    start: str = ""
    teacher: str = ""


@dataclass(frozen=True)
class Learning:
    """Everything the training part is written from.

    training: resolved settings. indent: how deep the lines will stand, for breaking long ones.
    outputs: how many the network has. rates: factors of the learning rate by path in the module, 0
    where frozen. model: the file of the network. teacher: the class of the teacher, "" without one.
    learns: whether any weight is there to learn, not frozen.
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
    learns: bool = True

    @property
    def accurate(self) -> bool:
        """Whether right answers are counted (else errors are measured)."""
        return self.info.task in ("classification", "segmentation")

    def lines(self, statement: str, inner: str = "") -> list[str]:
        """One statement, broken where it is too long for its place."""
        broken = wrap(self.indent + inner, statement)
        return [line.removeprefix(self.indent) for line in broken]

    @property
    def said(self) -> str:
        """The outputs of the only loss as the numbers that they stand for."""
        given = self.training["loss_settings"].get("log_input", True)
        log = self.training["loss"] == "PoissonNLLLoss" and given
        return "outputs.exp()" if log else "outputs"

    @property
    def by_accuracy(self) -> bool:
        return self.training["best_by"] == "val_accuracy"

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
    def seen(self) -> str:
        """What `evaluate` is given of the part that validates."""
        return "val_loader, device" if self.info.streamed else "val_x, val_y"

    @property
    def limited(self) -> bool:
        """Whether it ends once its time is over, be it amid an epoch."""
        return self.training["max_minutes"] is not None

    @property
    def count(self) -> str:
        """How many samples an epoch learned from."""
        if self.limited:
            return "seen"
        if self.info.streamed:
            return "len(train)"
        return "len(train_x)" if self.info.plain else "len(train[0])"

    @property
    def zeros(self) -> str:
        """The statement that an epoch's sums begin with."""
        return "train_loss = seen = 0.0" if self.limited else "train_loss = 0.0"

    def counted(self, loss: str, batch: str) -> list[str]:
        """The statements that add a batch to an epoch's sums."""
        seen = [f"seen += len({batch})"] if self.limited else []
        return [f"train_loss += {loss}.item() * len({batch})", *seen]

    @property
    def judged(self) -> str:
        """What is validated and saved: the network, or the average of its weights."""
        return "average.module" if self.training["ema_decay"] else "model"

    @property
    def matrices(self) -> bool:
        """Whether two optimisers share the weights (Muon)."""
        return OPTIMIZERS[self.training["optimizer"]].matrices

    @property
    def keeps_statistics(self) -> bool:
        """Whether the network has layers that keep running statistics, as batch norm does."""
        return "nn.BatchNorm" in self.model or "track_running_stats" in self.model

    @property
    def has_parameters(self) -> bool:
        """Whether the network has weights outside of layers."""
        return "nn.Parameter(" in self.model

    @property
    def per(self) -> str:
        """When the schedule moves: "step", "epoch" or "" without one."""
        return moves(self.training)


def evaluate_function(learning: Learning) -> str:
    """The function `evaluate`: mean loss, and accuracy or mean absolute error."""
    info = learning.info
    unit = ", unit: float" if info.standardised_target else ""
    size = learning.validated
    says = "the share of right answers" if learning.accurate else "the mean absolute error"
    factor = " * unit" if unit else ""
    return f'''\
@torch.inference_mode()
def evaluate(
    model: nn.Module, criterion: nn.Module, inputs: Tensor, targets: Tensor{unit}
) -> tuple[float, float]:
    """Mean loss, and {says}."""
    model.eval()
    loss = total = 0.0
    for x, y in zip(inputs.split({size}), targets.split({size}), strict=True):
        outputs = model(x)
        loss += criterion(outputs, y).item() * len(y)
        total += {counted(learning)}.sum().item()
    return loss / len(targets), total / targets.numel(){factor}'''


def counted(learning: Learning) -> str:
    """What is added up over a batch: right answers, or absolute errors."""
    if not learning.accurate:
        return f"({learning.said} - y).abs()"
    if learning.info.labels:
        return "(outputs.argmax(1) == y)"
    threshold = "0" if learning.training["loss"] == "BCEWithLogitsLoss" else "0.5"
    return f"((outputs > {threshold}) == y.bool())"


def epochs_loop(learning: Learning, keep: str = "") -> list[str]:
    """The loop over epochs of inputs and targets. keep: as for `loop`."""
    return loop(learning, _train_epoch(learning), epoch_parts(learning), keep)


def epoch_parts(learning: Learning) -> Epoch:
    """The lines around an epoch's steps."""
    metric = "accuracy" if learning.accurate else "error"
    unit = ", unit" if learning.info.standardised_target else ""
    right = metric if learning.by_accuracy else ""
    shown = "accuracy:.2%" if learning.accurate else "error:.4g"
    first = "(-1.0, 0.0)" if learning.by_accuracy else 'float("inf")'
    begins = [] if learning.newest else [f"best = {first}"]
    given = f"{learning.judged}, criterion, {learning.seen}{unit}"
    told = [
        "print(",
        '    f"epoch {epoch + 1}: train loss {train_loss / ' + f'{learning.count}:.4f}}, "',
        f'    f"validation loss {{val_loss:.4f}}, {metric} {{{shown}}}"',
        ")",
        *_saving(learning, metric, right),
    ]
    return Epoch(
        [*begins, *patience_begins(learning, right)],
        [f"val_loss, {metric} = evaluate({given})"],
        told,
        f'print(f"{_told(learning)} {{{learning.names.out}}}")',
    )


def _saving(learning: Learning, metric: str, right: str) -> list[str]:
    """The lines that keep the weights of the best epoch, or of every one."""
    save = f"torch.save({learning.judged}.state_dict(), {learning.names.out})"
    if learning.newest:
        return [save]
    better = f"({metric}, -val_loss)" if learning.by_accuracy else "val_loss"
    condition = f"if {better} {'>' if learning.by_accuracy else '<'} best:"
    return [
        condition + ("  # of equals, the surer" if learning.by_accuracy else ""),
        f"    best = {better}",
        *patience_anew(learning),
        f"    {save}",
        *patience_ends(learning, right),
    ]


def _told(learning: Learning) -> str:
    if learning.newest:
        return "The weights of the last epoch are in"
    if learning.by_accuracy:
        return "Best validation accuracy {best[0]:.2%}; its weights are in"
    return "Best validation loss {best:.4f}; its weights are in"


def compute_lines(learning: Learning) -> list[str]:
    """Lines that compute the loss of a batch."""
    noise = literal(learning.info.noise)
    return [
        *(["x, y = x.to(device), y.to(device)"] if learning.info.streamed else []),
        *([f"x = x + {noise} * torch.randn_like(x)"] if learning.info.noise else []),
        _loss_line(learning),
    ]


def _train_epoch(learning: Learning) -> list[str]:
    compute = compute_lines(learning)
    backward = [f"{shared(learning, 'loss')}.backward()"]
    counted = learning.counted("loss", "y")
    return [
        *train_lines(learning),
        learning.zeros,
        batches_line(learning, "x, y"),
        *(f"    {line}" for line in step_lines(learning, compute, backward, counted)),
    ]


def _loss_line(learning: Learning) -> str:
    network = trained(learning)
    if learning.teacher:
        return f"loss = taught_loss({network}, teacher, criterion, x, y)"
    return f"loss = criterion({network}(x), y)"


def loader_lines(learning: Learning, columns: str) -> list[str]:
    """The lines that make `loader`: a DataLoader whose batches are whole slices of the columns.

    Its generator is its own, so that it draws nothing from that of dropout and first weights.
    """
    first = columns.split(", ")[0]
    count = f"len({'train[0]' if first.startswith('*') else first})"
    return [
        "loader = DataLoader(",
        f"    TensorDataset({columns}),",
        "    batch_size=None,",
        f"    sampler=EpochBatches({count}, {learning.names.batch_size}),",
        "    generator=torch.Generator(),",
        ")",
    ]
