"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"shrink": "No project is open yet."}
WITH_PROJECT = {"shrink": "Train the network first"}
LINKED_FROM_EXPORT = {"shrink": "Make it smaller"}
"""It works on runs, so a drawing with errors keeps the link."""
