"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"sweeps": "No project is open yet."}
WITH_PROJECT = {"sweeps": "New sweep"}
AT_FIRST_SIGHT = {"sweeps": (18, 250)}
JUDGED = {
    "sweeps": (
        8,
        "Weights & Biases sweeps",
        "four fields and one button; no picture of own data before",
    )
}
"""Its mark, the best of its kind, and why; see tests/bench/pages.py."""
