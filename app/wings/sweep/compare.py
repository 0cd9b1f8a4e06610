"""The runs of a sweep on the page Compare, best first, and the keys that were searched."""

from core.wings.sweep.listing import searched, sweeps_of

groups, keys = sweeps_of, searched
