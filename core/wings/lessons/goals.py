"""Goals of lessons, checked on runs. Reads run folders; imports no torch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.claims.judge import hold, setting_words, value_shown
from core.claims.model import Check, ClaimResult
from core.project import Project, ProjectError, open_project
from core.project.model import ENDING
from core.runs.files import read_json
from core.runs.listing import RunView
from core.tasks.metric_labels import metric_words, short

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class GoalResult:
    """A goal in words, whether it is reached, its current state, and the runs that reach it."""

    verdict: ClaimResult
    runs: tuple[str, ...] = ()


def met(goal: Check, views: Sequence[RunView]) -> GoalResult:
    """Check a goal on these runs, latest first."""
    return _GOALS[goal.kind](goal.fields, views)


def runs_of(views: Sequence[RunView], names: set[str], since: float) -> list[RunView]:
    """The runs of projects of these names that began after a lesson did."""
    known = [view for view in views if view.project_name in names and view.state != "lost"]
    return [view for view in known if view.created_s >= since]


def project_of(view: RunView) -> Project | None:
    """The project that a run trains, None where its file cannot be read."""
    try:
        return open_project(view.dir / f"project{ENDING}")
    except ProjectError:  # a run folder that somebody changed shows nothing of a drawing
        return None


def _drawn(goal: Fields, view: RunView) -> bool:
    """Whether the project of a run matches the goal."""
    claims = goal.get("having", ())
    project = project_of(view) if claims else None
    return not claims or (project is not None and hold(claims, project))


def _train(goal: Fields) -> str:
    """What to train, as an order: "Train a network with ReLU and without Dropout"."""
    having = " and ".join(_HAVING[claim.kind](claim.fields) for claim in goal.get("having", ()))
    return f"Train a network {having}".rstrip()


def _named(setting: str) -> str:
    """A setting as it is called on screen, within a sentence: learning rate."""
    return setting_words(setting).lower()


def _with_block(claim: Fields) -> str:
    places = (f"{word} {claim[word]}" for word in ("after", "before") if claim.get(word))
    return " ".join([f"with {claim['block']}", " and ".join(places)]).rstrip()


_HAVING: dict[str, Callable[[Fields], str]] = {
    "has": _with_block,
    "lacks": lambda claim: f"without {claim['block']}",
    "block_setting": lambda claim: (
        f"with {claim['setting']} {value_shown(claim['value'])} in {claim['node']}"
    ),
    "repeats": lambda claim: f"with {claim['node']} repeated {claim['times']} times",
    "data": lambda claim: f"with {_named(claim['setting'])} {value_shown(claim['value'])}",
    "training": lambda claim: f"with {_named(claim['setting'])} {value_shown(claim['value'])}",
}
"""The claims of `forms.DRAWN`, in the words of an order."""


def _value(metric: str, value: float) -> str:
    """A value of a metric as people read it: 93.33%, 0.4123."""
    return short(metric, value, digits=4)


def _reaches(goal: Fields, views: Sequence[RunView], least: bool) -> GoalResult:
    metric, wanted = goal["metric"], goal["at_least" if least else "at_most"]
    word = "at least" if least else "at most"
    text = f"{_train(goal)} to {word} {_value(metric, wanted)} {metric_words(metric)}."
    drawn = [view for view in views if _drawn(goal, view)]
    values = [(value, view.name) for view in drawn if (value := _best(view, metric)) is not None]
    if not values:
        return GoalResult(ClaimResult(text, False, _nothing(views, drawn)))
    value, name = (max if least else min)(values)
    holds = value >= wanted if least else value <= wanted
    return GoalResult(ClaimResult(text, holds, f"{name}: {_value(metric, value)}."), (name,))


def _ends(goal: Fields, views: Sequence[RunView], least: bool) -> GoalResult:
    """How many times another's the last value of a metric is: large where a network overfits."""
    metric, over, times = goal["metric"], goal["over"], goal["times"]
    word = "at least" if least else "at most"
    first, second = metric_words(metric), metric_words(over)
    text = f"{_train(goal)}: in the end the {first} is {word} {times:g} times the {second}."
    drawn = [view for view in views if _drawn(goal, view) and view.state == "finished"]
    pairs = [(_known(v.metrics, metric), _known(v.metrics, over), v.name) for v in drawn]
    ratios = [(a / b, a, b, name) for a, b, name in pairs if a is not None and b]
    if not ratios:
        return GoalResult(ClaimResult(text, False, _nothing(views, drawn)))
    ratio, a, b, name = (max if least else min)(ratios)
    now = f"{name}: {a:.3g} / {b:.3g} = {ratio:.3g}."
    return GoalResult(ClaimResult(text, ratio >= times if least else ratio <= times, now), (name,))


def _apart(goal: Fields, views: Sequence[RunView]) -> GoalResult:
    """Two finished runs differ in a setting: one has each value."""
    setting, wanted = goal["setting"], goal["values"]
    one, other = map(value_shown, wanted)
    text = f"Finish two runs: one with {_named(setting)} {one}, one with {_named(setting)} {other}."
    done = [view for view in views if view.state == "finished"]
    by_value = [(_setting(view, setting), view.name) for view in done]
    got = [next((name for v, name in by_value if v == value), "") for value in wanted]
    if all(got):
        return GoalResult(ClaimResult(text, True), tuple(got))
    left = [value_shown(value) for value, name in zip(wanted, got, strict=True) if not name]
    return GoalResult(ClaimResult(text, False, _missing(setting, left, len(done))))


def _setting(view: RunView, name: str) -> Any:
    return read_json(view.dir / "spec.json").get("training", {}).get(name)


def _missing(setting: str, left: Sequence[str], done: int) -> str:
    if not done:
        return "No run has finished yet."
    count = f"{done} runs have" if done > 1 else "One run has"
    return f"{count} finished. Still missing: {_named(setting)} {' and '.join(left)}."


def _nothing(views: Sequence[RunView], drawn: Sequence[RunView]) -> str:
    if not views:
        return "No run of this lesson yet."
    return "" if drawn else "No run of such a network yet."


def _best(view: RunView, metric: str) -> float | None:
    """The metric at the best epoch."""
    return _known((view.best or {}).get("metrics") or {}, metric)


def _known(metrics: Fields, name: str) -> float | None:
    value = metrics.get(name)
    return float(value) if isinstance(value, int | float) else None


def _finishes(goal: Fields, views: Sequence[RunView]) -> GoalResult:
    drawn = [view for view in views if _drawn(goal, view)]
    done = [view.name for view in drawn if view.state == "finished"]
    now = f"{done[0]}." if done else _nothing(views, drawn)
    return GoalResult(
        ClaimResult(f"{_train(goal)} until the run has finished.", bool(done), now), tuple(done[:1])
    )


_GOALS: dict[str, Callable[[Fields, Sequence[RunView]], GoalResult]] = {
    "reaches": partial(_reaches, least=True),
    "stays_below": partial(_reaches, least=False),
    "drifts": partial(_ends, least=True),
    "keeps_close": partial(_ends, least=False),
    "apart": _apart,
    "finishes": _finishes,
}
