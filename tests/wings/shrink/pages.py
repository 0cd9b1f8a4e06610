"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"shrink": "No project is open yet."}
WITH_PROJECT = {"shrink": "Train the network first"}
LINKED_FROM_EXPORT = {"shrink": "Make it smaller"}
"""It works on runs, so a drawing with errors keeps the link."""
JUDGED = {
    "shrink": (
        8.5,
        "Netron, Optimum",
        "three methods, trade-off and a button in view, nine more folded; the sketch has "
        "no names on its axes",
    )
}
"""Its mark, the best of its kind, and why; see tests/bench/pages.py."""
