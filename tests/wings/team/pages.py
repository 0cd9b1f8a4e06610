"""What the pages read like without a project and with one."""

WITHOUT_PROJECT = {name: "No project is open yet." for name in ("history", "report")}
WITH_PROJECT = {
    "history": "No versions yet.",
    "report": "A lab report shows a run with your own words.",
}
JUDGED = {
    "history": (
        8.3,
        "GitHub",
        "a version, its author and what changed as a drawing in view, copies of drafts below; "
        "comments not on the canvas",
    ),
    "report": (
        8,
        "W&B Reports",
        "all of a run with own words, true to it, as a file that opens again; one run only",
    ),
}
"""Its mark, the best of its kind, and why; see tests/bench/pages.py."""
