"""Engines of a group, and the loop that drives them as a worker does."""

from typing import Any

from core.engine.group import Group
from core.engine.trainer_factory import E
from core.project import Project
from tests.gpu.engines import engine


def made(kind: type[E], found: Project | None = None, **settings: Any) -> E:
    """An engine of a kind at the start of its run."""
    found_one = engine("cpu", found, kind, **settings)
    assert isinstance(found_one, kind)
    return found_one


def trained_together(group: Group) -> list[list[tuple[float, ...]]]:
    """Train all to their ends; losses of training and validation, epoch by epoch."""
    fits = {at: member.fit(0.0) for at, member in enumerate(group.members)}
    curves: list[list[tuple[float, ...]]] = [[] for _ in fits]
    while fits:
        for at, fit in list(fits.items()):
            moment = next(fit, None)
            if moment is None:
                del fits[at]
            elif moment == "epoch":
                record = group.members[at].record
                curves[at].append((record["train_loss"], record["val_loss"]))
        group.make()
    return curves
