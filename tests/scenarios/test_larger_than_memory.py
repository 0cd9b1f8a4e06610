"""A folder of pictures that is larger than the memory a worker may use trains within it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from core.analyse import analyse_project
from core.data.facts.metadata import read_own
from core.prepare.create import prepare
from core.project import Project, read_text

LIMIT = 1 << 30  # torch alone takes 0.8 GB of it
SIDE, COUNT = 256, 5600  # 256 * 256 * 3 * 5600 bytes: 1.1 GB, four times that as floats
CHAIN = {
    "image": {"block": "Input", "settings": {"shape": [3, SIDE, SIDE]}},
    "pool1": {"block": "AvgPool2d", "settings": {"kernel_size": 64}},
    "flat": {"block": "flatten", "settings": {"start_dim": 1}},
    "fc1": {"block": "Linear", "settings": {"out_features": 2}},
    "logits": {"block": "Output"},
}


MEASURED = """
import os, resource, subprocess, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
worker = subprocess.Popen(sys.argv[2:], stdout=sys.stderr)
_, code, used = os.wait4(worker.pid, 0)
print(os.waitstatus_to_exitcode(code), used.ru_maxrss)
"""  # a process of its own: Linux counts the memory of whoever starts a process as the process's


def project_of(data: dict) -> Project:
    edges = [f"{a} -> {b}" for a, b in zip(CHAIN, list(CHAIN)[1:], strict=False)]
    training = {"epochs": 1, "batch_size": 16, "lr": 0.01}
    file = {"layerloom": 1, "name": "large", "graph": {"nodes": CHAIN, "edges": edges}}
    return read_text(json.dumps(file | {"data": data, "training": training}))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA counts as here on Linux only")
def test_a_folder_larger_than_the_workers_memory_limit_trains_within_it(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
):
    for kind, brightness in (("dark", 40), ("light", 200)):
        folder = workspace / "data/many" / kind
        folder.mkdir(parents=True)
        for number in range(COUNT // 2):
            shade = (brightness, brightness + number % 50, brightness)
            Image.new("RGB", (8, 8), shade).save(folder / f"{number:04d}.bmp")
    data = {"source": "ImageFolder", "root": "data/many", "normalize": True,
            "transform": [{"name": "RandomHorizontalFlip"}]}  # fmt: skip
    read_own(data)
    project = project_of(data)
    run_dir = prepare(project, analyse_project(project), workspace / "runs")
    command = [sys.executable, "-c", MEASURED, str(LIMIT), sys.executable, "-m"]
    ended = subprocess.run(
        [*command, "core.worker.main", str(run_dir)],
        env=os.environ | {"OMP_NUM_THREADS": "1"}, cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    code, most_kib = map(int, ended.stdout.split())
    status = json.loads((run_dir / "status.json").read_text())
    (pixels,) = (workspace / ".layerloom/cache").glob("*/pixels.u8")
    assert (code, status["state"]) == (0, "finished"), status.get("message")
    assert pixels.stat().st_size == SIDE * SIDE * 3 * COUNT
    assert pixels.stat().st_size > LIMIT
    assert most_kib * 1024 < LIMIT
    assert status["metrics"]["val_accuracy"] == 1.0
