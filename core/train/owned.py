"""Settings that belong to another one: those of an optimiser, of a loss. No torch."""

from collections.abc import Mapping
from typing import Any

from .losses import LOSSES
from .optimisers import OPTIMISERS
from .settings import GROUPS, defaults

OWNERS = {"optimizer": OPTIMISERS, "loss": LOSSES}


def without_strange(training: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Training settings without those that another optimiser or loss, given anew, does not have.

    As where another block takes the place of one: what both know stays.
    """
    found = dict(training)
    for group, owner in GROUPS.items():
        name, own = given.get(owner), training.get(group)
        known = OWNERS[owner].get(name) if isinstance(name, str) else None
        before = training.get(owner, defaults().get(owner))
        if known and name != before and isinstance(own, Mapping):
            names = {setting.name for setting in known.settings}
            found[group] = {key: value for key, value in own.items() if key in names}
    return found
