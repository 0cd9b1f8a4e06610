"""A network that this machine has too little memory for, said before its run refuses it."""

from collections.abc import Mapping
from typing import Any

from core.common import memory
from core.common.device import AUTO, has
from core.common.memory import Shortage
from core.project import Project
from core.worker import job_queue

Json = dict[str, Any]


def errors(project: Project, report: Mapping[str, Any]) -> list[Json]:
    """The error for the canvas, as a report has them, in the words of the run; else none."""
    short = _shortage(project, report)
    if short is None:
        return []
    said = {"message": short.message, "hint": short.hint}
    return [{"node": short.node, "code": "memory", **said, "fixes": []}]


def problem(project: Project, report: Mapping[str, Any]) -> str:
    """The same as one text, why training on this machine cannot start; "" if it can."""
    short = _shortage(project, report)
    return f"{short.message} {short.hint}" if short else ""


def _shortage(project: Project, report: Mapping[str, Any]) -> Shortage | None:
    if not _on_processor(project.training.get("device", AUTO)):
        return None
    nodes: Mapping[str, Mapping[str, Any]] = report.get("nodes", {})
    return memory.run_shortage({path: int(node["params"]) for path, node in nodes.items()})


def _on_processor(device: object) -> bool:
    """Whether a run would train on the processor, whose memory is known before it starts."""
    return has(device, "host") or (device == AUTO and not job_queue.gpus())
