"""How often a run begins again after a fault. The standard library only, for the supervisor."""

import json
from pathlib import Path

RESTARTS = 2
"""Restarts without a newer checkpoint after which a run is left as it ended."""


class Restarts:
    """Counts the restarts of a run that brought no newer checkpoint."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir, self.in_vain = run_dir, 0
        self.step = self._checkpoint_step()

    def allows_another(self) -> bool:
        """Whether the run may begin once more; a newer checkpoint starts the count anew."""
        step, before = self._checkpoint_step(), self.step
        self.step, self.in_vain = step, 1 if step > before else self.in_vain + 1
        return self.in_vain <= RESTARTS

    def _checkpoint_step(self) -> int:
        """The step of the last checkpoint, -1 where there is none."""
        try:
            record = json.loads((self.run_dir / "ckpt" / "last.json").read_bytes())
        except (OSError, ValueError):
            return -1
        step = record.get("step") if isinstance(record, dict) else None
        return step if isinstance(step, int) else -1
