"""Bundles, NAME.loom.zip: a project with runs, notes and data in one file, for a team mate.

What is in one is plain data: drawings, numbers, tensors. Nothing of it is executed, unpickled or
fetched; sources are generated from the drawings, as always. No torch is imported to open one.
"""

from core.wings.bundle.needs import missing_requirements
from core.wings.bundle.read import Contents, read_bundle
from core.wings.bundle.unpack import OpenedBundle, open_bundle
from core.wings.bundle.write import BundleSelection, WrittenBundle, write_bundle

__all__ = [
    "BundleSelection",
    "Contents",
    "OpenedBundle",
    "WrittenBundle",
    "missing_requirements",
    "open_bundle",
    "read_bundle",
    "write_bundle",
]
