"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"import": "Import a model you already have"}
WITH_PROJECT = WITHOUT_PROJECT
JUDGED = {
    "import": (
        8.8,
        "Netron",
        "popular models as cards with the drawing they become; detectors only by search",
    )
}
"""Its mark, the best of its kind, and why; see tests/bench/pages.py."""
