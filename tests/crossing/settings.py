"""Every schedule, optimiser, sampler and loss, from their registries, as projects to be crossed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.project import Project
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.settings.sampler import SAMPLERS
from core.tasks.registry import KINDS
from tests.core.small_runs import CHANCY_NET, project, table_net
from tests.crossing.projects import PROJECTS, SAMPLES, SHORT, Make

OF_KIND: Mapping[str, str] = {
    "classes": "iris with suggested settings",
    "yes_no": "yes or no",
    "regression": "regression",
    "image": "images to images",
    "mask": "masks",
    "labels": "several labels",
    "tokens": "replies to a text",
    "series": "recurrent, a series",
}
"""A project for each kind of target that several losses suit; the others stand among PROJECTS."""
SETTINGS_DOORS = ("script", "resume", "branch", "sweep, together", "bundle", "DDP script, 1")
"""What trains again, or keeps the state of a training."""


def _iris(**training: Any) -> Make:
    return lambda _: project(
        table_net(4, 3), {"source": "iris", "normalize": True}, **SHORT, batch_size=16, **training
    )


def _digits(**training: Any) -> Make:
    return lambda _: project(
        CHANCY_NET, {"source": "digits", "limit": SAMPLES}, **SHORT, **training
    )


def _with_loss(kind: str, loss: str) -> Make:
    def make(workspace: Path) -> Project:
        made = PROJECTS[OF_KIND[kind]](workspace)
        training = {k: v for k, v in made.training.items() if k not in ("loss", "loss_settings")}
        return replace(made, training={**training, "loss": loss})

    return make


def _made() -> Iterator[tuple[str, Make]]:
    for name in SCHEDULES:
        yield f"schedule {name}", _iris(scheduler={"name": name})
    for name in OPTIMIZERS:
        yield f"optimiser {name}", _digits(optimizer=name)
    for name in SAMPLERS:
        yield f"sampler {name}", _iris(sampler=name)
    for kind, declared in KINDS.items():
        for loss in declared.losses if kind in OF_KIND else ():
            yield f"{kind} by {loss}", _with_loss(kind, loss)


SETTINGS: Mapping[str, Callable[[Path], Project]] = dict(_made())
