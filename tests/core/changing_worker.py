"""A worker that changes over to compiled steps at a step that is named, not at a moment.

`python changing_worker.py RUN_DIR CHANGE [KILL]` takes over compiled steps once CHANGE steps are
made, as if a helper had compiled them; what does compile them is real. With KILL it is killed
before the step after that one.
"""

import sys
from pathlib import Path

from core.engine import trainer
from core.worker import main as worker
from core.worker.change_over import ChangeOver, CompileReport
from tests.core.held_worker import before_step, die


def change_at(step: int) -> None:
    """Have the helper's answer come with that step, and let it pay in any case."""

    def ready(self: ChangeOver) -> CompileReport | None:
        there = self.open and self.engine.step >= step
        return CompileReport(2.0, 1.0, 0.0, True) if there else None

    def pays(calculated_s: float, compiled_s: float) -> bool:
        return calculated_s > 0 < compiled_s

    ChangeOver.ready = ready
    ChangeOver.pays = staticmethod(pays)
    trainer.TICK_S = 0.0  # so that it looks after each step


def main(run_dir: str, change: str, kill: str = "") -> int:
    change_at(int(change))
    if kill:
        before_step(int(kill), die)
    return worker.main(Path(run_dir))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
