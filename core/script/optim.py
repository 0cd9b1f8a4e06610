"""The lines of a training file that build model, loss, optimiser and schedule."""

from collections.abc import Mapping
from typing import Any

from core.script import accelerations, distillation, ranks, streamed
from core.script.batches import loader_lines
from core.script.init_weights import load_lines
from core.script.learning import Learning
from core.script.param_groups import (
    factor_lines,
    freeze_lines,
    frozen_paths,
    has_groups,
    rate_factors,
    refusal,
    selection_lines,
)
from core.settings.class_weights import count_of
from core.settings.lr_schedulers import SCHEDULES, arguments
from core.settings.optimizers import OPTIMIZERS
from core.source.layout import WIDTH
from core.source.literal import literal
from core.tasks.losses import TENSORS
from core.tasks.registry import module_of

TORCH = "torch.optim.lr_scheduler"


def set_up(learning: Learning) -> list[str]:
    """Model, loss, optimiser and schedule, from the seed."""
    return [
        *network_lines(learning),
        *optimizer_lines(learning),
        *_average(learning),
        *accelerations.set_up_lines(learning),
        *ranks.set_up_lines(learning),
    ]


def network_lines(learning: Learning) -> list[str]:
    """Batches, model and loss."""
    training = learning.training
    loss = call_lines(
        criterion(training["loss"]), [], training["loss_settings"], class_weight_arguments(learning)
    )
    return [
        *_loaders(learning),
        *distillation.load_lines(learning),
        "torch.manual_seed(SEED)",
        *learning.lines(accelerations.model_line(learning)),
        *load_lines(learning),
        *freeze_lines(learning),
        *refusal(learning),
        *_class_weights(learning),
        *([f"criterion = {loss}"] if learning.info.plain else []),
    ]


def criterion(loss: str) -> str:
    """The class of a loss as a file names it: torch's own, or one that stands in the file."""
    return loss if module_of(loss) else f"nn.{loss}"


def optimizer_lines(learning: Learning) -> list[str]:
    """Optimiser and schedule."""
    return [*_optimizer(learning), *accelerations.rate_lines(learning), *_scheduler(learning)]


def _loaders(learning: Learning) -> list[str]:
    if learning.info.streamed:
        return streamed.loader_lines(learning)
    return loader_lines(learning)


def class_weight_arguments(learning: Learning) -> tuple[str, ...]:
    """The argument of the loss that weighs classes, if they are weighed."""
    return ("weight=weight",) if learning.training["class_weights"] else ()


def _class_weights(learning: Learning) -> list[str]:
    class_weights, count = learning.training["class_weights"], literal(count_of(learning.info))
    if not class_weights:
        return []
    if class_weights != "balanced":
        values = ", ".join(map(literal, class_weights))
        return learning.lines(f"weight = torch.tensor([{values}], device=device)")
    truth = learning.samples.truth
    if learning.info.task == "labels":
        return [
            f"counts = {truth}.sum(0).clamp_min(1)",
            f"weight = {truth}.sum() / ({count} * counts)  # rare labels count more",
        ]
    if any(term.classes for term in learning.info.terms):
        return [
            f"counts = torch.bincount({truth}[{truth} >= 0], minlength={count})",
            f"weight = counts.sum() / ({count} * counts.clamp_min(1))  # rare classes count more",
        ]
    return [
        f"counts = torch.bincount({truth}.flatten(), minlength={count}).clamp_min(1)",
        f"weight = {truth}.numel() / ({count} * counts)  # rare classes count more",
    ]


def _average(learning: Learning) -> list[str]:
    decay = learning.training["ema_decay"]
    if not decay:
        return []
    how = f"torch.optim.swa_utils.get_ema_multi_avg_fn({literal(decay)})"
    made = f"AveragedModel(model, multi_avg_fn={how}, use_buffers=True)"
    return learning.lines(f"average = torch.optim.swa_utils.{made}")


def _steps(learning: Learning) -> str:
    many = learning.batches
    return "len(loader)" if many == "1" else f"-(-len(loader) // {many})"


def _optimizer(learning: Learning) -> list[str]:
    training, lr = learning.training, f"lr={learning.names.lr}"
    name, settings = training["optimizer"], dict(training["optimizer_settings"])
    if OPTIMIZERS[name].fused and not accelerations.compiles_step(learning):
        settings["fused"] = True
    if has_groups(learning):
        return _grouped_optimizer(learning, settings)
    if not learning.matrices:
        every, first = "model.parameters()", list[str]()
        if frozen_paths(learning):
            first = selection_lines(learning, "weights", every, "weight.requires_grad")
            every = "weights"
        made = call_lines(f"torch.optim.{name}", [every, lr], settings)
        return [*first, *learning.lines(f"optimizer = {made}")]
    made = call_lines(f"torch.optim.{name}", ["matrices", lr], settings)
    learns = " and weight.requires_grad" if frozen_paths(learning) else ""
    every = "model.parameters()"
    return [
        *selection_lines(learning, "matrices", every, f"weight.ndim == 2{learns}"),
        *selection_lines(learning, "others", every, f"weight.ndim != 2{learns}"),
        *_two_optimizers(learning, made, f"torch.optim.AdamW(others, {lr}, fused=True)"),
    ]


def _two_optimizers(learning: Learning, made: str, adam: str) -> list[str]:
    """An optimiser of the matrices, and one of the others."""
    return [
        "optimizers: list[torch.optim.Optimizer] = []",
        "if matrices:",
        *learning.lines(f"optimizers.append({made})", "    "),
        "if others:",
        *learning.lines(f"optimizers.append({adam})", "    "),
    ]


