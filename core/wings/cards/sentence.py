"""Sentences about the outcome of a card, each with the condition under which it is said."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from core.wings.cards.guess import shown

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Sentence:
    """A sentence that numbers decide. text: may name them in braces; holds: when it is true.

    reads: the variables that it speaks of.
    """

    text: str
    reads: tuple[str, ...]
    holds: Callable[[Values], bool]

    def written(self, values: Values) -> str:
        """The text with its numbers filled in."""
        words = {name: _word(values[name]) for name in self.reads}
        return self.text.format(**words)


def _word(value: Any) -> str:
    return shown(value) if isinstance(value, int | float) else str(value)


def ladder(
    name: str, *steps: tuple[float, str], undefined: str = "", reads: tuple[str, ...] = ()
) -> tuple[Sentence, ...]:
    """One sentence for each range of a number; exactly one of them holds.

    steps: upper limits, rising, each with the sentence for what lies below it; the last limit is
    inf, which infinity itself belongs to. undefined: for a number that is none. "" says nothing.
    """
    assert steps[-1][0] == inf
    read = (name, *reads)
    sentences = [Sentence(undefined, read, lambda values: values[name] != values[name])]
    low = -inf
    for high, text in steps:
        sentences.append(Sentence(text, read, _within(name, low, high)))
        low = high
    return tuple(sentences)


def _within(name: str, low: float, high: float) -> Callable[[Values], bool]:
    return lambda values: low <= values[name] and (values[name] < high or high == inf)


def compared(
    names: tuple[str, ...], holds: Callable[[Values], bool], then: str, otherwise: str = ""
) -> tuple[Sentence, ...]:
    """Two sentences: one where a condition on numbers holds, one where it does not."""
    return (
        Sentence(then, names, holds),
        Sentence(otherwise, names, lambda values: not holds(values)),
    )


def faster_or_not(name: str, faster: str, alike: str, slower: str) -> tuple[Sentence, ...]:
    """Sentences on a ratio of two measured times: times within a tenth of each other are alike,
    since repeated measurements differ by about that much."""
    return ladder(name, (0.9, slower), (1.1, alike), (inf, faster), undefined=alike)
