"""The verdict on a run, at its end and while it trains: whether it learned, why not, what helps.

No torch. What it is held against is the simple rule that the worker wrote to baseline.json; what
has no rule (networks that play against each other) gets no verdict, unless it exploded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from core.runs.listing import MALFORMED, RunView
from core.runs.references import Short, short_of
from core.runs.remedies import (
    ONE_INPUT,
    Cause,
    Remedy,
    against_overfitting,
    causes,
    clipped,
    larger_batches,
    more_epochs,
    other_rate,
    stop_early,
)
from core.runs.verdict_facts import Facts, read_facts, smooth
from core.tasks.metric_labels import is_share, metric_words

Kind = Literal[
    "learned", "guessing", "improving", "overfits", "unstable", "exploded", "short", "underfits",
    "none",
]  # fmt: skip
TITLES: dict[Kind, str] = {
    "learned": "Learned",
    "guessing": "As good as guessing",
    "improving": "Still getting better",
    "overfits": "Overfits",
    "unstable": "Unstable",
    "exploded": "Exploded",
    "short": "Too short",
    "underfits": "Learned too little",
    "none": "No verdict",
}
LEAST_SHARE, LEAST = 0.1, 0.05  # of the way from the rule to perfect: below it is guessing
SHORT = 100  # steps below which a run that still gets better was too short
FEW_EPOCHS, FEW_STEPS = 3, 30  # below which a run that trains is not judged yet
BETTER, WORSE, JUMP = 0.03, 0.05, 0.15  # of skill
GOOD, NEAR = 0.8, 0.9  # skill from which settings are not blamed, and more epochs not asked for
PLATEAU = 0.02  # of all that the loss fell: less of it in a third of a run leads nowhere soon
EXPLODED, BURST, TIMES = 10.0, 30.0, 1000.0  # times the loss of the first step


@dataclass(frozen=True)
class Verdict:
    """kind: see TITLES. title: a few words. reason: in numbers. remedies: the best first.

    template: the one that reaches more on the same data, "" where none is known to.
    """

    kind: Kind
    title: str
    reason: str
    remedies: tuple[Remedy, ...] = ()
    template: str = ""


def verdict_of(run_dir: Path, view: RunView | None = None) -> Verdict:
    """The verdict on the run of a folder; of kind "none" where there is no honest one."""
    try:
        return judge(read_facts(Path(run_dir), view))
    except (*MALFORMED, LookupError):
        return Verdict("none", TITLES["none"], "The files of this run cannot be read.")
    except OSError as error:
        return Verdict("none", TITLES["none"], f"Its files cannot be read: {error.strerror}.")


def judge(facts: Facts) -> Verdict:
    """The verdict on what is known of a run."""
    if why := _exploded(facts):
        return _exploded_verdict(facts, why)
    if not facts.metric:
        return Verdict("none", TITLES["none"], "There is no simple rule to hold this run against.")
    if facts.live and (facts.count < FEW_EPOCHS or facts.steps < FEW_STEPS):
        return Verdict("none", TITLES["none"], "It is too early to tell.")
    if not facts.count:
        return Verdict("none", TITLES["none"], "It ended before its first epoch did.")
    found = causes(facts)
    for judged in JUDGES:
        if verdict := judged(facts, found):
            return _beside_template(facts, verdict)
    return _beside_template(facts, _verdict(facts, "learned", _held_against(facts)))


def _beside_template(facts: Facts, verdict: Verdict) -> Verdict:
    """The verdict, with what a template reaches on the same data where that is clearly more."""
    short = short_of(facts)
    if short is None:
        return verdict
    kind, title = verdict.kind, verdict.title
    if kind == "learned":
        kind = "underfits" if _far(facts, short) else kind
        title = TITLES[kind] if kind == "underfits" else f"{title}; {short.brief}"
    reason = f"{verdict.reason} {short.text}"
    return Verdict(kind, title, reason, verdict.remedies, short.reference.template)


def _far(facts: Facts, short: Short) -> bool:
    """Whether a run came less than half of the way that the template goes from the rule."""
    there, here = facts.skill(short.reference.value), facts.skill(short.reached)
    return short.reference.metric == facts.metric and here < there / 2


def _verdict(
    facts: Facts, kind: Kind, reason: str, remedies: tuple[Remedy, ...] = (), title: str = ""
) -> Verdict:
    title = title or TITLES[kind]
    once = tuple({str(sorted(r.changes.items(), key=str)): r for r in remedies}.values())
    return Verdict(kind, f"{title} so far" if facts.live else title, reason, once[:3])


def _figure(metric: str, value: float) -> str:
    if is_share(metric):
        return f"{value:.1%} {metric_words(metric)}"
    return f"{metric_words(metric)} {value:.3g}"


def _best(facts: Facts) -> tuple[int, float]:
    """The epoch with the best metric, from 1, and its value; of several that of least loss."""
    values, losses = facts.column(facts.metric), facts.column("val_loss")
    value = min(values) if facts.less else max(values)
    same = [i for i, each in enumerate(values) if each == value]
    return min(same, key=lambda i: losses[i]) + 1, value


def _held_against(facts: Facts) -> str:
    """The best of a metric beside what the rule reaches."""
    epoch, value = _best(facts)
    rule = f"{facts.rule:.1%}" if is_share(facts.metric) else f"{facts.rule:.3g}"
    figure = _figure(facts.metric, value)
    figure = figure[0].upper() + figure[1:]
    return (
        f"{figure} after epoch {epoch}; {facts.baseline.get('rule', 'a simple rule')} gets {rule}."
    )


def _exploded(facts: Facts) -> str:
    """Why a run counts as exploded, "" where it does not."""
    if facts.broken:
        return facts.broken
    losses, first = facts.column("train_loss"), facts.first
    if first is None or not losses:
        return ""
    usual, last = max(abs(first), 0.1), losses[-1]
    if max(losses) > TIMES * usual and facts.metric and facts.skills()[-1] < LEAST:
        high = f"The training loss rose from {first:.3g} to {max(losses):.3g}"
        return f"{high}, and is {last:.3g} now." if last < max(losses) else f"{high}."
    if last > EXPLODED * usual or last < -TIMES * usual:
        way = "rose" if last > 0 else "fell without end"
        return f"The training loss began with {first:.3g} and {way} to {last:.3g}."
    return ""


def _exploded_verdict(facts: Facts, why: str) -> Verdict:
    if facts.broken and facts.origin.get("rate") is False:
        return _undefined(facts)
    own = tuple(cause.remedy for cause in causes(facts))
    texts = " ".join([why, *(cause.text for cause in causes(facts)[:1])])
    general = (other_rate(facts, 0.1), *clipped(facts))
    title = "Exploded" if facts.broken else "Exploded, though finite"
    return Verdict("exploded", title, texts, own[:3] or general)


def _undefined(facts: Facts) -> Verdict:
    """Of a run in which a block made the first number that is not finite, at any learning rate."""
    node = str(facts.origin.get("node", ""))
    block = facts.blocks.get(node, ("", {}))[0]
    reason = f"{facts.origin.get('message', '')} {facts.origin.get('hint', '')}".strip()
    remedies = (Remedy(f"Leave out {node}", {f"{node}.block": "Identity"}),)
    title = f"Not a number from {node}" if node else "The loss is not a number"
    return Verdict("exploded", title, reason, remedies if block in ONE_INPUT else ())


def _thirds(values: list[float]) -> tuple[list[float], list[float]]:
    """The middle and the last third of a curve, one value each at least."""
    size = max(1, len(values) // 3)
    return values[-2 * size : -size] or values[:1], values[-size:]


def _falls(facts: Facts) -> bool:
    """Whether the validation loss still falls in the last third, by more than it jumps about."""
    before, last = _thirds(facts.column("val_loss"))
    least = 0.002 * max(abs(facts.first or before[0]), 1e-9)
    return min(before) - median(last) > least


def _goes_on(facts: Facts) -> bool:
    """Whether the loss falls in the last third by more than the end of a plateau would."""
    before, last = _thirds(facts.column("val_loss"))
    first = facts.first if facts.first is not None else before[0]
    return min(before) - median(last) > PLATEAU * (first - median(last))


def _guessing(facts: Facts, found: list[Cause]) -> Verdict | None:
    share = facts.standard_error > 0
    limit = max(LEAST_SHARE, 2 * facts.standard_error) if share else LEAST
    flat = share and facts.first and min(facts.column("val_loss")) > 0.99 * facts.first
    reached = median(facts.skills()) if flat else max(smooth(facts.skills()))
    if reached >= limit:  # where the loss never fell, the best epochs are luck
        return None
    own, reason = tuple(cause.remedy for cause in found), _held_against(facts)
    if own:
        return _verdict(facts, "guessing", f"{reason} {found[0].text}", own)
    if _falls(facts) and _goes_on(facts):
        return _rising(facts, reason)
    train = facts.metric.replace("val_", "train_", 1)
    if train in facts.epochs and facts.skill(facts.column(train)[-1]) > limit + 0.1:
        figure = _figure(train, facts.column(train)[-1])
        reason += f" Of what it learned from it knows more, {figure}: that was learned by heart."
    return _verdict(facts, "guessing", reason)


def _rising(facts: Facts, reason: str) -> Verdict:
    """Of a run whose loss still falls: too short, or still getting better."""
    (*_, before), last = _thirds(facts.column("val_loss"))
    if facts.count > 1:
        reason += f" The validation loss still falls, lately from {before:.3g} to {last[-1]:.3g}."
    few = facts.steps < SHORT or facts.count < FEW_EPOCHS
    if facts.live:
        return _verdict(facts, "improving", reason, title="Getting better")
    if few:
        reason = f"Only {facts.steps:,} steps were made. {reason}"
    return _verdict(facts, "short" if few else "improving", reason, (more_epochs(facts),))


def _jumps(facts: Facts) -> int:
    """How often skill or loss got much worse from an epoch to the next, in the last half."""
    skills, losses = facts.skills(), facts.column("val_loss")
    half = facts.count // 2
    large = max(JUMP, 3 * facts.standard_error)
    least = 0.1 * max(abs(facts.first or 0.0), 1e-9)
    return sum(
        skills[i] - skills[i + 1] > large
        or (losses[i + 1] > 2 * max(losses[i], 0) and losses[i + 1] > least)
        for i in range(half, facts.count - 1)
    )


def _unstable(facts: Facts, found: list[Cause]) -> Verdict | None:
    skills, losses = smooth(facts.skills()), smooth(facts.column("train_loss"))
    first = max(abs(facts.first or 0.0), 0.1)
    lost = max(skills) - skills[-1] > max(JUMP, 3 * facts.standard_error)
    collapsed = lost and losses[-1] > 1.3 * min(losses) and losses[-1] > 0.1 * first
    burst = max(facts.column("train_loss")) > BURST * first and skills[-1] < GOOD
    jumps = _jumps(facts)
    if not (collapsed or burst or jumps >= 2):
        return None
    if collapsed:
        why = f"The training loss rose again, from {min(losses):.3g} to {losses[-1]:.3g}."
    elif burst:
        high = max(facts.column("train_loss"))
        why = f"The training loss rose from {facts.first or 0:.3g} to {high:.3g} in between."
    else:
        why = f"In the second half it got much worse {jumps} times from an epoch to the next."
    own = tuple(cause.remedy for cause in found)
    small = int(facts.training.get("batch_size", 64)) < 8
    general = (other_rate(facts, 0.1), *((larger_batches(),) if small else ()), *clipped(facts))
    return _verdict(facts, "unstable", f"{why} {_held_against(facts)}", own or general)


def _overfits(facts: Facts, found: list[Cause]) -> Verdict | None:
    if facts.count < 5:
        return None
    skills, val = smooth(facts.skills()), smooth(facts.column("val_loss"))
    train = smooth(facts.column("train_loss"))
    since = val.index(min(val))
    lost = max(skills) - skills[-1] > max(WORSE, 2 * facts.standard_error)
    if not lost or val[-1] < 1.02 * val[since] or train[-1] > train[since]:
        return None
    why = (
        f"From epoch {since + 1} on the validation loss rose from {val[since]:.3g} to {val[-1]:.3g}"
        f" while the training loss fell from {train[since]:.3g} to {train[-1]:.3g}."
    )
    remedies = (stop_early(facts), *against_overfitting(facts))
    title = f"Overfits since epoch {since + 1}"
    verdict = _verdict(facts, "overfits", f"{why} {_held_against(facts)}", remedies, title)
    return Verdict(verdict.kind, title, verdict.reason, verdict.remedies)


def _improving(facts: Facts, found: list[Cause]) -> Verdict | None:
    if max(facts.skills()) >= NEAR:
        return None
    few = facts.steps < SHORT and not facts.live
    if facts.count < FEW_EPOCHS:
        return _rising(facts, _held_against(facts)) if few else None
    before, last = _thirds(facts.skills())
    gained = median(last) - median(before) > max(BETTER, facts.standard_error / 2)
    return _rising(facts, _held_against(facts)) if _falls(facts) and (gained or few) else None


def _underfits(facts: Facts, found: list[Cause]) -> Verdict | None:
    if not found or facts.live or max(smooth(facts.skills())) >= GOOD:
        return None
    reason = f"{_held_against(facts)} {found[0].text}"
    return _verdict(facts, "underfits", reason, tuple(cause.remedy for cause in found))


JUDGES: tuple[Callable[[Facts, list[Cause]], Verdict | None], ...] = (
    _guessing,
    _unstable,
    _overfits,
    _improving,
    _underfits,
)
"""In this order; where none finds anything, the network learned."""
