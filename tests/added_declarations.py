"""A process in which one of each kind is declared: prints what the product then says of them.

Declared before the other modules are imported, as if its line stood in its home.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from core.common.errors import LayerloomError, TrainingError
from core.settings import launcher, lr_schedulers, optimizers
from core.tasks import losses, metric_labels
from tests.wing_parts import modules


def _refuse(settings: Mapping[str, Any]) -> None:
    if settings.get("momentum") == 0.5:
        raise TrainingError("training.optimizer_settings", "Halved needs another momentum.")


def _idle(schedule: Mapping[str, Any], epochs: int, warmup: int) -> str:
    return f"Sawtooth sleeps for {schedule['step_size'] - warmup} of {epochs} epochs."


def declare() -> None:
    """Declare an optimiser, a schedule, a metric, a loss, a launcher and a data source."""
    known, dates, words = optimizers.OPTIMIZERS, lr_schedulers.SCHEDULES, metric_labels.METRICS
    like, facts = known["SGD"], frozenset[optimizers.Trait]({"compilable", "whole_rows"})
    known["Halved"] = replace(
        like, name="Halved", lr=0.25, usual_rate=0.125, traits=facts, check=_refuse
    )
    moves = frozenset[lr_schedulers.Trait]({"moves_momentum", "unchained", "watches_loss", "cycle"})
    dates["Sawtooth"] = replace(dates["StepLR"], name="Sawtooth", traits=moves, idle=_idle)
    words["gini"] = metric_labels.Metric(
        "Gini coefficient", "lower", share=True, counts_samples=True, format=".1%"
    )
    reads = losses.COMMON["NLLLoss"]
    losses.COMMON["FadedLoss"] = replace(
        reads, name="FadedLoss", traits=reads.traits | {"probabilities", "rare_classes"}
    )
    losses.SCORES = (*losses.SCORES, "FadedLoss")
    launcher.PLACES["boat"] = launcher.Place("would sail to {0}", address="the port {0}", own=True)
    launcher.KINDS = tuple(launcher.PLACES)
    from core.data.builtin import catalogue, generated  # imports what reads those above

    catalogue.SOURCES["Xor"] = generated._points(  # pyright: ignore[reportPrivateUsage]
        "Xor", "Python", ("same", "other"), "Points in a square.", 0.25
    )  # its function is `xor` of core.data.batches.reading


def of_source() -> dict[str, Any]:
    """What is said of the points Xor."""
    from core.analyse import analyse_project
    from core.data import SOURCES, ends, load_project
    from core.project.templates import load_template

    project = replace(load_template("mlp_spirals"), data={"source": "Xor", "made": {"samples": 40}})
    report = analyse_project(project)
    data = load_project(project, *ends(report.inputs, report.outputs))
    return {
        "listed": "Xor" in SOURCES,
        "sizes": [data.info.train_size, data.info.validation_size],
        "script": script_lines(project, "xor(40"),
    }


def _said(call: Callable[[], object]) -> str:
    """The message of what is refused; "" of what is not."""
    try:
        call()
    except LayerloomError as error:
        return error.message
    return ""


def _resolved(**training: Any) -> dict[str, Any]:
    from core.settings.validate import resolve

    return resolve(training, "classification")


def of_optimiser() -> dict[str, Any]:
    """What is said of Halved."""
    from core.project.templates import load_template
    from core.runs.remedies import clipped
    from core.runs.verdict_facts import Facts
    from core.settings.accelerations import hindrance, uncompilable
    from core.settings.network_facts import Network
    from core.settings.schema import TRAINING
    from core.settings.usual_rates import usual_rate

    form = next(setting for setting in TRAINING if setting.name == "optimizer")
    training = _resolved(optimizer="Halved")
    project = replace(load_template("mlp_iris"), training={"optimizer": "Halved"})
    sharded = launcher.Launcher("torchrun", 2, sharding="fsdp")
    return {
        "form": "Halved" in form.choices,
        "lr": training["lr"],
        "check": _said(lambda: _resolved(optimizer="Halved", optimizer_settings={"momentum": 0.5})),
        "recorded": hindrance(training),
        "compiled": uncompilable(training),
        "sharded": _said(lambda: launcher.check_sharding(sharded, training)),
        "rate": usual_rate(Network(), "Halved", 0.0, ""),
        "clipped": [remedy.title for remedy in clipped(Facts(training))],
        "script": script_lines(project, "Halved"),
    }


def script_lines(project: Any, word: str) -> list[str]:
    """The lines of a project's training script with a word."""
    from core.analyse import analyse_project
    from core.data import describe_project, ends
    from core.script.script import write_script

    report = analyse_project(project)
    info = describe_project(project, *ends(report.inputs, report.outputs))
    return [
        line.strip() for line in write_script(project, report, info).split("\n") if word in line
    ]


