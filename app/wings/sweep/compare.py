"""The runs of a sweep on the page Compare: offered together, with the keys that were searched."""

from core.wings.sweep.listing import searched, sweeps_of

TITLE = "Sweeps"
groups, keys = sweeps_of, searched
