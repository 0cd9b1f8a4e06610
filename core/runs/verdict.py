"""The verdict on a run, at its end and while it trains: whether it learned, why not, what helps.

No torch. What it is held against is the simple rule that the worker wrote to baseline.json; what
has no rule (networks that play against each other) gets no verdict, unless it exploded.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Literal

from blocks import declaration
from core.runs.listing import MALFORMED, RunView, view_run
from core.runs.references import Short, short_of
from core.runs.remedies import (
    Cause,
    Remedy,
    against_overfitting,
    causes,
    clipped,
    larger_batches,
    more_epochs,
    other_rate,
    stop_early,
    too_fast,
)
from core.runs.verdict_facts import Facts, read_facts, smooth, thirds
from core.runs.verdict_words import figure, held_against, reached, times
from core.tasks.metric_labels import metric_words

Kind = Literal[
    "learned",
    "guessing",
    "improving",
    "overfits",
    "unstable",
    "exploded",
    "short",
    "underfits",
    "none",
]
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
GOOD, NEAR = 0.8, 0.9  # skill from which settings are not blamed, and more epochs not suggested
FELL = 0.1  # of the first loss: less of it is no sign of learning while all answers are guesses
KNOWN, FORGOTTEN = 0.95, 0.2  # skill on training samples; how much less on others is by heart
HALFWAY = 0.5  # skill from which what memorised its samples learned all the same
LOST, AGAIN = 0.5, 1.5
"""Share of all that the validation loss had fallen, and times its least: from both on its end is
worse than what predictions that are only too sure of themselves cost. A sound network of 96 % that
goes on to 100 % on its own samples rises from 0.12 to 0.25, a tenth of the 2.3 it began with."""
FEW_SAMPLES = 50  # for which an accuracy means little
FEWEST_SAMPLES = 16  # for which even half wrong means nothing
PLATEAU = 0.02  # of all that the loss fell: less of it in a third of a run leads nowhere soon
FAILED = "It failed before its end, so it is not judged."
UNJUDGED = {
    **dict.fromkeys(("failed", "crashed", "lost"), FAILED),
    "hung": "It hangs, so it is not judged.",
}
"""Why a run in such a state has no verdict, unless its numbers broke it off."""
EXPLODED, BURST, TIMES = 10.0, 30.0, 1000.0  # times the loss of the first step


@dataclass(frozen=True)
class Verdict:
    """kind: see TITLES. title: a few words. reason: in numbers. remedies: the best first.

    template: the one that reaches more on the same data, "" where none is known to. value: what the
    kept epoch reached, as `reason` has it ("98.6% ± 1.3"), "" of a run that is not judged.
    below_value: `reason` without the value, for a page that shows it large above; "" where the
    reason does not name it.
    """

    kind: Kind
    title: str
    reason: str
    remedies: tuple[Remedy, ...] = ()
    template: str = ""
    value: str = ""
    below_value: str = ""


def verdict_of(run_dir: Path, view: RunView | None = None) -> Verdict:
    """The verdict on the run of a folder; of kind "none" where there is no honest one."""
    try:
        view = view or view_run(Path(run_dir))
        verdict = _of_state(view.state, judge(read_facts(Path(run_dir), view)))
        return _of_origin(view.brought, verdict)
    except (*MALFORMED, LookupError):
        return Verdict("none", TITLES["none"], "The files of this run cannot be read.")
    except OSError as error:
        return Verdict("none", TITLES["none"], f"Its files cannot be read: {error.strerror}.")


def _of_origin(bundle: str, verdict: Verdict) -> Verdict:
    """The verdict, with a note where another machine may have written what it judges."""
    if not bundle or verdict.kind == "none":
        return verdict
    words = f"It judges the curves that came in {bundle}, which were not measured here."
    below = f"{verdict.below_value} {words}" if verdict.below_value else ""
    return replace(verdict, reason=f"{verdict.reason} {words}", below_value=below)


def _of_state(state: str, verdict: Verdict) -> Verdict:
    """The verdict, which a run that broke off has only where its numbers broke it off."""
    if state not in UNJUDGED or verdict.kind in ("none", "exploded"):
        return verdict
    return Verdict("none", TITLES["none"], UNJUDGED[state])


def judge(facts: Facts) -> Verdict:
    """The verdict on what is known of a run."""
    if why := _exploded(facts):
        return _exploded_verdict(facts, why)
    if not facts.metric:
        return Verdict("none", TITLES["none"], "There is no simple rule to compare this run with.")
    if facts.live and (facts.count < FEW_EPOCHS or facts.steps < FEW_STEPS):
        return Verdict("none", TITLES["none"], "It is too early to tell.")
    if not facts.count:
        return Verdict("none", TITLES["none"], "It ended before its first epoch was complete.")
    verdict, sentence = _judged(facts), held_against(facts)
    below = verdict.reason.replace(sentence, held_against(facts, valued=False), 1)
    below = below if sentence in verdict.reason else ""
    return replace(verdict, value=reached(facts), below_value=below)


def _judged(facts: Facts) -> Verdict:
    found = causes(facts)
    for judged in JUDGES:
        if verdict := judged(facts, found):
            return verdict if found else _beside_template(facts, verdict)
    return _beside_template(facts, _verdict(facts, "learned", held_against(facts)))


def _beside_template(facts: Facts, verdict: Verdict) -> Verdict:
    """The verdict, with what a template reaches on the same data where that is clearly more.

    Only where nothing else explains it: the network itself is what is left.
    """
    short = short_of(facts)
    if short is None or verdict.remedies or verdict.kind not in ("learned", "guessing"):
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
    title = title or (_as_good(facts) if kind == "guessing" else "") or TITLES[kind]
    once = tuple({str(sorted(r.changes.items(), key=str)): r for r in remedies}.values())
    return Verdict(kind, f"{title} so far" if facts.live else title, reason, once[:3])


def _as_good(facts: Facts) -> str:
    """What a forecast that is no better than a value of before is called; "" of other runs."""
    worse = facts.skill(facts.column(facts.metric)[facts.kept]) < -LEAST
    return f"{'Worse than' if worse else 'As good as'} {facts.level}" if facts.level else ""


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
        way = "rose" if last > 0 else "kept falling"
        return f"The training loss began with {first:.3g} and {way} to {last:.3g}."
    return ""


def _exploded_verdict(facts: Facts, why: str) -> Verdict:
    if facts.broken and facts.origin.get("rate") is False:
        return _undefined(facts)
    own = tuple(cause.remedy for cause in causes(facts))
    texts = " ".join([why, *(cause.text for cause in causes(facts)[:1])])
    general = (other_rate(facts, 0.1), *clipped(facts))
    title = "Exploded" if facts.broken else "The loss ran away (no NaN yet)"
    return Verdict("exploded", title, texts, own[:3] or general)


def _undefined(facts: Facts) -> Verdict:
    """Of a run in which a block made the first number that is not finite, at any learning rate."""
    node = str(facts.origin.get("node", ""))
    block = facts.blocks.get(node, ("", {}))[0]
    reason = f"{facts.origin.get('message', '')} {facts.origin.get('hint', '')}".strip()
    remedies = (Remedy(f"Leave out {node}", {f"{node}.block": "Identity"}),)
    title = f"Not a number from {node}" if node else "The loss is not a number"
    one = bool(declaration(block).domain) and len(declaration(block).inputs) == 1
    return Verdict("exploded", title, reason, remedies if one else ())


def _falls(facts: Facts) -> bool:
    """Whether the validation loss still falls in the last third, by more than it jumps about."""
    before, last = thirds(facts.column("val_loss"))
    least = 0.002 * max(abs(facts.first or before[0]), 1e-9)
    return min(before) - median(last) > least


def _gains(facts: Facts) -> bool:
    """Whether the last third predicts better than the one before, by more than luck."""
    before, last = thirds(facts.skills())
    return median(last) - median(before) > max(BETTER, facts.standard_error / 2)


def _goes_on(facts: Facts) -> bool:
    """Whether guesses are on their way to more: the loss has come down, and is not level yet.

    Where a rate comes down, so does the loss of a network that died: to that of guessing.
    """
    before, last = thirds(facts.column("val_loss"))
    first = facts.first if facts.first is not None else before[0]
    if min(before) - median(last) <= PLATEAU * (first - median(last)):
        return False
    middle, end = thirds(facts.skills())
    rises = median(end) - median(middle) > max(BETTER, facts.standard_error)
    return first - median(last) > FELL * abs(first) or rises or facts.steps < SHORT


def _limit(facts: Facts) -> float:
    """The skill below which a run is as good as guessing."""
    return max(LEAST_SHARE, 2 * facts.standard_error) if facts.standard_error > 0 else LEAST


def _flat(facts: Facts) -> bool:
    """Whether the loss never fell, so that good epochs are luck."""
    share = facts.standard_error > 0
    return bool(share and facts.first and min(facts.column("val_loss")) > 0.99 * facts.first)


def _failed_by(facts: Facts, found: list[Cause]) -> list[Cause]:
    """The causes of a run that went wrong; without another, a rate well above the usual one."""
    fast = None if found else too_fast(facts)
    return found if fast is None else [fast]


def _collapsed(facts: Facts, found: list[Cause]) -> Verdict | None:
    """Of a run that had learned, and ends as good as guessing with its training loss up again."""
    skills, losses, limit = facts.skills(), facts.column("train_loss"), _limit(facts)
    end, first = median(thirds(skills)[1]), max(abs(facts.first or 0.0), 0.1)
    lost = max(skills) - end > max(JUMP, 3 * facts.standard_error)
    unlearned = median(thirds(losses)[1]) > min(0.9 * first, 1.1 * max(min(losses), 0.01))
    if end >= limit or not lost or not unlearned or _flat(facts):
        return None
    since = max(i for i, skill in enumerate(skills) if skill >= limit) + 1
    name, last = facts.metric, median(thirds(facts.column(facts.metric))[1])
    why = (
        f"It learned, then forgot: after epoch {since} it is no better than guessing, with "
        f"{figure(name, last)} and a training loss of {losses[-1]:.3g}."
    )
    reasons = _failed_by(facts, found)
    own = tuple(cause.remedy for cause in reasons)
    texts = " ".join([why, held_against(facts), *(cause.text for cause in reasons[:1])])
    general = (other_rate(facts, 0.1), *clipped(facts))
    return _verdict(facts, "unstable", texts, own or general, f"Collapsed after epoch {since}")


def _guessing(facts: Facts, found: list[Cause]) -> Verdict | None:
    limit = _limit(facts)
    reached = median(facts.skills()) if _flat(facts) else max(smooth(facts.skills()))
    if reached >= limit:
        return None
    found, reason = _failed_by(facts, found), held_against(facts)
    if found:
        own = tuple(cause.remedy for cause in found)
        return _verdict(facts, "guessing", f"{reason} {found[0].text}", own)
    if _relapsed(facts):
        return _memorised(facts, reason, limit)
    if facts.samples and (reached >= LEAST_SHARE or facts.effective < FEWEST_SAMPLES):
        return _too_few_samples(facts, reason, limit)
    if _falls(facts) and _goes_on(facts):
        return _rising(facts, reason)
    return _memorised(facts, reason, limit)


def _too_few_samples(facts: Facts, reason: str, limit: float) -> Verdict:
    """Of a run that may have learned, of which too few validation samples tell."""
    most = facts.rule + limit * (1 - facts.rule)
    rarest = min(facts.counts, default=facts.samples)
    of = " of the rarest class" if facts.counts else ""
    few, things = f"{rarest} validation samples{of} are", "samples"
    if 0 < facts.groups <= rarest:
        few, things = f"{facts.groups} groups in the validation part are", "groups"
    reason += (
        f" {few} too few to tell: guessing alone may get up to {min(most, 1.0):.0%} right. Add "
        f"{things}, or keep a larger share of them for validation."
    )
    title = "Too few validation samples to tell" if facts.effective < FEW_SAMPLES else ""
    return _verdict(facts, "guessing", reason, title=title)


def _memorised(facts: Facts, reason: str, limit: float) -> Verdict:
    """Of guesses about what is new; where the training samples are known, they are memorised."""
    train = facts.metric.replace("val_", "train_", 1)
    if train not in facts.epochs or facts.skill(facts.column(train)[-1]) <= limit + 0.1:
        return _verdict(facts, "guessing", reason)
    known = figure(train, facts.column(train)[-1])
    reason += f" On the samples it learned from it reaches {known}: it memorised them."
    return _verdict(facts, "guessing", reason, against_overfitting(facts))


def _rising(facts: Facts, reason: str) -> Verdict:
    """Of a run whose loss still falls: too short, or still getting better."""
    (*_, before), last = thirds(facts.column("val_loss"))
    if facts.count > 1:
        reason += f" The validation loss still falls, lately from {before:.3g} to {last[-1]:.3g}."
    few = facts.steps < SHORT or facts.count < FEW_EPOCHS
    if facts.live:
        return _verdict(facts, "improving", reason, title="Getting better")
    if few:
        reason = f"It trained for only {facts.steps:,} steps. {reason}"
    return _verdict(facts, "short" if few else "improving", reason, (more_epochs(facts),))


def _jumps(facts: Facts) -> tuple[int, int]:
    """How often skill or loss, and the loss alone, got much worse in the last half."""
    skills, losses = facts.skills(), facts.column("val_loss")
    half = facts.count // 2
    large = max(JUMP, 3 * facts.standard_error)
    least = 0.1 * max(abs(facts.first or 0.0), 1e-9)
    pairs = range(half, facts.count - 1)
    fell = [skills[i] - skills[i + 1] > large for i in pairs]
    rose = [losses[i + 1] > max(2 * max(losses[i], 0), least) for i in pairs]
    return sum(a or b for a, b in zip(fell, rose, strict=True)), sum(rose)


def _unstable(facts: Facts, found: list[Cause]) -> Verdict | None:
    skills, losses = smooth(facts.skills()), smooth(facts.column("train_loss"))
    first = max(abs(facts.first or 0.0), 0.1)
    lost = max(skills) - skills[-1] > max(JUMP, 3 * facts.standard_error)
    collapsed = lost and losses[-1] > 1.3 * min(losses) and losses[-1] > 0.1 * first
    burst = max(facts.column("train_loss")) > BURST * first and skills[-1] < GOOD
    jumps, rises = _jumps(facts)
    if not (collapsed or burst or jumps >= 2):
        return None
    if collapsed:
        why = f"The training loss rose again, from {min(losses):.3g} to {losses[-1]:.3g}."
    elif burst:
        high = max(facts.column("train_loss"))
        why = f"The training loss rose from {facts.first or 0:.3g} to {high:.3g} in between."
    else:
        what = "the loss jumped up" if rises == jumps else f"{metric_words(facts.metric)} got worse"
        why = f"In the second half {what} {times(jumps)} from one epoch to the next."
    found = _failed_by(facts, found)
    own = tuple(cause.remedy for cause in found)
    small = int(facts.training.get("batch_size", 64)) < 8
    general = (other_rate(facts, 0.1), *((larger_batches(),) if small else ()), *clipped(facts))
    return _verdict(facts, "unstable", f"{why} {held_against(facts)}", own or general)


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
    verdict = _verdict(facts, "overfits", f"{why} {held_against(facts)}", remedies, title)
    return Verdict(verdict.kind, title, verdict.reason, verdict.remedies)


def _by_heart(facts: Facts, found: list[Cause]) -> Verdict | None:
    """Of a network that knows its training samples and far fewer of the others."""
    train = facts.metric.replace("val_", "train_", 1)
    if facts.live or found or not facts.samples or train not in facts.epochs:
        return None
    if _falls(facts) and _gains(facts):
        return None
    known, new = facts.skill(facts.column(train)[-1]), median(thirds(facts.skills())[1])
    if known < KNOWN or new >= GOOD or known - new < max(FORGOTTEN, 3 * facts.standard_error):
        return None
    samples = figure(train, facts.column(train)[-1])
    reason = f"{held_against(facts)} On the samples it learned from it reaches {samples}: it "
    remedies = against_overfitting(facts)
    kind = "overfits" if new < HALFWAY else "learned"
    title = "Memorised the training samples" if new < HALFWAY else "Learned; memorised its samples"
    return _verdict(facts, kind, f"{reason}memorised them.", remedies, title)


def _relapsed(facts: Facts) -> bool:
    """Whether training is all but perfect, and the validation loss rose far above its best.

    Of a few samples an accuracy tells little; their loss tells how sure of itself a wrong
    prediction is.
    """
    train = facts.metric.replace("val_", "train_", 1)
    if facts.live or train not in facts.epochs or facts.count < FEW_EPOCHS:
        return False
    losses = smooth(facts.column("val_loss"))
    first = facts.first if facts.first is not None else losses[0]
    best, end = min(losses), median(thirds(losses)[1])
    known = median(thirds([facts.skill(value) for value in facts.column(train)])[1]) >= KNOWN
    return known and end - best > LOST * max(first - best, 0.0) and end > AGAIN * abs(best)


def _forgetful(facts: Facts, found: list[Cause]) -> Verdict | None:
    """Of a network that knows its training samples, surer and surer of what is wrong of others."""
    new = median(thirds(facts.skills())[1])
    if new >= NEAR or not _relapsed(facts):
        return None
    losses, train = facts.column("val_loss"), facts.metric.replace("val_", "train_", 1)
    since, samples = losses.index(min(losses)), figure(train, facts.column(train)[-1])
    reason = (
        f"{held_against(facts)} On the samples it learned from it reaches {samples}, while the "
        f"validation loss rose from {losses[since]:.3g} after epoch {since + 1} to "
        f"{losses[-1]:.3g}: it memorised them."
    )
    remedies = (stop_early(facts), *against_overfitting(facts))
    kind = "overfits" if new < HALFWAY else "learned"
    title = "Memorised the training samples" if new < HALFWAY else "Learned; memorised its samples"
    return _verdict(facts, kind, reason, remedies, title)


def _improving(facts: Facts, found: list[Cause]) -> Verdict | None:
    if max(facts.skills()) >= NEAR:
        return None
    few = facts.steps < SHORT and not facts.live
    if facts.count < FEW_EPOCHS:
        return _rising(facts, held_against(facts)) if few else None
    if not (_falls(facts) and (_gains(facts) or few)):
        return None
    found = [] if facts.live else _failed_by(facts, found)
    if not found:
        return _rising(facts, held_against(facts))
    own = tuple(cause.remedy for cause in found)
    return _verdict(facts, "underfits", f"{held_against(facts)} {found[0].text}", own)


def _underfits(facts: Facts, found: list[Cause]) -> Verdict | None:
    if not found or facts.live or max(smooth(facts.skills())) >= GOOD:
        return None
    reason = f"{held_against(facts)} {found[0].text}"
    return _verdict(facts, "underfits", reason, tuple(cause.remedy for cause in found))


JUDGES: tuple[Callable[[Facts, list[Cause]], Verdict | None], ...] = (
    _collapsed,
    _guessing,
    _unstable,
    _overfits,
    _by_heart,
    _forgetful,
    _improving,
    _underfits,
)
"""In this order; where none finds anything, the network learned."""
