"""Suggested settings on the command line: for a drawing that nobody chose any for."""

from collections.abc import Mapping
from typing import Any

from app.cli import output

NO_CHOICE = {"seed", "device"}
"""Settings that a drawing may have without anybody having chosen how it is trained."""


def as_suggested(project: Any, report: Any, given: Mapping[str, Any] | None = None) -> Any:
    """The project with the settings that suit it, as the page has them, where it has none.

    given: settings for this run only. Who gives a rate or an optimiser chooses all that go with it.
    """
    from dataclasses import replace

    from core.data import describe_project, ends, read_settings
    from core.settings.adopt import STEPPING, adopt
    from core.settings.suggest import suggest

    if set(project.training) - NO_CHOICE or {*STEPPING} & {*(given or {})} or not report.ok:
        return project
    info = describe_project(project, *ends(report.inputs, report.outputs))
    losses = info.losses if info.terms else ()
    data = read_settings(project.data)
    found = suggest(data, info.train_size, project.graph, losses, project.training)
    now = {name: getattr(data, name) for name in found.data}
    more = {n: v for n, v in found.data.items() if n not in project.data and now[n] != v}
    output.say(f"{found.sentence} (--defaults trains without this)")
    training = adopt(project.training, found)
    return replace(project, training=training, data={**project.data, **more})
