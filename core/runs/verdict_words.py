"""The result of a run in words: at the best epoch, at its end, beside the simple rule. No torch."""

from math import sqrt
from statistics import median

from core.runs.verdict_facts import Facts, thirds
from core.tasks.metric_labels import metric_words, phrase, shown

Z = 1.96  # standard errors of an interval that holds the true value 19 times of 20
APART = 0.02  # of a share, or of skill: a smaller drop after the best epoch is not mentioned
LONG = 5  # epochs, from which on the end is compared with the best
TIMES = {1: "once", 2: "twice", 3: "three times"}


def figure(metric: str, value: float, within: str = "") -> str:
    """A value with its name, "97.0% validation accuracy". within: its uncertainty."""
    return phrase(metric, f"{shown(metric, value, digits=3)}{within}", metric_words(metric))


def times(count: int) -> str:
    """How often, in words where it is seldom."""
    return TIMES.get(count, f"{count} times")


def half_width(share: float, samples: float) -> float:
    """Half the width of Wilson's 95 % interval of a share among so many samples."""
    more = Z * Z / samples
    return Z / (1 + more) * sqrt(share * (1 - share) / samples + more / (4 * samples))


def held_against(facts: Facts, valued: bool = True) -> str:
    """The metric at the kept epoch with its uncertainty, where it ended, what the rule reaches.

    valued: with the value itself; False where that stands above the sentence.
    """
    counted, named = facts.samples, metric_words(facts.metric)
    if valued:
        named = phrase(facts.metric, reached(facts), named)
    whose = f" of {facts.groups:,} groups" if facts.groups else ""
    among = f" ({counted:,} samples{whose})" if counted else ""
    rule = shown(facts.metric, facts.rule, digits=3)
    by = facts.baseline.get("rule", "a simple rule")
    after = f"after epoch {facts.kept + 1}{among}{_end(facts)}"
    beside = f"{_compared(facts)}.{_others(facts)}" if facts.level else f".{_beside(facts)}"
    return f"{named[0].upper()}{named[1:]} {after}; {by} gets {rule}{beside}{_recalls(facts)}"


def _compared(facts: Facts) -> str:
    """How much less of an error than the rule the network makes."""
    share = facts.skill(facts.column(facts.metric)[facts.kept])
    return f", so it is {abs(share):.0%} {'better' if share >= 0 else 'worse'}"


def _others(facts: Facts) -> str:
    """What further rules reach."""
    found = ""
    for rule, value in facts.baseline.get("others", ()):
        found += f" {rule[0].upper()}{rule[1:]} gets {shown(facts.metric, value, digits=3)}."
    return found


def _beside(facts: Facts) -> str:
    """Further metrics at the kept epoch, and what a rule of their own reaches."""
    found = ""
    for name, rule, value in facts.baseline.get("beside", ()):
        if (key := f"val_{name}") in facts.epochs:
            words = metric_words(key)
            mine = shown(key, facts.column(key)[facts.kept], digits=3)
            found += f" The {words} is {mine}; {rule} gets {shown(key, value, digits=3)}."
    return found


def reached(facts: Facts) -> str:
    """The metric at the kept epoch with its uncertainty, "98.6% ± 1.3"."""
    value = facts.column(facts.metric)[facts.kept]
    within = f" ± {100 * half_width(value, facts.effective):.2g}" if facts.samples else ""
    return f"{shown(facts.metric, value, digits=3)}{within}"


def _recalls(facts: Facts) -> str:
    """The recall of each class at the kept epoch, where each class counts the same."""
    names = [name for name in facts.epochs if name.startswith("val_") and name.endswith("_recall")]
    if not facts.counts or not names:
        return ""
    each = (
        f"{facts.aims.get(name[len('val_') : -len('_recall')], name)} "
        f"{shown(name, facts.column(name)[facts.kept], digits=3)}"
        for name in names
    )
    return f" Recall: {', '.join(each)}."


def _end(facts: Facts) -> str:
    """Where the last epochs stand, and how many of them, where that is not at the kept epoch."""
    values, skills = facts.column(facts.metric), facts.skills()
    best, end = skills[facts.kept], median(thirds(skills)[1])
    least = half_width(values[facts.kept], facts.effective) / 2 if facts.samples else 0.0
    if facts.count < LONG or best - end <= max(APART, least):
        return ""
    stands = 0
    while skills[-1 - stands] < (best + end) / 2:
        stands += 1
        if stands == facts.count:
            break
    if not stands:
        return ""
    last = median(values[-stands:])
    text = shown(facts.metric, last, digits=3)
    return f", {text} in the last {stands} epochs" if stands > 1 else f", {text} in the last one"
