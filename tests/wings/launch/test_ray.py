"""Runs and sweeps on a real Ray cluster of two processors on this machine."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.common.errors import RunError
from core.runs.files import read_status
from core.settings.launcher import Launcher
from core.wings.launch import ray_launcher
from core.worker import launch
from tests.wings.launch.test_elsewhere import stopped_and_resumed, trains_by
from tests.wings.launch.worker.test_ranks_of_a_run import weights

Make = Callable[..., Path]
ROOT = Path(__file__).parents[3]
IRIS = ROOT / "projects" / "mlp_iris.loom.json"
RAY = [sys.executable, "-m", "ray.scripts.scripts"]
WAIT_S = 600.0
pytestmark = [
    pytest.mark.slow,
    pytest.mark.alone,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster with two processors."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**os.environ, **ray_launcher.environment(), "PYTHONSAFEPATH": "1"}
    words = ["start", "--head", "--block", "--num-cpus=2", "--node-ip-address=127.0.0.1"]
    words += [f"--port={port}", "--include-dashboard=false", "--object-store-memory=200000000"]
    folder = f"/tmp/ray-test-{os.getpid()}"
    words += [f"--temp-dir={folder}"]
    log = (tmp_path_factory.mktemp("ray") / "log.txt").open("wb")
    head = subprocess.Popen([*RAY, *words], env=env, stdout=log, stderr=log, cwd="/")
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        assert head.poll() is None, Path(log.name).read_text()
        try:
            ray_launcher.check(Launcher("ray", address=f"127.0.0.1:{port}"))
            break
        except RunError:
            time.sleep(0.2)
    yield f"127.0.0.1:{port}"
    head.send_signal(signal.SIGTERM)
    head.wait(60)
    shutil.rmtree(folder, ignore_errors=True)


def test_two_workers_train_are_stopped_and_end_as_one_process_does(
    cluster: str, iris_run: Make
) -> None:
    settings = {"epochs": 300, "batch_size": 8, "accumulate": 2, "lr": 0.01}
    alone, shared = iris_run(**settings), iris_run(**settings)
    trains_by(shared, Launcher("ray", 2, address=cluster))
    stopped_and_resumed(shared)
    launch.start(alone)
    assert launch.wait(alone, WAIT_S)
    assert weights(shared) == weights(alone)
    assert [rank["rank"] for rank in read_status(shared)["ranks"]] == [0, 1]


def test_a_cluster_that_is_too_small_is_refused_with_both_numbers(cluster: str) -> None:
    with pytest.raises(RunError) as refused:
        ray_launcher.check_cluster(Launcher("ray", 4, address=cluster), 2)
    words = "The Ray cluster has 2 processors; 4 processes with 2 threads each need 8."
    assert refused.value.message == words
    ray_launcher.check_cluster(Launcher("ray", 2, address=cluster), 1)
