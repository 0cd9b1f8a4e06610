"""The kinds of what a task may ask for, a declaration each: keys, words, and how it is judged.

Claims on a drawing are those that lessons have, too (`core.claims`). Here are those of a task:
the outputs, the cost, what is learned on hidden data, and the run that was handed in. No torch.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.claims import ClaimResult, forms, judge
from core.claims.forms import Form
from core.claims.forms import Key as Field
from core.claims.judge import shown
from core.claims.model import Check
from core.files.messages import at, fail
from core.project import Project, values
from core.tasks.metric_labels import metric_words, short

Fields = Mapping[str, Any]
MOST_EPOCHS, MOST_SECONDS = 10_000, 36_000
MOST_OUTPUTS = 20
MOST_COST = 10**15
OWN_PYTHON = "Own Python was not run: {}."
NO_RUN = "No run was handed in."
OTHER_RUN = "The run that was handed in trained another drawing."


@dataclass(frozen=True)
class Learned:
    """What a drawing reached on hidden data: metrics without the name of the part.

    problem: why it could not be trained to the end, "" where it was.
    """

    metrics: Mapping[str, float]
    problem: str = ""


@dataclass(frozen=True)
class Evidence:
    """What is known of a hand-in.

    project: with the blocks alone that lead to an output. report: of the whole drawing, as JSON.
    own_python: names of blocks whose Python was not run. run: metrics of the run that came along,
    by name; None where none did. learn: trains for so many epochs and seconds, None where there is
    no hidden data. same_run: whether that run trained this very source.
    """

    project: Project
    report: Mapping[str, Any]
    own_python: tuple[str, ...] = ()
    run: Mapping[str, float] | None = None
    same_run: bool = True
    learn: Callable[[int, int], Learned] | None = None


@dataclass(frozen=True)
class CheckKind:
    """A kind of requirement. words: what must hold. needs: "" for the drawing alone, else what a
    judgement needs beside it: "hidden" data, or a "run"."""

    form: Form
    words: Callable[[Fields], str]
    judge: Callable[[Fields, Evidence], ClaimResult]
    needs: str = ""


def _shapes(value: Any, path: str) -> tuple[tuple[int, ...], ...]:
    items = values.json_list(value, path)
    if not 1 <= len(items) <= MOST_OUTPUTS:
        fail(path, f"has {len(items)} shapes.", "Write one for each Output: [[10]].")
    return tuple(forms.shape(each, at(path, i)) for i, each in enumerate(items))


def _claim(kind: str) -> CheckKind:
    """A claim on the drawing; its words are those of its judgement."""

    def judged(fields: Fields, facts: Evidence) -> ClaimResult:
        found = judge(Check(kind, fields), facts.project, facts.report)
        if found.holds or kind in forms.DRAWN or not facts.own_python:
            return found
        return ClaimResult(found.text, False, _why_not(facts) or found.now)

    empty = Evidence(Project(), {"ok": False})
    return CheckKind(forms.CLAIMS[kind], lambda fields: judged(fields, empty).text, judged)


def _outputs_words(fields: Fields) -> str:
    shapes = [shown(sizes) for sizes in fields["shapes"]]
    return f"The network outputs {' and '.join(shapes)}."


def _outputs(fields: Fields, facts: Evidence) -> ClaimResult:
    text, report = _outputs_words(fields), facts.report
    found = [tuple(end["shape"][1:]) for end in report.get("outputs", ())]
    if report["ok"] and found == list(fields["shapes"]):
        return ClaimResult(text, True)
    now = f"Now {' and '.join(map(shown, found))}."
    return ClaimResult(text, False, _why_not(facts) or now)


def _why_not(facts: Evidence) -> str:
    """Why a drawing cannot be run, "" where it can."""
    if facts.report["ok"]:
        return ""
    if facts.own_python:
        return OWN_PYTHON.format(", ".join(facts.own_python))
    errors = facts.report.get("errors", ())
    return str(errors[0]["message"]) if errors else "The drawing is not complete."


def _cost_words(fields: Fields) -> str:
    return f"The network needs fewer than {fields['count']:,} multiply-adds for one sample."


def _cost(fields: Fields, facts: Evidence) -> ClaimResult:
    text = _cost_words(fields)
    if why := _why_not(facts):
        return ClaimResult(text, False, why)
    total = facts.report["mult_adds"]
    return ClaimResult(text, total < fields["count"], f"Now {total:,}.")


def _bound(fields: Fields, least: bool) -> str:
    """ "at least 90% accuracy", as it is read in a sentence."""
    word, wanted = ("at least", fields["at_least"]) if least else ("at most", fields["at_most"])
    metric = fields["metric"]
    return f"{word} {short(metric, wanted, digits=4)} {metric_words(metric)}"


def _reached(text: str, fields: Fields, metrics: Mapping[str, float], least: bool) -> ClaimResult:
    """Compare a figure with its bound; the figure stands in the reason either way."""
    name = fields["metric"]
    if name not in metrics:
        known = ", ".join(sorted(metrics)) or "none"
        return ClaimResult(text, False, f"There is no {name}. Figures: {known}.")
    value, wanted = metrics[name], fields["at_least" if least else "at_most"]
    holds = value >= wanted if least else value <= wanted
    return ClaimResult(text, holds, f"{metric_words(name)}: {short(name, value, digits=4)}.")


def _learns_words(fields: Fields, least: bool) -> str:
    budget = f"{fields['epochs']} epoch{'s' if fields['epochs'] > 1 else ''}"
    budget += f" and {fields['seconds']} s of computing" if "seconds" in fields else ""
    bound = _bound(fields, least)
    return f"Trained from scratch within {budget}, it reaches {bound} on data that you do not have."


def _learns(fields: Fields, facts: Evidence, least: bool) -> ClaimResult:
    text = _learns_words(fields, least)
    if why := _why_not(facts):
        return ClaimResult(text, False, why)
    assert facts.learn is not None  # `judge_each` leaves such lines open without hidden data
    learned = facts.learn(fields["epochs"], fields.get("seconds", 0))
    if learned.problem:
        return ClaimResult(text, False, learned.problem)
    return _reached(text, fields, learned.metrics, least)


def _run_words(fields: Fields, least: bool) -> str:
    return f"The run that is handed in reached {_bound(fields, least)}."


def _run(fields: Fields, facts: Evidence, least: bool) -> ClaimResult:
    text = _run_words(fields, least)
    if facts.run is None or not facts.same_run:
        return ClaimResult(text, False, NO_RUN if facts.run is None else OTHER_RUN)
    found = _reached(text, fields, facts.run, least)
    return ClaimResult(text, found.holds, f"{found.now} As handed in, not trained again.")


_BUDGET: Form = {
    "metric": Field(forms.word),
    "epochs": Field(lambda v, p: values.whole(v, p, 1, MOST_EPOCHS)),
    "seconds": Field(lambda v, p: values.whole(v, p, 1, MOST_SECONDS), optional=True),
}
_LEAST: Form = {"at_least": Field(forms.number)}
_MOST: Form = {"at_most": Field(forms.number)}
_METRIC: Form = {"metric": Field(forms.word)}
_COUNT: Form = {"count": Field(lambda v, p: values.whole(v, p, 1, MOST_COST))}


def _learning(least: bool) -> CheckKind:
    """The kind that asks for at least, or at most, a figure on hidden data."""
    return CheckKind(
        {**_BUDGET, **(_LEAST if least else _MOST)},
        lambda fields: _learns_words(fields, least),
        lambda fields, facts: _learns(fields, facts, least),
        "hidden",
    )


def _of_run(least: bool) -> CheckKind:
    """The kind that asks for at least, or at most, a figure of the run that came along."""
    return CheckKind(
        {**_METRIC, **(_LEAST if least else _MOST)},
        lambda fields: _run_words(fields, least),
        lambda fields, facts: _run(fields, facts, least),
        "run",
    )


CALLED = {"has": "uses", "lacks": "avoids"}
"""What claims of lessons are called in a task."""
KINDS: dict[str, CheckKind] = {
    **{CALLED.get(name, name): _claim(name) for name in forms.CLAIMS if name != "error_on"},
    "outputs": CheckKind({"shapes": Field(_shapes)}, _outputs_words, _outputs),
    "mult_adds_below": CheckKind(_COUNT, _cost_words, _cost),
    "learns": _learning(least=True),
    "learns_below": _learning(least=False),
    "run_reaches": _of_run(least=True),
    "run_stays_below": _of_run(least=False),
}
"""Everything that a task may ask for, by the name in its file."""
