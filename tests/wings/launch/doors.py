"""A training on two processes with its defaults."""

from tests.crossing.starts import command

STARTS = {"train --nproc 2": command("train", "--nproc", "2")}
