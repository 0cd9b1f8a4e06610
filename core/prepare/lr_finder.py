"""Learning-rate finder: a hundred steps with increasing rates on a separate network.

Nothing of any run is touched: the network is drawn anew from the project's seed and thrown away.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import load
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from core.analyse import analyse_project, build
from core.common.errors import RunError, TrainingError
from core.data import ends
from core.data.batches.dataset import load_project
from core.engine.init_weights import collect_weights, load_into
from core.engine.loader import DeviceSplit
from core.engine.rng import rng_state, seed_all, set_rng_state
from core.engine.trainer import Trainer
from core.engine.trainer_factory import trainer_from_settings
from core.prepare.teachers import teacher_from
from core.project import read_text
from core.settings.step_settings import ACCUMULATE
from core.settings.validate import resolve

STEPS, LOWEST, HIGHEST = 100, 1e-6, 10.0
KEEP = 0.9  # share of the smoothed loss that stays at each step
TOO_HIGH = 4.0  # times the lowest loss seen: it has flown apart
SETTLED = 10  # first steps, whose slope means nothing
PLAIN: dict[str, Any] = {
    "scheduler": None,
    "warmup": 0,
    ACCUMULATE: 1,
    "ema_decay": None,
    "patience": None,
    "keep_best": 1,
    "on_not_finite": "stop",
    "compile": "off",
    "compile_step": "off",
    "cuda_graph": "off",
}
"""Settings switched off for a trial of a few steps."""


def find_lr(text: str, runs_dir: str = "", beside: str = "") -> dict[str, Any]:
    """Try learning rates on a project: {"lr", "loss" (smoothed), "steepest", "tenth"}.

    runs_dir, beside: folders of the runs and of the project's file, for weights to begin with.
    steepest: where the loss falls fastest; tenth: a tenth of where it is lowest.
    Raises RunError for a project that cannot be trained, or whose loss is never a number.
    """
    before = rng_state()
    try:
        changes = {**PLAIN, "lr": LOWEST, "epochs": STEPS}
        engine = engine_for(text, changes, runs_dir=runs_dir, beside=beside)
        rates, losses = _tried(engine)
    finally:
        set_rng_state(before)
    return suggested(rates, losses)


def engine_for(
    text: str,
    changes: Mapping[str, Any],
    samples: int | None = None,
    runs_dir: str = "",
    beside: str = "",
) -> Trainer:
    """An engine on a project as it would be trained, with some resolved settings changed.

    samples: how many to train on, the first ones, which then also validate; None for all.
    """
    project = read_text(text)
    report = analyse_project(project)
    if report.source is None:
        raise RunError(project.name, report.errors[0].message, report.errors[0].hint)
    inputs, outputs = ends(report.inputs, report.outputs)
    seed = int(project.training.get("seed", 0))
    data = load_project(project, inputs, outputs, seed)
    training = resolve(project.training, data.info.task, data.info.losses, data.info.rare)
    training |= {**changes, "rates": report.rates}
    seed_all(seed)
    module = build(report.source, report.class_name)
    if training["start_from"]:
        where = Path(runs_dir), Path(beside) if beside else None
        _begin(module, training["start_from"], (report.source, report.class_name), where)
    part = DeviceSplit(*data.all_training())
    few = _few(part, samples or 2)
    engine = trainer_from_settings(module, training, data, (part if samples is None else few, few))
    if training["distil"]:
        engine.computing.teacher = teacher_from(
            training["distil"], Path(runs_dir), (project, data.info)
        )
    return engine


def _begin(
    module: nn.Module,
    setting: Mapping[str, Any],
    network: tuple[str, str],
    where: tuple[Path, Path | None],
) -> None:
    """Load the weights that a run of this project would begin with."""
    content, summary = collect_weights(setting, network, *where)
    load_into(module, load(content), bool(summary["left_out"]))


def _few(part: DeviceSplit, samples: int) -> DeviceSplit:
    return DeviceSplit(*(tuple(c[:samples] for c in side) for side in (part.inputs, part.targets)))


def _tried(engine: Trainer) -> tuple[list[float], list[float]]:
    """Rates and losses of the steps, until the loss has flown apart."""
    growth = math.log(HIGHEST / LOWEST) / (STEPS - 1)
    recipe = engine.recipe
    factor = [math.exp(growth * min(step, STEPS - 1)) for step in range(STEPS)]
    climbs = [LambdaLR(o, lambda s: factor[min(s, STEPS - 1)]) for o in recipe.optimisers]
    engine.use(replace(recipe, per="step", schedules=climbs))
    rates, losses = list[float](), list[float]()
    for _ in engine.fit():
        points = engine.drain_metrics()
        rates, losses = rates + points["lr"], losses + points["loss"]
        if engine.diverged or len(losses) >= STEPS or len(smoothed(losses)) < len(losses):
            break
    points = engine.drain_metrics()
    rates, losses = rates + points["lr"], losses + points["loss"]
    return rates[:STEPS], losses[:STEPS]


def smoothed(losses: list[float]) -> list[float]:
    """The losses smoothed, up to where they fly apart."""
    smooth, mean, low = list[float](), 0.0, math.inf
    for count, loss in enumerate(losses, 1):
        mean = KEEP * mean + (1 - KEEP) * loss
        found = mean / (1 - KEEP**count)
        low = min(low, found)
        if not math.isfinite(found) or (count > SETTLED and found > TOO_HIGH * low):
            break
        smooth.append(found)
    return smooth


def suggested(rates: list[float], losses: list[float]) -> dict[str, Any]:
    """Smooth the losses, end where they fly apart, and say which rates suit."""
    smooth = smoothed(losses)
    if len(smooth) <= SETTLED + 1:
        message = "The loss is not finite even with the smallest learning rates."
        raise TrainingError("training.lr", message, "Normalise the data, or check the network.")
    kept = rates[: len(smooth)]
    slope = np.gradient(np.array(smooth), np.log10(kept))
    steepest = SETTLED + int(slope[SETTLED:].argmin())
    lowest = int(np.argmin(smooth))
    return {
        "lr": kept,
        "loss": smooth,
        "steepest": _round(kept[steepest]),
        "tenth": _round(kept[lowest] / 10),
    }


def _round(rate: float) -> float:
    return float(f"{rate:.2g}")
