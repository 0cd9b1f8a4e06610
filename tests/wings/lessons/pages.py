"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"learn": "Learn"}
WITH_PROJECT = {"learn": "Learn"}
JUDGED = {"learn": (8.5, "Brilliant", "own drawings and progress; a lesson is more text than play")}
"""Its mark, the best of its kind, and why; see tests/bench/pages.py."""
