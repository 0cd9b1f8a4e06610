"""A rank of a run on Ray, a worker that ends with Ray.

`python -m core.wings.launch.ray_rank RUN_DIR`. Where the worker of Ray that started it is gone, as
after a kill, it is asked to stop.
"""

import ctypes
import signal
import sys
from pathlib import Path

from core.worker.main import main

DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux."""


def end_with_parent() -> None:
    """Let the system send SIGTERM to this process once the one that started it is gone (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGTERM)


if __name__ == "__main__":
    end_with_parent()
    sys.exit(main(Path(sys.argv[1])))
