"""Whether a Ray cluster can take a run: connects, compares versions and counts processors.

`python -m core.wings.launch.ray_check ADDRESS WORLD THREADS` starts nothing there. Prints
{"ok": true}, or the message and hint why it cannot. Exit status: 0 it can; 1 it cannot.
"""

import json
import os
import sys

from core.settings.launcher import Launcher
from core.wings.launch.ray_driver import connect, explain
from core.wings.launch.ray_launcher import environment


def main(address: str, world: int, threads: int) -> int:
    """Check a cluster; give the exit status."""
    os.environ.update(environment())
    try:
        connect(Launcher("ray", world, address=address), threads)
    except Exception as error:
        reason = explain(error)
        sys.stdout.write(json.dumps({"message": reason.message, "hint": reason.hint}) + "\n")
        return 1
    sys.stdout.write(json.dumps({"ok": True}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
