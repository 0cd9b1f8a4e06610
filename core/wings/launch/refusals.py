"""Checks of a launcher before anything starts: each refusal is one sentence, and leaves nothing."""

from collections.abc import Mapping
from typing import Any

from core.common.errors import RunError
from core.settings.launcher import Launcher, check_sharding
from core.settings.schema import defaults
from core.settings.step_settings import StepSettings
from core.wings.launch import ray_launcher, slurm, ssh_host
from core.worker.launchers import kind_of


def check_launcher(launcher: Launcher, training: Mapping[str, Any]) -> None:
    """Refuse a launcher that cannot train here, or not with these settings.

    Connects to the machine or the cluster of the launcher; starts nothing there. training: settings
    of the project. Raises RunError, TrainingError for a batch that cannot be divided.
    """
    kind = kind_of(launcher.kind)
    _check_counts(launcher)
    settings = {**defaults(), **training}
    check_sharding(launcher, settings)
    if step := StepSettings.of_project(settings):  # else `prepare` refuses them
        launcher.cut(step)
    finding = kind.find()
    if not finding.available:
        raise RunError("launcher", finding.text, finding.hint)
    if launcher.kind == "ssh":
        ssh_host.check(ssh_host.SshHost(launcher.address))
    elif launcher.kind == "slurm":
        slurm.check(launcher, {"training": settings})
    elif launcher.kind == "ray":
        ray_launcher.check(launcher)
        threads = settings["threads"]
        ray_launcher.check_cluster(launcher, threads if type(threads) is int else 1)


def check_reachable(launcher: Launcher) -> None:
    """Check that a cluster answers which the trials of a sweep share. Raises RunError."""
    if kind_of(launcher.kind).shared:
        ray_launcher.check(launcher)


def _check_counts(launcher: Launcher) -> None:
    """Refuse numbers and addresses that the launcher has no use for. Raises RunError."""
    kind = kind_of(launcher.kind)
    if launcher.machines > 1 and not kind.machines:
        message = f"The launcher {kind.name} uses one machine, not {launcher.machines}."
        raise RunError("nnodes", message, "Choose --launcher slurm or ray.")
    if launcher.address and not kind.address:
        message = f"The launcher {kind.name} takes no address."
        raise RunError("address", message, "Choose --launcher ssh, slurm or ray.")
