"""Checking training settings: each value against its declaration, every default filled in."""

import difflib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from blocks.spec import Setting
from core.common.errors import TrainingError
from core.common.json_types import is_array, is_object
from core.settings.class_balance import BALANCED, best_by
from core.settings.class_weights import class_weights
from core.settings.distillation import DISTIL, read_distillation
from core.settings.init_weights import read_init_weights
from core.settings.lr_schedulers import SCHEDULES, has_trait, schedule_name
from core.settings.optimizers import EXCLUDED, OPTIMIZERS
from core.settings.sampler import check_sampler
from core.settings.schema import EXTRA_KEYS, GROUPS, TRAINING, defaults
from core.tasks import registry
from core.tasks.losses import EXCLUDED as EXCLUDED_LOSSES
from core.tasks.losses import ONE_OUTPUT, PER_CLASS
from core.tasks.registry import LOSSES, TASKS, suitable_losses

LARGEST = 2**63
"""Beyond any whole number that a setting may be."""
OF_THE_DATA = ("class_weights", "loss", "scheduler")
"""Settings that are checked with the data, or apart."""


def resolve(
    training: Mapping[str, Any], task: str, losses: Sequence[str] = (), rare: bool = False
) -> dict[str, Any]:
    """Check training settings and fill in every default.

    task: one of TASKS; losses: those that suit the data, the usual one first. rare: whether the
    data has a rare class.
    Raises TrainingError naming the setting and what exists.
    """
    known = {s.name: s for s in TRAINING}
    if task not in TASKS:
        raise TrainingError(
            "data", f"There is no task {task!r}.", f"Choose {_listed(list(TASKS))}."
        )
    _check_names(training, known)
    _one_or_several(training)
    fitting = list(losses or suitable_losses(task))
    chosen = {s.name: training.get(s.name, s.default) for s in TRAINING}
    chosen["loss"] = training.get("loss", fitting[0])
    chosen["best_by"] = chosen["best_by"] or "last"  # until the losses are read
    schedule = chosen.pop("scheduler")
    for name, value in chosen.items():
        if name == "class_weights":
            chosen[name] = class_weights(value, chosen["loss"], task, "losses" in training)
        elif name != "loss" or "losses" not in training:
            chosen[name] = _checked(known[name], value, f"training.{name}")
    _suits(chosen, task, fitting)
    check_sampler(chosen["sampler"], task)
    _decays(chosen)
    _clips(chosen)
    _in_16_bits(chosen, training)
    chosen |= _groups(training, chosen)
    if not training.get("best_by"):
        chosen["best_by"] = best_by(chosen, task, rare)
    optimizer = OPTIMIZERS[chosen["optimizer"]]
    if optimizer.check:
        optimizer.check(chosen["optimizer_settings"])
    if "lr" not in training:
        chosen["lr"] = optimizer.lr
    chosen["scheduler"] = _schedule(schedule)
    chosen["start_from"] = read_init_weights(training.get("start_from"))
    chosen["distil"] = _distilled(training, chosen["loss"], task)
    _warms(chosen)
    return chosen


def check_values(training: Mapping[str, Any]) -> None:
    """Check what can be checked before it is known what the data is. Raises TrainingError."""
    known = {s.name: s for s in TRAINING}
    _check_names(training, known)
    _one_or_several(training)
    for name, value in training.items():
        if name in known and name not in OF_THE_DATA and value is not None:
            _checked(known[name], value, f"training.{name}")
    _schedule(training.get("scheduler"))


def _check_names(training: Mapping[str, Any], known: Mapping[str, Setting]) -> None:
    for key in training:
        if key not in known and key not in GROUPS and key not in EXTRA_KEYS:
            raise _unknown("training", key, [*known, *GROUPS, *EXTRA_KEYS])


def _distilled(training: Mapping[str, Any], loss: str, task: str) -> dict[str, Any] | None:
    """The teacher with every setting filled in; None without one."""
    settings = read_distillation(training.get("distil"), loss, task, "losses" in training)
    if not settings:
        return None
    return settings | {
        s.name: _checked(s, settings.get(s.name, s.default), f"training.distil.{s.name}")
        for s in DISTIL
    }


def _warms(chosen: Mapping[str, Any]) -> None:
    """Whether the warm-up leaves epochs to train in, before a schedule that torch can put off."""
    warmup, epochs = chosen["warmup"], chosen["epochs"]
    name = schedule_name(chosen)
    if warmup and has_trait(chosen, "unchained"):
        message = f"training.warmup is {warmup} but {name} cannot start after a warm-up."
        raise TrainingError("training.warmup", message, "Set warmup to 0, or change the schedule.")
    if warmup >= epochs:
        message = f"training.warmup must be less than the {epochs} epochs but is {warmup}."
        hint = "Shorten the warm-up, or train for more epochs."
        raise TrainingError("training.warmup", message, hint)


