"""Create a run folder: spec, source, script and project, written once. No torch is imported."""

import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from core.common.errors import RunError, TrainingError
from core.common.version import NAME, layerloom_version
from core.data import DataError, DataInfo
from core.data.facts.class_colours import colours_of
from core.data.facts.loss_terms import aims_of
from core.data.sources.paths import workspace
from core.files.home import make_folder
from core.prepare.ranks import cut_for_ranks
from core.prepare.settings import checked_settings, described
from core.project import Project, write_text
from core.runs import quota
from core.runs.files import FORMAT, write_bytes
from core.runs.full_disk import is_full, sentence
from core.runs.listing import running
from core.script.script import write_script
from core.settings.class_balance import counts_each_class
from core.settings.init_weights import FILE
from core.settings.launcher import KEY, Launcher
from core.settings.validate import drop_unknown
from core.tasks.metric_labels import class_aims
from core.tasks.registry import kind_of

PACKAGES = ("torch", "torchvision", "numpy", "scikit-learn")
SMALL_STEP = 50_000_000
"""Multiply-adds of a batch below which more threads only wait for each other."""


def prepare(
    project: Project,
    report: Any,
    runs_dir: Path,
    overrides: Mapping[str, Any] | None = None,
    beside: Path | None = None,
    document: str = "",
    launcher: Launcher | None = None,
) -> Path:
    """Make the folder of a new run, ready to start.

    report: the analysis of the project's graph, or its JSON form. overrides: settings for this run
    only, as "lr", "optimizer_settings.weight_decay" or "data.noise". beside: the folder of the
    project's file, for weights that lie there. document: what names the project in the workbench,
    whatever it is called meanwhile; "" where nobody said. launcher: where it trains, if not in one
    process; the batch of a step is cut for its ranks. Only a run that begins with weights
    imports torch. Raises TrainingError when network, data and settings do not fit; RunError for a
    graph with errors or a folder that cannot be written.
    """
    project = _with_overrides(project, overrides or {})
    facts = report if isinstance(report, Mapping) else _report_dict(report)
    source = facts["source"]
    if source is None:
        first = facts["errors"][0]["message"] if facts["errors"] else "The network is incomplete."
        raise RunError(project.name, first, "Fix the drawing first.")
    info = _data_info(project, facts)
    if launcher:
        project = cut_for_ranks(project, info, launcher, source)
    training = checked_settings(project, info)
    training["rates"] = dict(facts["rates"])
    spec = {
        **_base_spec(project, facts, info, training),
        "training": training,
        "seed": training["seed"],
        "threads": training["threads"]
        or _thread_count(facts["mult_adds"], training, runs_dir, launcher),
        **({KEY: launcher.as_spec()} if launcher else {}),
        **({"document": document} if document else {}),
    }
    files: dict[str, str | bytes] = {"model.py": source, "project.loom.json": write_text(project)}
    if training["start_from"]:
        from core.engine.init_weights import collect_weights

        network = (source, facts["class_name"])
        files[FILE], spec["start"] = collect_weights(
            training["start_from"], network, runs_dir, beside
        )
    teacher = None
    if training["distil"]:
        from core.prepare.teachers import collect_teacher as gathered_teacher

        student = (project, info, source)
        taught = gathered_teacher(training["distil"], student, runs_dir, beside)
        files, spec["teacher"] = {**files, **taught.files}, dict(taught.spec_entry)
        teacher = RunFiles(taught.source, taught.class_name, {})
    run_files = RunFiles(
        source, facts["class_name"], facts["rates"], facts.get("trainable_params", 1)
    )
    # with noise on gradients, processes of a script would draw different noise
    several = launcher is not None and launcher.world > 1 and not training["grad_noise"]
    files["script.py"] = write_script(project, run_files, info, teacher, processes=several)
    return _write(runs_dir, project.name, files, spec)


def _base_spec(
    project: Project, report: Mapping[str, Any], info: DataInfo, training: Mapping[str, Any]
) -> dict[str, Any]:
    """What a run is of."""
    each = counts_each_class(training, info.task, info.rare)
    each = each or any(term.classes for term in info.terms)
    recalled = class_aims(info.classes) if each else {}
    painted = kind_of(info.terms[0].kind).class_at_pixel
    return {
        "format": FORMAT,
        "project": project.name,
        "task": info.task,
        "classes": list(info.classes),
        "data": {**project.data, "summary": info.summary},
        "class_name": report["class_name"],
        "params": report["total_params"],
        **({"colours": list(colours_of(info))} if painted else {}),
        **({"aims": aims} if (aims := aims_of(info.terms) | recalled) else {}),
        "source_sha256": hashlib.sha256(report["source"].encode()).hexdigest(),
        "versions": _versions(),
    }


