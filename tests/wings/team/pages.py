"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"history": "No project is open yet."}
WITH_PROJECT = {"history": "No versions yet."}
JUDGED = {
    "history": (
        8.3,
        "GitHub",
        "a version, its author and what changed as a drawing in view, copies of drafts below; no "
        "comments",
    )
}
"""Its mark, the best of its kind, and why; see tests/bench/pages.py."""
