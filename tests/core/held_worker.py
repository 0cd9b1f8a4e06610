"""A worker that dies, or stands still, before a step: so a test says where, not when.

`python held_worker.py RUN_DIR STEP [FILE]` is a worker that is killed before the step after STEP.
With FILE it stands there until that file is made, and makes FILE.there to say that it stands.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from torch import Tensor

from core.engine.trainer import Trainer
from core.worker import main as worker


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stand(file: Path) -> None:
    there(file).touch()
    while not file.exists():
        time.sleep(0.01)


def there(file: Path) -> Path:
    """What says that a worker stands still until `file` is made."""
    return file.with_name(f"{file.name}.there")


def before_step(after: int, act: Callable[[], None]) -> None:
    step = Trainer.make_step

    def held(engine: Trainer, group: Sequence[Tensor]) -> None:
        if engine.step == after:
            act()
        step(engine, group)

    Trainer.make_step = held


def main(run_dir: str, after: str, file: str = "") -> int:
    before_step(int(after), (lambda: stand(Path(file))) if file else die)
    return worker.main(Path(run_dir))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
