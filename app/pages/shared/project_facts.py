"""The small line below the name of a project in a list: data, blocks, file and date."""

import time

from app.services.projects_with_runs import Work


def facts(work: Work) -> str:
    """Data, number of blocks, file and last change of a project, or why it cannot be read."""
    if work.problem:
        return work.problem[:200]
    source, blocks = work.project.data.get("source"), len(work.project.graph.nodes)
    parts = [source if isinstance(source, str) else "no data", f"{blocks} blocks", work.where]
    return " · ".join([*parts, when(work.changed_s)])


def when(at_s: float) -> str:
    """A moment in words: today 14:03, 3 Nov 14:03, 3 Nov 2025."""
    moment, now = time.localtime(at_s), time.localtime()
    day = f"{moment.tm_mday} {time.strftime('%b', moment)}"
    if moment[:3] == now[:3]:
        return f"today {time.strftime('%H:%M', moment)}"
    if moment.tm_year == now.tm_year:
        return f"{day} {time.strftime('%H:%M', moment)}"
    return f"{day} {moment.tm_year}"
