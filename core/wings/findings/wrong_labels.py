"""Labels that are likely wrong, by probabilities of a network that has not learned from them.

The first condition is confident learning (Northcutt, Jiang, Chuang. Confident learning: estimating
uncertainty in dataset labels. 2021): a sample counts as of another class where that class has at
least the probability that samples labelled so have on average. By itself that names nearly every
mistake of an overconfident network, also where classes overlap; the two others leave these alone.
"""

from dataclasses import dataclass

import numpy as np

from core.wings.findings.table_view import Floats, Ints

KNOWN = 0.9
"""The share of equally sure predictions of a class that must be right. Of data sets that are used a
lot, up to 10 % of the labels are wrong (Northcutt, Athalye, Mueller. Pervasive label errors. 2021);
where more of the sure predictions are wrong, the classes overlap, and a mistake says nothing."""
LEAST_SURE = 5
"""Equally sure predictions of a class; of four, none wrong is nothing to go by."""
ROUNDING = 1e-6
"""A mean of equal probabilities differs from them by as much as float32 rounds."""
UNLIKELY = 0.2
"""The most that the given class may have of the probability of the predicted one: at 0.3 against
0.6 the network does not know."""


@dataclass(frozen=True)
class Suspect:
    """A sample by its number, its label, and the class that is predicted. probability: of that
    class; of_label: of the label."""

    number: int
    given: int
    predicted: int
    probability: float
    of_label: float


def likely_wrong(given: Ints, probabilities: Floats) -> tuple[Suspect, ...]:
    """The samples whose label is likely wrong, the least likely label first.

    given: (S,) places of classes. probabilities: (S, C), each from a network that has not learned
    from that sample.
    """
    predicted, sure = probabilities.argmax(1), probabilities.max(1)
    of_label = probabilities[np.arange(len(given)), given]
    confident = sure >= usual_probabilities(given, probabilities)[predicted] - ROUNDING
    odd = confident & (predicted != given) & (of_label <= UNLIKELY * sure)
    for place in np.unique(predicted[odd]):
        peers = confident & (predicted == place)
        right = int((given[peers] == place).sum())
        if peers.sum() < LEAST_SURE or right < KNOWN * peers.sum():
            odd &= predicted != place
    order = np.flatnonzero(odd)[np.argsort(of_label[odd], kind="stable")]
    return tuple(
        Suspect(int(i), int(given[i]), int(predicted[i]), float(sure[i]), float(of_label[i]))
        for i in order
    )


def usual_probabilities(given: Ints, probabilities: Floats) -> Floats:
    """(C,) the mean probability of each class over the samples labelled so; infinite for none."""
    found = np.full(probabilities.shape[1], np.inf)
    for place in np.unique(given):
        found[place] = probabilities[given == place, place].mean()
    return found
