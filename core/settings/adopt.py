"""Adopt suggested training settings without overwriting those a student has set. No torch."""

from collections.abc import Mapping
from typing import Any

from core.common.json_types import is_object
from core.settings.optimizers import DEFAULT, OPTIMIZERS
from core.settings.schema import defaults
from core.settings.suggest import Suggestion

STEPPING = ("optimizer", "lr", "scheduler", "clip_norm")
"""Settings that belong together: a rate is of its optimiser and its schedule."""
Training = Mapping[str, Any]


def adopt(
    training: Training,
    suggestion: Suggestion,
    last: Training | None = None,
    defaults_too: bool = True,
) -> dict[str, Any]:
    """Training settings with suggested values for every setting the student has not changed.

    last: what was suggested before, and so is nobody's own. defaults_too: whether a setting at its
    default is nobody's either, which a student may have gone back to. A loss that cannot read what
    the network puts out is never kept.
    """
    own = _own(training, suggestion, last or {}, defaults_too)
    if own & {*STEPPING} or training.get("warmup") or training.get("clip_value") is not None:
        own |= {*STEPPING}
    if training.get("loss", suggestion.losses[0]) not in suggestion.losses:
        own.discard("loss")
    wanted = {n: v for n, v in suggestion.training.items() if n not in own}
    return _with(training, wanted, suggestion)


def use(training: Training, suggestion: Suggestion) -> dict[str, Any]:
    """Training settings with every suggested one; those that go against them are left out."""
    free = {n: v for n, v in training.items() if n not in ("warmup", "clip_value")}
    return _with(free, suggestion.training, suggestion)


def differences(training: Training, suggestion: Suggestion) -> tuple[str, ...]:
    """Names of settings that are not as suggested."""
    usual = _usual(training, suggestion)
    return tuple(
        name
        for name, value in suggestion.training.items()
        if _plain(training.get(name, usual[name]))
        != _plain(usual[name] if value is None else value)
    )


def untouched(training: Training, suggestion: Suggestion) -> bool:
    """Whether every setting that is suggested stands at its default."""
    return not _own(training, suggestion, {})


def _own(
    training: Training, suggestion: Suggestion, last: Training, defaults_too: bool = True
) -> set[str]:
    """Names of settings that are neither at their default nor as suggested last."""
    usual, own = _usual(training, suggestion), set[str]()
    for name in suggestion.training:
        before = [_plain(usual[name] if last[name] is None else last[name])] if name in last else []
        nobodys = [*before, *([_plain(usual[name])] if defaults_too else [])]
        if _plain(training.get(name, usual[name])) not in nobodys:
            own.add(name)
    return own


def _usual(training: Training, suggestion: Suggestion) -> dict[str, Any]:
    """The default of each setting."""
    optimizer = OPTIMIZERS.get(str(training.get("optimizer")), OPTIMIZERS[DEFAULT])
    return {**defaults(), "lr": optimizer.lr, "loss": suggestion.losses[0]}


def _plain(value: Any) -> Any:
    """A schedule by its name alone is one with no setting."""
    if isinstance(value, str):
        return {"name": value}
    return dict(value) if is_object(value) else value


def _with(training: Training, wanted: Training, suggestion: Suggestion) -> dict[str, Any]:
    """The settings with these values; those at their default stay unset."""
    found = dict(training)
    for name in sorted(wanted, key=lambda name: name != "optimizer"):  # whose rate is the usual one
        value, usual = wanted[name], _usual(found, suggestion)[name]
        if _plain(found.get(name, usual)) == _plain(value):
            continue
        found.pop(name, None)
        if name in ("loss", "optimizer"):
            found.pop(f"{name}_settings", None)
        if value is not None and _plain(value) != _plain(usual):
            found[name] = value
    return found
