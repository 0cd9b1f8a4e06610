"""The network that is served: its module, its interface, and the page to try it on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.export.interface import interface_of
from core.export.parity import draws
from core.export.result import ExportError
from core.export.subject import Source, Subject, subject_of
from core.export.web.page import facts_of
from core.wings.serve.batching import Run, runner


@dataclass(frozen=True)
class Served:
    """interface: as plain data. facts: texts and examples of the page. name: of the run."""

    run: Run
    interface: dict[str, Any]
    facts: dict[str, Any]
    name: str
    title: str
    about: str


def served(source: Source, module: Callable[..., Any] | None = None, which: str = "best") -> Served:
    """Load a run with its best weights, or those of another checkpoint (which), or a project.

    module: what runs in place of its own.

    Raises ExportError, RunError, DataError.
    """
    subject = subject_of(source, which=which)
    interface = interface_of(subject)
    interface_json = interface.json()
    facts = facts_of(subject, interface, "Served by Layerloom.")
    if draws(subject.module, subject.sample):
        facts["samples"] = []  # their outputs would be others each time
    return Served(
        runner(module or subject.module, interface_json),
        interface_json,
        facts,
        _name(subject),
        facts["title"],
        _about(facts),
    )


def _about(facts: dict[str, Any]) -> str:
    """The network in a line, with what it reached."""
    reached = facts["result"]["sentence"] if "result" in facts else ""
    return f"{facts['about']} · {reached}" if reached else facts["about"]


def _name(subject: Subject) -> str:
    """The run, or the project of random weights."""
    if subject.opened is None:
        raise ExportError("There is no run to serve.", "Name a run or a project.")
    return subject.opened.run.name if subject.opened.run else subject.opened.project.name