def of_schedule() -> dict[str, Any]:
    """What is said of Sawtooth."""
    from core.prepare.lr_preview import rates
    from core.project.templates import load_template
    from core.settings.accelerations import changing, uncompilable
    from core.settings.checks import without_effect
    from core.settings.network_facts import Network
    from core.settings.schema import TRAINING
    from core.settings.usual_rates import usual_rate

    form = next(setting for setting in TRAINING if setting.name == "scheduler")
    wanted = {"optimizer": "RMSprop", "scheduler": "Sawtooth"}
    training = _resolved(**wanted)
    project = replace(load_template("mlp_iris"), training=wanted)
    return {
        "form": "Sawtooth" in form.choices,
        "warmup": _said(lambda: _resolved(scheduler="Sawtooth", warmup=1)),
        "check": [said for said in without_effect(training, 1000) if "Sawtooth" in said],
        "joined": changing(training),
        "compiled": uncompilable(training),
        "preview": rates(wanted, "classification", (), 100)["why"],
        "rate": usual_rate(Network(), "AdamW", 0.0, "Sawtooth"),
        "script": script_lines(project, "Sawtooth"),
        "moved": script_lines(project, "scheduler.step("),
    }


def of_metric() -> dict[str, Any]:
    """What is said of the Gini coefficient."""
    from app.charts import _LABELS  # pyright: ignore[reportPrivateUsage]
    from core.runs.verdict_facts import Facts

    curves = {"val_gini": [0.5, 0.25, 0.4], "val_loss": [3.0, 2.0, 1.0]}
    baseline = {"metric": "val_gini", "value": 0.5, "samples": 64}
    facts = Facts({}, epochs=curves, baseline=baseline)
    return {
        "words": metric_labels.metric_words("val_gini"),
        "shown": metric_labels.shown("val_gini", 0.25),
        "chart": _LABELS["gini"],
        "script": metric_labels.script_format("gini"),
        "verdict": [facts.less, facts.skills(), facts.kept, facts.samples],
    }


def of_loss() -> dict[str, Any]:
    """What is said of FadedLoss."""
    from core.runs.remedies import causes
    from core.runs.verdict_facts import Facts
    from core.settings.class_balance import counts_each_class
    from core.settings.distillation import SUITED
    from core.tasks.registry import suitable_losses

    warned = Facts({"loss": "FadedLoss"}, warnings=("FadedLoss needs log-probabilities but ...",))
    return {
        "form": "FadedLoss" in suitable_losses("classification"),
        "balanced": counts_each_class(_resolved(loss="FadedLoss"), "classification", False),
        "teacher": "FadedLoss" in SUITED,
        "in_16_bits": _said(lambda: _resolved(loss="FadedLoss", precision="bfloat16")),
        "verdict": [[each.text, each.remedy.title] for each in causes(warned)][:1],
    }


def of_launcher() -> dict[str, Any]:
    """What is said of the boat."""
    from core.worker.launcher_trust import destination, is_trusted

    there, here = launcher.Launcher("boat", address="x"), launcher.Launcher("boat")  # type: ignore[arg-type]
    return {
        "elsewhere": launcher.is_elsewhere("boat"),
        "destination": destination(there),
        "trusted": [is_trusted(there), is_trusted(here)],
    }


if __name__ == "__main__":
    declare()
    parts = (of_optimiser, of_schedule, of_metric, of_loss, of_launcher, of_source)
    found = {part.__name__: part() for part in parts}
    for kind, adds in (
        (kind, adds) for each in modules("declared") for kind, adds in each.SAID.items()
    ):
        found[kind] |= adds()
    sys.stdout.write(json.dumps(found))
