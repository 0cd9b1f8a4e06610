"""A spare that imports nothing ahead: `python light_spare.py [STEP] --spare`.

With STEP, a function of `core.worker.main`, it is killed in place of that step.
"""

import os
import signal
import sys
from typing import Any

from core.worker import main


def die(*_: Any) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 1


if __name__ == "__main__":
    for step in sys.argv[1:-1]:
        setattr(main, step, die)
    main.lower_priority = lambda work: None
    sys.exit(main.wait_for_run())
