"""Texts on both sides of the split or in two classes, and a word or a length that tells a class."""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from core.wings.findings.finding import SHOWN_ROWS, DataFinding, named, percent, shown
from core.wings.findings.ranges import MOST, one_class
from core.wings.findings.text_view import TextView

LEAST_TEXTS = 40
"""Texts from which on a share means anything."""
FEW_COPIES = 0.03
"""The share of validation texts that may have a copy; short answers ("ok") do."""
LEAST_COPIES = 3
LEAST_CLASS = 10
"""Texts of a class from which on a word may stand for it."""
NEARLY_ALL = 0.02
"""What a word may get wrong, as a share of the rarer side. Of 20 topics the best word of one is
missing in a third of its texts; a stamp such as "[SPAM]" is missing in none."""
REST_FAILS = 2.5
"""How many times that the next word gets wrong at least; of English and German texts many words
decide, since the texts are easy to tell apart, and none of them is a stamp."""
SHOWN_FILES = 6


def text_findings(view: TextView) -> tuple[DataFinding, ...]:
    """The findings on texts with a class each."""
    if len(view.texts) < LEAST_TEXTS:
        return tuple(_two_classes(view))
    return tuple([*_stamp(view), *_copies(view), *_two_classes(view), *_length(view)])


def _finding(
    view: TextView,
    kind: str,
    sentence: str,
    numbers: Iterable[int] = (),
    score: float | None = None,
    baseline: float | None = None,
    verdict: str = "",
) -> DataFinding:
    """A finding, with the rows or files of some texts; verdict: "" where it doubts none."""
    chosen = sorted(numbers)
    places = [view.places[number] for number in chosen]
    return DataFinding(
        kind,
        sentence,
        rows=tuple(p for p in places if isinstance(p, int))[:SHOWN_ROWS],
        count=len(chosen),
        files=tuple(p for p in places if isinstance(p, str))[:SHOWN_FILES],
        score=score,
        baseline=baseline,
        doubts="high" if verdict else "",
        verdict=verdict,
    )


def _copies(view: TextView) -> list[DataFinding]:
    """Validation texts that are training texts, too."""
    asked = np.flatnonzero(view.part == 1)
    known = {*view.same[view.part == 0].tolist()}
    copies = [int(i) for i in asked if view.same[i] in known]
    if len(copies) < max(LEAST_COPIES, FEW_COPIES * len(asked)):
        return []
    share = len(copies) / len(asked)
    told = f"{percent(share)} of the validation texts are training texts, too"
    sentence = (
        f"{len(copies):,} of {len(asked):,} validation texts are training texts, too "
        f"({percent(share)}): the network has seen them. Keep one of each."
    )
    verdict = f"{told}: it may be worse on new texts"
    return [_finding(view, "copies", sentence, copies, share, verdict=verdict)]


def _two_classes(view: TextView) -> list[DataFinding]:
    """Equal texts with different classes."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for number, text in enumerate(view.same.tolist()):
        found[text].append(number)
    twice = [each for each in found.values() if len({int(view.labels[i]) for i in each}) > 1]
    if not twice:
        return []
    classes = named(dict.fromkeys(view.classes[view.labels[i]] for i in twice[0]))
    one = len(twice) == 1
    sentence = (
        f"{'A text has' if one else f'{len(twice):,} texts have'} several classes ({classes}): a "
        f"network cannot learn both answers. Keep the right one{'' if one else ' of each'}."
    )
    return [_finding(view, "two_classes", sentence, (i for each in twice for i in each))]


def _stamp(view: TextView) -> list[DataFinding]:
    """A word that stands in nearly all texts of one class and in hardly any other."""
    wrong = _mistakes(view)
    if not wrong:
        return []
    ranked = sorted(wrong.items(), key=lambda pair: (pair[1], pair[0]))
    strong = [pair for pair, share in ranked if share <= NEARLY_ALL]
    alike = {frozenset(_with(view, word)) for _, word in strong}
    others = [share for pair, share in ranked if frozenset(_with(view, pair[1])) not in alike]
    if not strong or (others and others[0] < REST_FAILS * NEARLY_ALL):
        return []
    label, word = strong[0]
    inside = view.labels == label
    has = np.array([word in words for words in view.words])
    score = float((has == inside).mean())
    usual = max(float(inside.mean()), 1 - float(inside.mean()))
    kind = view.classes[label]
    sentence = (
        f"The word '{shown(word)}' appears in {percent(float(has[inside].mean()))} of the texts of "
        f"{kind} and in {percent(float(has[~inside].mean()))} of the others: alone it predicts "
        f"{kind} or not in {percent(score)} of the texts (always the most frequent answer: "
        f"{percent(usual)}). New texts may not have it: remove it from the texts."
    )
    verdict = (
        f"the word '{shown(word)}' alone predicts {kind} or not in {percent(score)} of the texts"
    )
    return [
        _finding(
            view, "leak", sentence, score=score, baseline=usual, verdict=verdict
        )
    ]  # fmt: skip


def _mistakes(view: TextView) -> dict[tuple[int, str], float]:
    """What each word gets wrong about each class, as a share of the rarer side."""
    total, size = len(view.texts), np.bincount(view.labels, minlength=len(view.classes))
    everywhere = Counter(word for words in view.words for word in words)
    found: dict[tuple[int, str], float] = {}
    for label in np.flatnonzero((size >= LEAST_CLASS) & (total - size >= LEAST_CLASS)):
        places = np.flatnonzero(view.labels == label)
        inside = Counter(word for i in places for word in view.words[i])
        rarer = min(int(size[label]), total - int(size[label]))
        for word, count in inside.items():
            wrong = int(size[label]) - count + everywhere[word] - count
            if wrong < rarer * 2 * REST_FAILS * NEARLY_ALL:
                found[int(label), word] = wrong / rarer
    return found


def _with(view: TextView, word: str) -> list[int]:
    return [number for number, words in enumerate(view.words) if word in words]


def _length(view: TextView) -> list[DataFinding]:
    """Texts of one class that are much longer or shorter than all others."""
    if not (view.part == 1).any():
        return []
    lengths = np.array([len(text.split()) for text in view.texts], float)
    told = one_class(lengths, view.labels, view.part)
    if told.gain < MOST:
        return []
    inside, kind = view.labels == told.label, view.classes[told.label]
    one, others = (int(np.median(lengths[where])) for where in (inside, ~inside))
    sentence = (
        f"Length alone separates {kind} from the other classes in {percent(told.score)} of the "
        f"texts (always the most frequent answer: {percent(told.baseline)}): a text of {kind} has "
        f"{one:,} words, one of the others {others:,} (medians). A network may learn the length "
        "rather than the words: cut the texts of all classes alike."
    )
    verdict = f"length alone separates {kind} from the others ({percent(told.score)})"
    return [
        _finding(
            view, "length", sentence, score=told.score, baseline=told.baseline, verdict=verdict
        )
    ]  # fmt: skip
