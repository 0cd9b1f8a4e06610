"""The command of the wing, where tests of the base give the same file to every command."""

READS = {"history": ["history", "FILE"]}
"""The command on a project with Python that nobody trusted: it reads, and runs nothing."""
