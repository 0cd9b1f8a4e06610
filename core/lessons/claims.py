"""Whether what a lesson asks for holds of a drawing: each claim with its words. No torch here.

Shapes, errors and counts are those of a report as JSON, which torch made; see `core.analyse`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.graph import Graph
from core.graph.order import ancestors
from core.lessons.model import Check
from core.project import Project

Given = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """One claim in words, and whether it holds; `now` is how it stands, "" where that says it."""

    said: str
    holds: bool
    now: str = ""


def judge(claim: Check, project: Project, report: Mapping[str, Any] | None = None) -> Verdict:
    """Say whether a claim holds. report: of this project's graph; claims on it need it."""
    if claim.kind in _OF_PROJECT:
        return _OF_PROJECT[claim.kind](claim.given, project)
    return _OF_REPORT[claim.kind](claim.given, report or {"ok": False})


def hold(claims: tuple[Check, ...], project: Project) -> bool:
    """Whether all of these claims hold of a project alone."""
    return all(judge(claim, project).holds for claim in claims)


def _has(given: Given, project: Project) -> Verdict:
    """A block is there: after a node, before a node, or anywhere, in a composite too."""
    graph, block = project.graph, given["block"]
    after, before = given.get("after", ""), given.get("before", "")
    places = [f"{word} {name}" for word, name in (("after", after), ("before", before)) if name]
    said = f"{block} stands {' and '.join(places) or 'in the drawing'}."
    found = graph.of_block(block)
    if not places:
        return Verdict(said, bool(found) or _inside(graph, block))
    right = [name for name in found if _between(graph, after, name, before)]
    elsewhere = f"{found[0]} does not stand {' and '.join(places)}." if found else ""
    return Verdict(said, bool(right), "" if right else elsewhere)


def _between(graph: Graph, after: str, name: str, before: str) -> bool:
    behind = not after or (after != name and after in ancestors(graph, name))
    return behind and (not before or (before != name and name in ancestors(graph, before)))


def _inside(graph: Graph, block: str) -> bool:
    return any(part.graph.of_block(block) for part in graph.composites.values())


def _lacks(given: Given, project: Project) -> Verdict:
    block = given["block"]
    left = project.graph.of_block(block)
    now = f"Still there: {', '.join(left)}." if left else ""
    said = f"No {block} is left."
    return Verdict(said, not left and not _inside(project.graph, block), now)


def _block_setting(given: Given, project: Project) -> Verdict:
    name, setting, wanted = given["node"], given["setting"], given["value"]
    said = f"{setting} of {name} is {value_shown(wanted)}."
    node = project.graph.nodes.get(name)
    if node is None:
        return Verdict(said, False, f"{name} is not in the drawing.")
    is_now = node.settings.get(setting)
    return _compared(said, is_now, wanted)


def _repeats(given: Given, project: Project) -> Verdict:
    name, times = given["node"], given["times"]
    node = project.graph.nodes.get(name)
    said = f"{name} is repeated {times} times."
    if node is None:
        return Verdict(said, False, f"{name} is not in the drawing.")
    now = "" if node.repeat == times else f"Now {node.repeat}."
    return Verdict(said, node.repeat == times, now)


def _data(given: Given, project: Project) -> Verdict:
    setting, wanted = given["setting"], given["value"]
    return _compared(
        f"{setting} of the data is {value_shown(wanted)}.", project.data.get(setting), wanted
    )


def _training(given: Given, project: Project) -> Verdict:
    setting, wanted = given["setting"], given["value"]
    said = f"{setting} of the training is {value_shown(wanted)}."
    return _compared(said, project.training.get(setting), wanted)


def _compared(said: str, is_now: Any, wanted: Any) -> Verdict:
    """Compare two values of a setting; what is not set is said so, and is no false."""
    same = is_now == wanted and isinstance(is_now, bool) == isinstance(wanted, bool)
    same = same or (wanted is False and is_now is None)
    return Verdict(said, same, "" if same else f"Now {value_shown(is_now)}.")


def value_shown(value: Any) -> str:
    """Write the value of a setting as a student would type it: 0.00002, on, not set."""
    if value is None or isinstance(value, bool):
        return "not set" if value is None else "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.10f}".rstrip("0").rstrip(".")
    return str(value)


def _no_errors(given: Given, report: Given) -> Verdict:
    errors = report.get("errors", ())
    now = str(errors[0]["message"]) if errors else ""
    return Verdict("The drawing has no error.", bool(report["ok"]), now)


def _error_on(given: Given, report: Given) -> Verdict:
    name = given["node"]
    found = [e for e in report.get("errors", ()) if e["node"] == name]
    return Verdict(f"{name} is red.", bool(found), found[0]["message"] if found else "")


def _leaves(given: Given, report: Given) -> Verdict:
    name, wanted = given["node"], list(given["shape"])
    outputs = report.get("nodes", {}).get(name, {}).get("outputs", {})
    first = next(iter(outputs.values()), {}).get("shape", [])[1:]
    now = "" if first == wanted else f"Now {shown(first)}." if outputs else "Now nothing."
    return Verdict(f"{shown(wanted)} leaves {name}.", first == wanted, now)


def _params_below(given: Given, report: Given) -> Verdict:
    most, total = given["count"], report.get("total_params", 0)
    said = f"The network has fewer than {most:,} parameters."
    holds = bool(report["ok"]) and total < most
    return Verdict(said, holds, f"Now {total:,}." if report["ok"] else "It has errors.")


def shown(sizes: Any) -> str:
    """Write sizes without the batch as a shape: (N, 6, 28, 28)."""
    return f"({', '.join(['N', *map(str, sizes)])})"


_OF_PROJECT: dict[str, Callable[[Given, Project], Verdict]] = {
    "has": _has,
    "lacks": _lacks,
    "block_setting": _block_setting,
    "repeats": _repeats,
    "data": _data,
    "training": _training,
}
_OF_REPORT: dict[str, Callable[[Given, Given], Verdict]] = {
    "no_errors": _no_errors,
    "error_on": _error_on,
    "leaves": _leaves,
    "params_below": _params_below,
}
