"""The file that this wing writes, for disks that take none."""

from core.project import Project
from core.wings.bundle.write import BundleSelection, write_bundle

WRITERS = {
    "net.loom.zip": lambda out: write_bundle(BundleSelection(Project(), out.parent), out),
}
