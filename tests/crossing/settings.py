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
from tests.wing_parts import rows

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
SETTINGS_DOORS = (
    "script",
    "resume",
    "branch",
    "sweep, together",
    "DDP script, 1",
    *rows("doors", "KEEPS_TRAINING"),
)
"""What trains again, or keeps the state of a training."""


def _iris(**training: Any) -> Make:
    return lambda _: project(
        table_net(4, 3), {"source": "iris", "normalize": True}, **SHORT, batch_size=16, **training
    )


def _digits(**training: Any) -> Make:
    return lambda _: project(
        CHANCY_NET, {"source": "digits", "limit": SAMPLES}, **SHORT, **training
    )


def _digits_with(name: str, value: Any) -> Make:
    data = {"source": "digits", "limit": SAMPLES, name: value}
    return lambda _: project(CHANCY_NET, data, **SHORT)


def _with_loss(kind: str, loss: str) -> Make:
    def make(workspace: Path) -> Project:
        made = PROJECTS[OF_KIND[kind]](workspace)
        training = {k: v for k, v in made.training.items() if k not in ("loss", "loss_settings")}
        return replace(made, training={**training, "loss": loss})

    return make


OTHER: Mapping[str, tuple[Any, ...]] = {
    "warmup": (1,),
    "accumulate": (3,),
    "ema_decay": (0.9,),
    "clip_norm": (0.05,),
    "clip_value": (0.01,),
    "grad_noise": (0.01,),
    "drop_last": (True,),
    "class_weights": ("balanced",),
    "on_not_finite": ("skip",),
    "precision": ("bfloat16", "float16"),
    "channels_last": ("on",),
    "sync_batchnorm": (True,),
    "deterministic": (True,),
    "best_by": ("val_loss", "last"),
    "keep_best": (3,),
    "patience": (1,),
    "min_delta": (0.5,),
    "decay_of": ("matrices",),
    "checkpoint_every_s": (0.0,),
    "histograms": (True,),
}
"""Values that are not the default, on a network with batch norm and dropout."""
ELSEWHERE = {"loss", "optimizer", "scheduler", "sampler", "lr", "epochs", "batch_size", "seed",
             "device", "compile", "compile_step", "cuda_graph", "max_minutes",
             "threads"}  # fmt: skip
"""Settings that have rows of their own, differ in every project, or choose the machine's means."""
OTHER_DATA: Mapping[str, Any] = {
    "noise": 0.2,
    "transform": [{"name": "RandomCrop", "padding": 1}],
    "test": 0.2,
    "normalize": True,
}


def _made() -> Iterator[tuple[str, Make]]:
    for name in SCHEDULES:
        yield f"schedule {name}", _iris(scheduler={"name": name})
    for name in OPTIMIZERS:
        yield f"optimiser {name}", _digits(optimizer=name)
    for name in SAMPLERS:
        yield f"sampler {name}", _iris(sampler=name)
    for name, values in OTHER.items():
        for value in values:
            yield f"{name} {value}", _digits(**{name: value})
    for name, value in OTHER_DATA.items():
        yield f"data.{name}", _digits_with(name, value)
    for kind, declared in KINDS.items():
        for loss in declared.losses if kind in OF_KIND else ():
            yield f"{kind} by {loss}", _with_loss(kind, loss)


SETTINGS: Mapping[str, Callable[[Path], Project]] = dict(_made())
