"""A sweep with its defaults, of a few trials."""

from tests.crossing.starts import command

SEARCHED = ("--search", "lr=1e-4..1e-1:log")
"""The search space, as a sweep has none by default."""
STARTS = {"sweep": command("sweep", *SEARCHED, "--trials", "3")}
