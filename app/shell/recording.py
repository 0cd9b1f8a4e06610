"""The network that learns on the start page: `python -m app.shell.recording RUN_DIR` records it.

RUN_DIR is a finished run of the template mlp_spirals (`layerloom new mlp_spirals`, `layerloom
train`). Its weights of some epochs and the points that it learned go to app/static/start/, where
the browser calculates the picture of the plane from them: what is shown is what was trained.
"""

import json
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "static" / "start" / "spiral.json"
FRAMES = 40
DIGITS = 3
"""Of a weight: the plane is the same to the eye, and the file small."""
LAYERS = ("fc1", "fc2", "fc3")


def epochs_shown(kept: list[int]) -> list[int]:
    """Epochs that are shown: all early ones, in which most changes, then ever fewer."""
    last = len(kept) - 1
    chosen = {round(last * (k / (FRAMES - 1)) ** 1.6) for k in range(FRAMES)}
    return [kept[i] for i in sorted(chosen)]


def record(run_dir: Path) -> dict[str, Any]:
    """The epochs, their weights as flat lists for each layer, and points with their classes."""
    from safetensors.numpy import load_file

    from core.project import open_project
    from core.runs import epoch_weights

    shown = epochs_shown(epoch_weights.epochs(run_dir))
    frames = [load_file(epoch_weights.path_of(run_dir, epoch)) for epoch in shown]
    samples, classes = _points(open_project(run_dir / "project.loom.json"))
    return {
        "epochs": shown,
        "frames": [[_flat(frame[f"{layer}.{part}"]) for layer in LAYERS
                    for part in ("weight", "bias")] for frame in frames],
        "points": samples,
        "classes": classes,
    }  # fmt: skip


def _flat(values: Any) -> list[float]:
    return [round(float(value), DIGITS) for value in values.reshape(-1)]


def _points(project: Any) -> tuple[list[list[float]], list[int]]:
    """What the network receives of each training sample, and its class."""
    from core.analyse import analyse_project
    from core.data import ends, load_project

    report = analyse_project(project)
    data = load_project(project, *ends(report.inputs, report.outputs))
    inputs, targets = (all_[0][data.train_indices] for all_ in (data.all_inputs, data.all_targets))
    return [_flat(row) for row in inputs], [int(each) for each in targets]


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(record(Path(sys.argv[1])), separators=(",", ":")) + "\n", "utf-8")
