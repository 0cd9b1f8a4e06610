"""Whether a data set has a rare class, by how many samples each class has. No torch."""

from collections.abc import Sequence

RARE = 0.25
"""Of an equal share, below which a class is rare: 1 of 8 where there are two. Always predicting the
other is then right more than 7 times of 8, which an accuracy hardly tells from a good network."""


def has_rare_class(counts: Sequence[int]) -> bool:
    """Whether the smallest class has far less than an equal share. counts: of each class."""
    present = [count for count in counts if count]
    return len(present) > 1 and min(present) < RARE * sum(present) / len(present)
