"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"sweeps": "No project is open yet."}
WITH_PROJECT = {"sweeps": "New sweep"}
AT_FIRST_SIGHT = {"sweeps": (18, 250)}
JUDGED = {
    "sweeps": (
        8.6,
        "Weights & Biases sweeps",
        "four fields, then the best result large with one button; many lines may lie on each other",
    )
}
"""Its mark, the best of its kind, and why; see tests/bench/pages.py."""
