"""A plan with its defaults."""

from tests.crossing.starts import command

STARTS = {"plan": command("plan")}
