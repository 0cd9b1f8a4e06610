"""The command of the wing, where tests of the base give the same file to every command."""

SEARCHED = ["--search", "lr=0.1,0.2"]
OPTIONS = {"sweep": SEARCHED}
"""What the command needs beside its file."""
UNTRUSTED = {"sweep": ["sweep", "FILE", *SEARCHED, "--trials", "2", "--runs", "DIR/runs"]}
"""The command on a project with Python that nobody trusted."""
REFUSED = {"seeds": (["--nproc", "2", "--seeds", "3"], "--seeds trains on this machine only.")}
"""Options of `layerloom train` that do not go together, and why."""