def _groups(training: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of optimiser and loss; those of several losses are only checked."""
    groups: dict[str, Any] = {group: {} for group in GROUPS}
    for group, owner in GROUPS.items():
        if owner != "loss" or "losses" not in training:
            groups[group] = _group(training.get(group, {}), chosen[owner], f"training.{group}")
    for index, entry in enumerate(training.get("losses", ())):
        if entry["loss"] in LOSSES:
            _group(entry.get("settings", {}), entry["loss"], f"training.losses[{index}].settings")
    return groups


def _one_or_several(training: Mapping[str, Any]) -> None:
    both = [key for key in ("loss", "loss_settings") if key in training]
    if "losses" in training and both:
        message = f"training has both losses and {both[0]}."
        hint = "Remove one of them: losses is for several Outputs, loss for one."
        raise TrainingError("training.losses", message, hint)


def _suits(chosen: Mapping[str, Any], task: str, fitting: Sequence[str]) -> None:
    if chosen["loss"] not in fitting and chosen["loss"] != "mean":
        raise _unsuitable(chosen["loss"], task, fitting)
    by = chosen["best_by"]
    if by == BALANCED and not TASKS[task].one_class:
        message = f"training.best_by is {by} but the task is {task}."
        raise TrainingError("training.best_by", message, "Choose val_loss.")
    if by == "val_accuracy" and not TASKS[task].chosen_by_accuracy:
        message = f"training.best_by is val_accuracy but the task is {task}."
        raise TrainingError("training.best_by", message, "Choose val_loss.")


def _unsuitable(loss: str, task: str, fitting: Sequence[str]) -> TrainingError:
    """The error of a loss; one for another number of outputs gets its own message."""
    one, classes = "one number for each sample", "a score for each class"
    message = f"{loss} does not fit the data: the task is {task}."
    hint = f"Choose {_listed(fitting)}."
    if loss in PER_CLASS and ONE_OUTPUT in fitting:
        message = f"{loss} needs {classes}, but the Output gives {one}."
        hint = f"Give the last layer 2 outputs, or choose {_listed(fitting)}."
    elif loss == ONE_OUTPUT and PER_CLASS[0] in fitting:
        message = f"{loss} needs {one}, but the Output gives {classes}."
    return TrainingError("training.loss", message, hint)


def _clips(chosen: Mapping[str, Any]) -> None:
    norm, value = chosen["clip_norm"], chosen["clip_value"]
    if norm is not None and value is not None:
        message = f"Gradients are clipped in one way but clip_norm is {norm:g} and clip_value is"
        hint = "Set one of them to none."
        raise TrainingError("training.clip_value", f"{message} {value:g}.", hint)


def _in_16_bits(chosen: Mapping[str, Any], training: Mapping[str, Any]) -> None:
    """Whether losses and steps can be calculated in the precision."""
    precision = chosen["precision"]
    if precision == "float32":
        return
    losses = [entry["loss"] for entry in training.get("losses", ())] or [chosen["loss"]]
    if unsafe := next((loss for loss in losses if registry.has_trait(loss, "probabilities")), ""):
        message = f"{unsafe} is unsafe in {precision}: it would take the logarithm of 0."
        hint = f"Choose {LOSSES[unsafe].instead} and remove the Sigmoid, or choose float32."
        raise TrainingError("training.precision", message, hint)
    if precision == "float16" and chosen["on_not_finite"] == "skip":
        message = "With float16, steps whose gradient is not finite are skipped anyway."
        raise TrainingError(
            "training.on_not_finite", message, "Choose on_not_finite stop, or precision bfloat16."
        )


def _decays(chosen: Mapping[str, Any]) -> None:
    names = {s.name for s in OPTIMIZERS[chosen["optimizer"]].settings}
    if chosen["decay_of"] != "all" and "weight_decay" not in names:
        message = f"{chosen['optimizer']} has no weight decay, so decay_of must be all."
        raise TrainingError("training.decay_of", message, "Choose all, or another optimiser.")


def _group(settings: Any, owner: str, path: str) -> dict[str, Any]:
    """Settings of the loss or of the optimiser: only those set in the file, checked."""
    declared = (LOSSES[owner] if owner in LOSSES else OPTIMIZERS[owner]).settings
    if not is_object(settings):
        message = f"{path} needs an object but receives {_quoted(settings)}."
        raise TrainingError(path, message, 'Write it as {"name": value}.')
    names = {s.name: s for s in declared}
    for key in settings:
        if key not in names:
            raise _unknown(f"{path} ({owner})", key, names)
    return {key: _checked(names[key], value, f"{path}.{key}") for key, value in settings.items()}


def _schedule(value: Any) -> dict[str, Any] | None:
    """A schedule with every setting filled in; None where the rate stays."""
    path = "training.scheduler"
    if value is None:
        return None
    settings: Any = {"name": value} if isinstance(value, str) else value
    if not is_object(settings) or not isinstance(settings.get("name"), str):
        message = f"{path} needs a name but receives {_quoted(value)}."
        raise TrainingError(path, message, f"Choose {_listed(SCHEDULES)}.")
    if settings["name"] not in SCHEDULES:
        raise _unknown(path, settings["name"], SCHEDULES, "choice")
    declared = {s.name: s for s in SCHEDULES[settings["name"]].settings}
    for key in settings:
        if key != "name" and key not in declared:
            raise _unknown(f"{path} ({settings['name']})", key, declared)
    values = {n: settings.get(n, s.default) for n, s in declared.items()}
    checked = {n: _checked(declared[n], v, f"{path}.{n}") for n, v in values.items()}
    return {"name": settings["name"], **checked}


def _is_named(setting: Setting, value: str) -> bool:
    """Whether a choice is one of those that a pattern describes, such as cuda:1."""
    return bool(setting.pattern) and re.fullmatch(setting.pattern, value) is not None


def _checked(setting: Setting, value: Any, path: str) -> Any:
    """One value in the type its setting declares."""
    if value is None and setting.optional:
        return None
    if setting.kind == "dims" or setting.length or _several(setting, value):
        return _list(setting, value, path)
    if setting.kind == "choice":
        if isinstance(value, str) and value in EXCLUDED and setting.name == "optimizer":
            message = f"{value} is not offered: it {EXCLUDED[value]}."
            raise TrainingError(path, message, f"Choose {_listed(setting.choices)}.")
        if isinstance(value, str) and value in EXCLUDED_LOSSES and setting.name == "loss":
            message = f"{value} is not offered: it {EXCLUDED_LOSSES[value]}."
            raise TrainingError(path, message, "Choose BCEWithLogitsLoss.")
        if isinstance(value, str) and (value in setting.choices or _is_named(setting, value)):
            return value
        raise _unknown(path, value, setting.choices, "choice")
    if setting.kind == "bool":
        if type(value) is not bool:
            message = f"{path} needs true or false but receives {_quoted(value)}."
            raise TrainingError(path, message)
        return value
    return _number(setting, value, path)


def _several(setting: Setting, value: Any) -> bool:
    return setting.several and isinstance(value, list | tuple)


def _list(setting: Setting, value: Any, path: str) -> tuple[Any, ...]:
    fits = is_array(value) and setting.length in (0, len(value))
    if not fits or (setting.several and not value):
        many = setting.length or "some"
        message = f"{path} needs a list of {many} numbers but receives {_quoted(value)}."
        raise TrainingError(path, message)
    return tuple(_number(setting, item, f"{path}[{i}]") for i, item in enumerate(value))


def _number(setting: Setting, value: Any, path: str) -> int | float:
    whole = setting.kind in ("int", "dims")
    kind = "a whole number" if whole else "a number"
    good = type(value) is int and abs(value) < LARGEST
    good = good or (not whole and type(value) is float and math.isfinite(value))
    low, high = setting.low, setting.high
    if not good or (low is not None and value < low) or (high is not None and value > high):
        span = f" from {_plain(low)}" if low is not None else " up" if high is not None else ""
        span += f" to {_plain(high)}" if high is not None else ""
        message = f"{path} needs {kind}{span} but receives {_quoted(value)}."
        raise TrainingError(path, message, setting.help)
    return int(value) if whole else float(value)


def _plain(limit: float) -> str:
    """A limit as people write it: 1,000,000 rather than 1e+06."""
    return f"{int(limit):,}" if 1 <= limit == int(limit) else f"{limit:g}"


def _unknown(path: str, name: Any, choices: Iterable[str], word: str = "setting") -> TrainingError:
    names = list(choices)
    near = difflib.get_close_matches(str(name)[:60], names, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    message = f"{path} has no {word} {_quoted(name)}."
    return TrainingError(path, message, f"{hint}Choose from {_listed(names)}.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _quoted(value: Any) -> str:
    """A value from a file, short and printable."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        text = type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


OWNERS = {"optimizer": OPTIMIZERS, "loss": LOSSES}


def drop_unknown(training: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Training settings without those that a newly chosen optimiser or loss does not have.

    As where another block takes the place of one: what both know stays.
    """
    left = dict(training)
    for group, owner in GROUPS.items():
        name, own = changed.get(owner), training.get(group)
        known = OWNERS[owner].get(name) if isinstance(name, str) else None
        before = training.get(owner, defaults().get(owner))
        if known and name != before and is_object(own):
            names = {setting.name for setting in known.settings}
            left[group] = {key: value for key, value in own.items() if key in names}
    return left
