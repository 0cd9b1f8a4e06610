"""The command of the wing, where tests of the base give the same file to every command."""

READS_DATA = {"plan": ("plan", "--gpus", "2")}
"""What the command needs beside its file to come to the data."""