def _grouped_optimizer(learning: Learning, settings: Mapping[str, Any]) -> list[str]:
    """Optimisers of groups of weights that differ in their learning rates or in their decay."""
    name, lr = f"torch.optim.{learning.training['optimizer']}", learning.names.lr
    factors = "factors" if rate_factors(learning) else "{}"
    decay_all = literal(learning.training["decay_of"] == "all")

    def groups(weights: str, decay_all: str = decay_all) -> list[str]:
        return [f"param_groups({weights}, {lr}, {factors}, decay_all={decay_all})", f"lr={lr}"]

    named = selection_lines(learning, "weights", "model.named_parameters()", "weight.requires_grad")
    lines = [*factor_lines(learning), *named]
    if not learning.matrices:
        made = call_lines(name, groups("weights"), settings)
        return [*lines, *learning.lines(f"optimizer = {made}")]
    made = call_lines(name, groups("matrices", "True"), settings)
    adam = call_lines("torch.optim.AdamW", groups("others"), {"fused": True})
    return [
        *lines,
        *selection_lines(learning, "matrices", "weights.items()", "weight.ndim == 2"),
        *selection_lines(learning, "others", "weights.items()", "weight.ndim != 2"),
        *_two_optimizers(learning, made, adam),
    ]


def _scheduler(learning: Learning) -> list[str]:
    warmup, made = learning.training["warmup"], _schedule_made(learning)
    lines = (
        [f"steps = {_steps(learning)}"] if "total_steps" in arguments(learning.training, 1) else []
    )
    if not warmup:
        if not made:
            return []
        several = _for_each(learning, made) if learning.matrices else None
        return [*lines, *(several or learning.lines(f"scheduler = {made}"))]
    inner = "    " if learning.matrices else ""
    chain = [line for text in _warmup_lines(warmup, made) for line in learning.lines(text, inner)]
    if not learning.matrices:
        return chain
    head = "schedulers: list[torch.optim.lr_scheduler.LRScheduler] = []"
    return [head, "for optimizer in optimizers:", *chain, "    schedulers.append(scheduler)"]


def _warmup_lines(warmup: int, made: str) -> list[str]:
    """Statements that put the schedule after the warm-up, or make the warm-up alone."""
    climb = f"start_factor=1 / {literal(warmup + 1)}, total_iters={literal(warmup)}"
    first = f"{TORCH}.LinearLR(optimizer, {climb})"
    if not made:
        return [f"scheduler = {first}"]
    both = f"{TORCH}.SequentialLR(optimizer, [warmup, rest], milestones=[{literal(warmup)}])"
    return [f"warmup = {first}", f"rest = {made}", f"scheduler = {both}"]


def _schedule_made(learning: Learning) -> str:
    """The schedule after the warm-up, as an expression; "" without one."""
    schedule = learning.training["scheduler"]
    if not schedule:
        return ""
    texts = [
        f"{name}={_schedule_text(name, value, learning)}"
        for name, value in arguments(learning.training, 1).items()
        if is_not_default(schedule["name"], name, value)
    ]
    return f"{TORCH}.{schedule['name']}({', '.join(['optimizer', *texts])})"


def _for_each(learning: Learning, made: str) -> list[str]:
    line = f"schedulers = [{made} for optimizer in optimizers]"
    if len(learning.indent + line) <= WIDTH:
        return [line]
    loop = f"{made} for optimizer in optimizers"
    inner = learning.lines(loop, "    ")
    if len(inner) > 1:
        inner = [*learning.lines(made, "    "), "    for optimizer in optimizers"]
    return ["schedulers = [", *inner, "]"]


def _schedule_text(name: str, value: Any, learning: Learning) -> str:
    names, warmup = learning.names, learning.training["warmup"]
    if name == "max_lr":
        groups = '[group["lr"] for group in optimizer.param_groups]'
        return groups if rate_factors(learning) else names.lr
    if name == "total_steps":
        return f"{names.epochs} * steps"
    if name in ("T_max", "total_iters") and learning.training["scheduler"][name] is None:
        return f"max(1, {names.epochs} - {literal(warmup)})" if warmup else names.epochs
    return f"[{literal(value)[1:-1].rstrip(',')}]" if isinstance(value, list) else literal(value)


def is_not_default(schedule: str, name: str, value: Any) -> bool:
    """Whether an argument of a schedule is not what torch assumes anyway."""
    if name in SCHEDULES[schedule].required:
        return True
    if name == "cycle_momentum":
        return not value
    declared = {setting.name: setting.default for setting in SCHEDULES[schedule].settings}
    return declared[name] is None or declared[name] != value


def call_lines(
    name: str,
    first: list[str],
    settings: Mapping[str, Any],
    last: tuple[str, ...] = (),
    device: str = "device",
) -> str:
    """A call with positional texts, settings by keyword and further keyword texts.

    device: where tensors among the settings belong.
    """
    keywords = (f"{key}={_value(key, value, device)}" for key, value in settings.items())
    texts = [*first, *keywords, *last]
    return f"{name}({', '.join(texts)})"


def _value(key: str, value: Any, device: str) -> str:
    if key not in TENSORS or value is None:
        return literal(value)
    if isinstance(value, list | tuple):
        numbers: list[float] = [float(number) for number in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return f"torch.tensor({literal(numbers)}, device={device})"
    return f"torch.tensor({literal(float(value))})"