@dataclass(frozen=True)
class RunFiles:
    """What the training script is written from."""

    source: str | None
    class_name: str
    rates: Mapping[str, float]
    trainable_params: int = 1


def _report_dict(report: Any) -> dict[str, Any]:
    """The few facts needed of a Report, in the form of its JSON."""
    return {
        "source": report.source,
        "errors": [{"message": e.message} for e in report.errors],
        "inputs": report.inputs,
        "outputs": report.outputs,
        "class_name": report.class_name,
        "mult_adds": report.mult_adds,
        "total_params": report.total_params,
        "rates": report.rates,
        "trainable_params": report.trainable_params,
    }


def _data_info(project: Project, report: Mapping[str, Any]) -> DataInfo:
    """What the data is; refuses what does not fit the network or is not on this machine."""
    try:
        info = described(project, report)
    except DataError as error:
        raise TrainingError("data", error.message, error.hint) from error
    if not info.here:
        size = f"{info.download_bytes / 1e6:.0f} MB"
        message = f"{info.source} is not on this machine."
        raise TrainingError("data.source", message, f"Download it first ({size}).")
    return info


def _with_overrides(project: Project, overrides: Mapping[str, Any]) -> Project:
    """The project with the settings of this run put in."""
    training = drop_unknown(project.training, overrides)
    values = {"data": _thaw(project.data), "training": _thaw(training)}
    for name, value in overrides.items():
        path = name.split(".")
        if path[0] not in values:
            path = ["training", *path]
        table: Any = values
        for key in path[:-1]:
            table = table.setdefault(key, {}) if isinstance(table, dict) else None
        if not isinstance(table, dict):
            raise TrainingError(name, f"{name} is not a setting.", "Use a name such as lr.")
        table[path[-1]] = value
    return replace(project, data=values["data"], training=values["training"])


def _thaw(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thaw(item) for key, item in value.items()}
    return [_thaw(item) for item in value] if isinstance(value, list | tuple) else value


def _thread_count(
    mult_adds: int, training: Mapping[str, Any], runs_dir: Path, launcher: Launcher | None
) -> int:
    """One thread for small steps, else at most this run's share of the processor."""
    ranks = launcher.processes if launcher else 1
    if mult_adds * training["batch_size"] < SMALL_STEP:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) // (1 + running(runs_dir)) // ranks)


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version(), NAME: layerloom_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _write(
    runs_dir: Path, name: str, files: Mapping[str, str | bytes], spec: dict[str, Any]
) -> Path:
    """Write the folder, or none; spec.json, which makes it a run, comes last."""
    message, hint = quota.refusal(runs_dir, workspace())
    if message:
        raise RunError(name, message, hint)
    run_dir = None
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        run_dir = new_folder(runs_dir, _folder_name(name))
        for file, content in files.items():
            write_bytes(run_dir / file, content.encode() if isinstance(content, str) else content)
        text = json.dumps({"name": run_dir.name, **spec}, indent=2, allow_nan=False)
        write_bytes(run_dir / "spec.json", text.encode())
    except OSError as error:
        if run_dir is not None:
            shutil.rmtree(run_dir, ignore_errors=True)
        message = f"The run folder cannot be written: {error.strerror}."
        hint = "Choose another folder for runs."
        if is_full(error):
            message, hint = (
                sentence("The run folder cannot be written", runs_dir),
                "Free some space.",
            )
        raise RunError(str(runs_dir), message, hint) from error
    return run_dir


def new_folder(runs_dir: Path, slug: str) -> Path:
    """The next free NAME-NNN, made by us alone however many start at once."""
    taken = [re.fullmatch(rf"{re.escape(slug)}-(\d{{3,9}})", p.name) for p in runs_dir.iterdir()]
    number = max((int(m[1]) for m in taken if m), default=0)
    while True:
        number += 1
        folder = runs_dir / f"{slug}-{number:03d}"
        try:
            make_folder(folder)
            return folder
        except FileExistsError:
            continue


def _folder_name(name: str) -> str:
    """A project's name as a folder name."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-")
    return plain or "run"
