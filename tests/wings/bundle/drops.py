"""Files meant to do harm that are called bundles."""

from tests.app.services.test_file_drop import pictures, zipped

PAIR = pictures("x/1.png", "y/1.png")
HOSTILE = {
    "no bundle": (("a.loom.zip", zipped(PAIR)), "a.loom.zip"),
    "slip in a bundle": (("a.loom.zip", zipped([*PAIR, ("../../evil.png", b"x")])), "a.loom.zip"),
}
