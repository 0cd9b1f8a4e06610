"""Whole runs on a GPU: what they write, how they pause, share the GPU, run out of its memory."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.analyse import analyse_project
from core.data.batches.epochs import EpochBatches
from core.data.pictures.pixels import InMemoryPixels, Pixels, column
from core.data.pictures.transform import AugmentStep
from core.engine.loader import DeviceSplit
from core.prepare.create import prepare
from core.runs.accelerations import read_accelerations
from core.runs.files import read_json, write_json
from core.runs.jsonl import read
from core.worker import job_queue
from core.worker.error_messages import explain
from core.worker.supervisor import environment_of
from tests.core.small_runs import CHANCY_NET, project, train_here
from tests.core.worker.ticket_holders import end, holder

ROOT = Path(__file__).resolve().parents[2]
HOLDS = "from core.worker import main, run_loop; run_loop.HOLD_S = 0.5; main.main(Path(argv[1]))"
SPARE = """
import os
from core.worker import preload
preload.preload()
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
assert not torch.cuda.is_available()
"""
LITTLE = """
torch.cuda.set_per_process_memory_fraction((4 << 20) / torch.cuda.mem_get_info()[1])
from core.worker import main
assert main.main(Path(argv[1])) == 1
"""
ONE = "assert torch.cuda.device_count() == 1 and torch.ones(2, device='cuda').sum() == 2"


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[..., Path]:
    """Make run folders of the chancy net on the digits."""

    def make(**training: Any) -> Path:
        found = project(
            CHANCY_NET, {"source": "digits"}, **{"epochs": 2, "lr": 0.01, "threads": 1, **training}
        )
        return prepare(found, analyse_project(found), tmp_path / "runs")

    return make


def python(code: str, *given: str, **env: str) -> "subprocess.Popen[bytes]":
    """Start some lines in a process of their own."""
    text = f"from pathlib import Path\nfrom sys import argv\nimport torch\n{code}"
    known = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.Popen([sys.executable, "-c", text, *given], env=known)


@pytest.mark.slow
def test_a_run_says_where_and_how_it_calculates(device: str, run_of: Callable[..., Path]) -> None:
    run_dir = run_of(device=device, clip_norm=100.0)  # above all norms: 1.0 would make them equal
    (run_dir / "viewer").touch()
    assert train_here(run_dir).state == "finished"
    assert read_json(run_dir / "status.json")["device"] == device
    gpu = device == "cuda"
    found = read_accelerations(run_dir)
    assert {name: mode.on for name, mode in found.items()} == {
        "channels_last": gpu,
        "compile": False,
        "compile_step": False,
        "cuda_graph": gpu,
    }, found
    for name in ("confusion.json", "mistakes.npz", "filters.npz", "health.json"):
        assert (run_dir / "live" / name).is_file()
    records = read(run_dir / "metrics.jsonl")[0]
    losses = [loss for r in records if r["kind"] == "step" for loss in r["loss"]]
    norms = {norm for r in records if r["kind"] == "pulse" for norm in r["grad_norm"]}
    assert len(losses) == 46
    assert len(set(losses)) == 46
    assert len(norms) == len([r for r in records if r["kind"] == "pulse"])
    assert losses[-1] < 0.5 * losses[0]


@pytest.mark.gpu
def test_a_run_that_pauses_gives_the_memory_of_the_gpu_back(run_of: Callable[..., Path]) -> None:
    torch.zeros(1, device="cuda")
    torch.cuda.empty_cache()
    free, _ = torch.cuda.mem_get_info()
    run_dir = run_of(device="cuda", epochs=100_000)
    worker = python(HOLDS, str(run_dir))
    _until(lambda: read_json(run_dir / "status.json").get("step", 0) > 50, worker)
    assert torch.cuda.mem_get_info()[0] < free - (100 << 20)
    write_json(run_dir / "control.json", {"want": "pause", "seq": 1})
    assert worker.wait(600) == 0
    assert read_json(run_dir / "status.json")["state"] == "paused"
    assert torch.cuda.mem_get_info()[0] > free - (100 << 20)


def _until(good: Callable[[], bool], worker: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 600
    while not good():
        assert time.monotonic() < deadline
        assert worker.poll() is None
        time.sleep(0.05)


@pytest.mark.gpu
def test_memory_of_the_gpu_that_runs_out_is_explained_in_words() -> None:
    with pytest.raises(torch.OutOfMemoryError) as caught:
        torch.empty(1 << 45, device="cuda")
    error = explain(caught.value, {}, 512, 30_000_000_000)
    assert error.message == (
        "Memory ran out with a batch of 512 samples, requesting 131072.00 GiB more;"
        " a step was estimated to need 30 GB."
    )


@pytest.mark.gpu
def test_a_run_that_does_not_fit_the_gpu_fails_in_words(run_of: Callable[..., Path]) -> None:
    run_dir = run_of(device="cuda", batch_size=1024)
    assert python(LITTLE, str(run_dir)).wait(600) == 0
    status = read_json(run_dir / "status.json")
    assert status["state"] == "failed"
    assert status["message"].startswith("Memory ran out")
    assert status["hint"] == "Set batch_size to 512 or less."


@pytest.mark.gpu
def test_a_granted_gpu_is_the_only_one_that_a_worker_sees(tmp_path: Path) -> None:
    """Who holds a GPU is another process: the locks of one process do not keep it from itself."""
    wanted = job_queue.ResourceRequest(str(tmp_path), gpu=True)
    holders = [holder(tmp_path, wanted) for _ in job_queue.gpus()]
    assert holders
    assert [place for _, place in holders] == [0] * len(holders)
    late = job_queue.enqueue(tmp_path, wanted)
    assert job_queue.position(late) == 1
    for pid, _ in holders:
        end(pid)
    assert job_queue.position(late) == 0
    visible = environment_of({"cuda": late.gpu})["CUDA_VISIBLE_DEVICES"]
    assert python(ONE, CUDA_VISIBLE_DEVICES=visible).wait(600) == 0
    late.leave()


@pytest.mark.slow
def test_an_exported_script_trains_on_the_device_it_is_given(device: str, tmp_path: Path) -> None:
    script = ROOT / "tests" / "golden" / "lenet_digits_train.py"
    out = tmp_path / "model.pt"
    command = [sys.executable, str(script), "--epochs", "1", "--device", device, "--out", str(out)]
    stdout = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
    assert stdout.startswith("epoch 1: train loss ")
    weights = torch.load(out, weights_only=True)
    assert {value.device.type for value in weights.values()} == {device}


@pytest.mark.gpu
def test_a_spare_sees_the_gpus_that_are_granted_later() -> None:
    assert python(SPARE).wait(600) == 0


def test_streamed_batches_arrive_whole(device: str) -> None:
    """The copy to a GPU goes on while the next batch is made; many at once, so that it shows."""
    torch.manual_seed(0)
    pictures, labels = torch.rand(512, 3, 64, 64), torch.arange(512)
    steps = (AugmentStep("RandomHorizontalFlip", {"p": 0.5}),)
    found: list[list[Tensor]] = []
    for where in ("cpu", device):
        pixels = column(
            Pixels(InMemoryPixels(pictures), torch.arange(512), (3, 64, 64), steps=steps)
        )
        part = DeviceSplit((pixels.to(where),), (labels.to(where),))
        torch.manual_seed(1)
        batches = [indices.to(part.where) for indices in EpochBatches(512, 32, 0)]
        rows = [part.rows(indices) for indices in batches]
        assert {x.device.type for (x,), _ in rows} == {torch.device(where).type}
        found.append([torch.cat([x.cpu().flatten(1), y.cpu()[:, None]], 1) for (x,), (y,) in rows])
    for one, other in zip(*found, strict=True):
        assert torch.equal(one, other)
