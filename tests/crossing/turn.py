"""What the gate crosses: a few projects and each quick door once, others with each commit.

The shift is a number of the commit; over as many commits as there are projects every quick pair
has its turn. Where there is no git it is a number of the sources.
"""

import hashlib
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.crossing.doors import Door

ROOT = Path(__file__).parents[2]
FEW_PROJECTS = 4
QUICK_S, SLOWER = 2.0, 1
"""Doors that take longer have their turn, so many with each commit."""
SLOWEST_S = 20.0


def shift(root: Path = ROOT) -> int:
    """A number that is another for each commit, and the same within one."""
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return int(done.stdout.strip()[:12], 16)
    digest = hashlib.sha256()
    for room in ("core", "blocks"):
        for file in sorted((root / room).rglob("*.py")):
            digest.update(file.read_bytes())
    return int(digest.hexdigest()[:12], 16)


def chosen(
    projects: Sequence[str], doors: Mapping[str, Door], number: int
) -> frozenset[tuple[str, str]]:
    """Pairs of a project and a door."""
    quick = [name for name, door in doors.items() if door.seconds <= QUICK_S]
    slower = [name for name, door in doors.items() if QUICK_S < door.seconds <= SLOWEST_S]
    few = [projects[(number + i) % len(projects)] for i in range(FEW_PROJECTS)]
    turned = number // len(projects)
    taken = [slower[(turned + i) % len(slower)] for i in range(min(SLOWER, len(slower)))]
    return frozenset((few[(turned + i) % len(few)], name) for i, name in enumerate(quick + taken))
