"""Conflicts between settings (errors), and settings that have no effect (warnings)."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.data.sources.counts import steps_per_epoch
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.settings.step_settings import StepSettings
from core.tasks.metric_labels import higher_is_better

Training = Mapping[str, Any]
LOOKS_BACK = 2  # parts of a run that an average over the steps may reach back over


def without_effect(training: Training, samples: int) -> list[str]:
    """A sentence for each. training: resolved settings; samples: number in the training split."""
    checks = (_rate, _batches, _sampling, _ends, _schedule, _decay, _average)
    return [sentence for check in checks for sentence in check(training, samples)]


def _rate(training: Training, samples: int) -> Iterator[str]:
    if training["lr"] == 0:
        yield "The learning rate is 0, so the weights do not change."
    if 0 in (training["clip_norm"], training["clip_value"]):
        yield "Gradients are clipped to 0, so the network learns nothing."


def _batches(training: Training, samples: int) -> Iterator[str]:
    step = StepSettings.of(training)
    size, batches = step.batch_size, step.batches
    count = steps_per_epoch(samples, size, training["drop_last"])
    if size > samples:
        yield f"The batch size of {size:,} exceeds the {samples:,} samples: an epoch is one step."
    elif batches > count:
        yield (
            f"A step accumulates {batches:,} batches but an epoch has only"
            f" {count:,}: an epoch is one"
            " step."
        )


def _sampling(training: Training, samples: int) -> Iterator[str]:
    size = training["batch_size"]
    if training["drop_last"] and samples % size == 0:
        yield (
            f"drop_last drops nothing: {samples:,} samples divide evenly into batches of {size:,}."
        )
    if training["sampler"] == "balanced" and training["class_weights"]:
        yield (
            "The balanced sampler already draws rare classes as often as common ones; with"
            " class_weights as well, they count more than common ones."
        )


def _ends(training: Training, samples: int) -> Iterator[str]:
    patience, epochs = training["patience"], training["epochs"]
    if patience is not None and training["best_by"] == "last":
        yield "With best_by last, every epoch is the best one, so patience never ends the run."
    elif patience is not None and patience >= epochs - 1:
        yield f"A patience of {patience:,} epochs cannot stop a run of {epochs:,} epochs early."
    if training["min_delta"] and (patience is None or training["best_by"] == "last"):
        yield "min_delta has no effect without patience and a best_by other than last."
    elif training["min_delta"] >= 1 and higher_is_better(training["best_by"]):
        yield f"min_delta is {training['min_delta']:g}, but no accuracy can rise by more than 1."
    if training["max_minutes"] == 0:
        yield "A time limit of 0 minutes ends the run after its first step."


def _schedule(training: Training, samples: int) -> Iterator[str]:
    schedule: Mapping[str, Any] = training["scheduler"] or {}
    if schedule:
        idle = SCHEDULES[schedule["name"]].idle(schedule, training["epochs"], training["warmup"])
        yield from [idle] if idle else []


def _decay(training: Training, samples: int) -> Iterator[str]:
    settings = training["optimizer_settings"]
    defaults = {s.name: s.default for s in OPTIMIZERS[training["optimizer"]].settings}
    if "weight_decay" in defaults and not settings.get("weight_decay", defaults["weight_decay"]):
        if training["decay_of"] != "all":
            yield f"decay_of is {training['decay_of']}, but weight_decay is 0, so nothing decays."
        if settings.get("decoupled_weight_decay"):
            yield "decoupled_weight_decay is on, but weight_decay is 0, so nothing decays."
    if settings.get("dampening") and not settings.get("momentum"):
        yield "dampening is set, but momentum is 0, so it has no effect."


def _average(training: Training, samples: int) -> Iterator[str]:
    decay = training["ema_decay"]
    if not decay:
        return
    batches = steps_per_epoch(samples, training["batch_size"], training["drop_last"])
    each = StepSettings.of(training).steps(batches)
    steps, back = training["epochs"] * each, round(1 / (1 - decay))
    if back * LOOKS_BACK > steps:
        yield (
            f"A moving average with decay {decay:g} covers about {back:,} steps, but the run has"
            f" {steps:,}: the validated weights lag far behind the trained ones."
        )
