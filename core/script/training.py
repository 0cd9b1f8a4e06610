"""The part of a training file that learns: step by step what a run's engine does."""

from core.script.accelerations import trained
from core.script.learning import Learning
from core.script.loop import Epoch, Steps, epoch_of, loop, step_lines
from core.source.literal import literal
from core.tasks.registry import reads_logits


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
{chr(10).join(f"        {line}" for line in batch_lines(learning))}
    return loss / len(targets), total / targets.numel(){factor}'''


def batch_lines(learning: Learning) -> list[str]:
    """Lines that add a batch to the sums of a validation, `loss` and `total`."""
    return [
        "outputs = model(x)",
        "loss += criterion(outputs, y).item() * len(y)",
        f"total += {counted(learning)}.sum().item()",
    ]


def counted(learning: Learning) -> str:
    """What is added up over a batch: right answers, or absolute errors."""
    if not learning.accurate:
        return f"({learning.prediction} - y).abs()"
    if learning.info.labels:
        return "(outputs.argmax(1) == y)"
    threshold = "0" if reads_logits(learning.training["loss"]) else "0.5"
    return f"((outputs > {threshold}) == y.bool())"


def epochs_loop(learning: Learning, log: str = "") -> list[str]:
    """The loop over epochs of inputs and targets. log: as for `loop`."""
    return loop(learning, _steps(learning), epoch_parts(learning), log)


def epoch_parts(learning: Learning, stop: str = "break") -> Epoch:
    """The lines around an epoch's steps. stop: what ends the training early."""
    metric = "accuracy" if learning.accurate else "error"
    unit = ", unit" if learning.info.standardised_target else ""
    shown = "accuracy:.2%" if learning.accurate else "error:.4g"
    arguments = f"{learning.eval_model}, criterion, {learning.seen}{unit}"
    validate = [f"val_loss, {metric} = evaluate({arguments})"]
    report = [f'f"validation loss {{val_loss:.4f}}, {metric} {{{shown}}}"']
    return epoch_of(learning, validate, report, metric if learning.by_accuracy else "", stop)


def compute_lines(learning: Learning) -> list[str]:
    """Lines that compute the loss of a batch."""
    noise = literal(learning.info.noise)
    return [
        *([f"x = x + {noise} * torch.randn_like(x)"] if learning.info.noise else []),
        _loss_line(learning),
    ]


def _steps(learning: Learning) -> Steps:
    moved = ["x, y = x.to(device), y.to(device)"] if learning.info.streamed else []
    return step_lines(learning, "x, y", [*moved, *compute_lines(learning)], "loss", "y")


def _loss_line(learning: Learning) -> str:
    network = trained(learning)
    if learning.teacher:
        return f"loss = taught_loss({network}, teacher, criterion, x, y)"
    return f"loss = criterion({network}(x), y)"
