"""Claims, checked on a project or its report, with a sentence for each. No torch.

Shapes, errors and counts are those of a report as JSON, which torch made; see `core.analyse`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from core.claims.model import Check, ClaimResult
from core.graph import Graph
from core.graph.order import ancestors
from core.project import Project
from core.settings.schema import TRAINING

Fields = Mapping[str, Any]
_TITLES = {**{setting.name: setting.title for setting in TRAINING}, "normalize": "Normalise"}


def judge(claim: Check, project: Project, report: Mapping[str, Any] | None = None) -> ClaimResult:
    """Check a claim. report: of the project's graph, for claims on it."""
    if claim.kind in _OF_PROJECT:
        return _OF_PROJECT[claim.kind](claim.fields, project)
    return _OF_REPORT[claim.kind](claim.fields, report or {"ok": False})


def hold(claims: tuple[Check, ...], project: Project) -> bool:
    """Whether all of these claims hold of a project alone."""
    return all(judge(claim, project).holds for claim in claims)


def _has(claim: Fields, project: Project) -> ClaimResult:
    """A block is there: after a node, before a node, or anywhere, in a composite too."""
    graph, block = project.graph, claim["block"]
    after, before = claim.get("after", ""), claim.get("before", "")
    conditions = [f"{word} {name}" for word, name in (("after", after), ("before", before)) if name]
    place = f" {' and '.join(conditions)}" if conditions else ""
    text = f"There is {with_article(block)}{place}."
    nodes = graph.of_block(block)
    if not conditions:
        return ClaimResult(text, bool(nodes) or _inside(graph, block))
    right = [name for name in nodes if _between(graph, after, name, before)]
    elsewhere = f"{nodes[0]} is not{place}." if nodes else ""
    return ClaimResult(text, bool(right), "" if right else elsewhere)


def with_article(name: str) -> str:
    """Write a name with its article as pronounced: a ReLU, an LSTM."""
    spelled = name.isupper()  # each letter by its own name
    return f"{'an' if name[:1] in ('AEFHILMNORSX' if spelled else 'AEIOUaeiou') else 'a'} {name}"


def _between(graph: Graph, after: str, name: str, before: str) -> bool:
    behind = not after or (after != name and after in ancestors(graph, name))
    return behind and (not before or (before != name and name in ancestors(graph, before)))


def _inside(graph: Graph, block: str) -> bool:
    return any(part.graph.of_block(block) for part in graph.composites.values())


def _lacks(claim: Fields, project: Project) -> ClaimResult:
    block = claim["block"]
    left = project.graph.of_block(block)
    now = f"Still there: {', '.join(left)}." if left else ""
    text = f"No {block} is left."
    return ClaimResult(text, not left and not _inside(project.graph, block), now)


def _block_setting(claim: Fields, project: Project) -> ClaimResult:
    name, setting, wanted = claim["node"], claim["setting"], claim["value"]
    text = f"{setting} of {name} is {value_shown(wanted)}."
    node = project.graph.nodes.get(name)
    if node is None:
        return ClaimResult(text, False, f"{name} is not in the drawing.")
    is_now = node.settings.get(setting)
    return _compared(text, is_now, wanted)


def _repeats(claim: Fields, project: Project) -> ClaimResult:
    name, times = claim["node"], claim["times"]
    node = project.graph.nodes.get(name)
    text = f"{name} is repeated {times} times."
    if node is None:
        return ClaimResult(text, False, f"{name} is not in the drawing.")
    now = "" if node.repeat == times else f"Now {node.repeat}."
    return ClaimResult(text, node.repeat == times, now)


def _data(claim: Fields, project: Project) -> ClaimResult:
    setting, wanted = claim["setting"], claim["value"]
    return _compared(
        f"{setting_words(setting)} is {value_shown(wanted)} in the data settings.",
        project.data.get(setting),
        wanted,
    )


def _training(claim: Fields, project: Project) -> ClaimResult:
    setting, wanted = claim["setting"], claim["value"]
    text = f"{setting_words(setting)} is {value_shown(wanted)} in the training settings."
    return _compared(text, project.training.get(setting), wanted)


def _compared(text: str, is_now: Any, expected: Any) -> ClaimResult:
    """Compare two values of a setting; a setting that is not set differs from false."""
    same = is_now == expected and isinstance(is_now, bool) == isinstance(expected, bool)
    same = same or (expected is False and is_now is None)
    return ClaimResult(text, same, "" if same else f"Now {value_shown(is_now)}.")


def setting_words(name: str) -> str:
    """Title of a setting of training or data on screen: Learning rate, Normalise, Epochs."""
    return _TITLES.get(name) or name.replace("_", " ").capitalize()


def value_shown(value: Any) -> str:
    """Write the value of a setting as a student would type it: 0.00002, on, not set."""
    if value is None or isinstance(value, bool):
        return "not set" if value is None else "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.10f}".rstrip("0").rstrip(".")
    return str(value)


def _no_errors(claim: Fields, report: Fields) -> ClaimResult:
    errors = report.get("errors", ())
    now = str(errors[0]["message"]) if errors else ""
    return ClaimResult("The drawing has no errors.", bool(report["ok"]), now)


def _error_on(claim: Fields, report: Fields) -> ClaimResult:
    name = claim["node"]
    errors = [e for e in report.get("errors", ()) if e["node"] == name]
    return ClaimResult(f"{name} is red.", bool(errors), errors[0]["message"] if errors else "")


def _leaves(claim: Fields, report: Fields) -> ClaimResult:
    name, wanted = claim["node"], list(claim["shape"])
    outputs = report.get("nodes", {}).get(name, {}).get("outputs", {})
    first = next(iter(outputs.values()), {}).get("shape", [])[1:]
    now = "" if first == wanted else f"Now {shown(first)}." if outputs else "No output yet."
    return ClaimResult(f"{name} outputs {shown(wanted)}.", first == wanted, now)


def _params_below(claim: Fields, report: Fields) -> ClaimResult:
    most, total = claim["count"], report.get("total_params", 0)
    text = f"The network has fewer than {most:,} parameters."
    holds = bool(report["ok"]) and total < most
    return ClaimResult(text, holds, f"Now {total:,}." if report["ok"] else "It has errors.")


def shown(sizes: Any) -> str:
    """Write sizes without the batch as a shape: (N, 6, 28, 28)."""
    return f"({', '.join(['N', *map(str, sizes)])})"


_OF_PROJECT: dict[str, Callable[[Fields, Project], ClaimResult]] = {
    "has": _has,
    "lacks": _lacks,
    "block_setting": _block_setting,
    "repeats": _repeats,
    "data": _data,
    "training": _training,
}
_OF_REPORT: dict[str, Callable[[Fields, Fields], ClaimResult]] = {
    "no_errors": _no_errors,
    "error_on": _error_on,
    "leaves": _leaves,
    "params_below": _params_below,
}
