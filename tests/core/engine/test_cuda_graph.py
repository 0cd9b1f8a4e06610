"""What a run does for a GPU that can be seen without one."""

import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from torch import nn

from core.analyse import analyse_project
from core.common.errors import TrainingError
from core.engine.objective import LossTerm
from core.engine.precision import determinism_warnings
from core.engine.rng import fork_rng, rng_state, set_rng_state
from core.engine.sanity_check import _check_classes, sanity_check
from core.engine.trainer_state import _fit_device
from core.prepare.create import prepare
from core.runs.files import read_json
from core.runs.status import Status
from core.worker import job_queue
from core.worker.error_messages import explain
from core.worker.tensorboard import TensorBoardLogger
from tests.core.small_runs import CHANCY_NET, project, train_here
from tests.gpu.engines import engine

GPU, CPU = torch.device("cuda"), torch.device("cpu")
SPARE = """
import torch
from core.worker import preload
asked = []
for name in ("_cuda_getDeviceCount", "_cuda_init", "_cuda_isCurrentStreamCapturing"):
    setattr(torch._C, name, lambda name=name: asked.append(name) or 0)
torch.cuda.is_available()
assert asked == ["_cuda_getDeviceCount"], asked
preload.preload()
assert asked == ["_cuda_getDeviceCount"], asked
assert torch.cuda.is_available.__module__ == "torch.cuda"
"""


@pytest.mark.slow
def test_a_spare_asks_for_no_gpu_before_its_run_has_been_granted_one() -> None:
    subprocess.run([sys.executable, "-c", SPARE], check=True, timeout=600)


def test_the_only_gpu_of_a_container_is_the_first_whatever_its_device_file_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "DEVICES", tmp_path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    for name in ("nvidia3", "nvidiactl", "nvidia-uvm"):
        (tmp_path / name).touch()
    assert job_queue.gpus() == ["0"]


def test_only_a_processor_or_a_deterministic_gpu_goes_on_to_the_bit_for_sure() -> None:
    net = nn.Sequential(nn.LSTM(2, 3, num_layers=2, dropout=0.1), nn.GRU(3, 3, dropout=0.0))
    free, strict = {"deterministic": False}, {"deterministic": True}
    assert determinism_warnings(net, free, CPU) == []
    assert determinism_warnings(nn.Linear(2, 3), strict, GPU) == []
    assert determinism_warnings(nn.Linear(2, 3), free, GPU) == [
        "the order of sums on a GPU (deterministic is off)"
    ]
    expected = ["the dropout between the layers of 0 (cuDNN's random state is not saved)"]
    assert determinism_warnings(net, strict, GPU) == expected


def test_an_rng_state_saved_beside_more_gpus_comes_back_where_there_are_fewer() -> None:
    saved = rng_state()
    wanted = torch.rand(3)
    set_rng_state({**saved, "cuda": [torch.zeros(16, dtype=torch.uint8)] * 2})
    assert torch.equal(torch.rand(3), wanted)


def test_steps_counted_on_a_gpu_are_counted_on_by_a_processor() -> None:
    weight = nn.Parameter(torch.ones(2))
    optimiser = torch.optim.RMSprop([weight])
    optimiser.param_groups[0]["capturable"] = True
    _fit_device(optimiser)
    weight.grad = torch.ones(2)
    optimiser.step()
    assert optimiser.state[weight]["step"] == 1


def test_a_class_beyond_the_outputs_is_refused_before_a_gpu_would_end_the_process() -> None:
    aim = LossTerm("output", nn.CrossEntropyLoss())
    outputs = (torch.zeros(4, 3),)
    _check_classes(aim, outputs, (torch.tensor([0, 1, 2]),))
    with pytest.raises(TrainingError, match="targets from 0 to 3: class 3 is out of bounds"):
        _check_classes(aim, outputs, (torch.tensor([0, 3]),))
    _check_classes(aim, (torch.zeros(4),), (torch.tensor([0, 3]),))  # its shape is told elsewhere
    ignoring = LossTerm("output", nn.CrossEntropyLoss(ignore_index=255))
    _check_classes(ignoring, outputs, (torch.tensor([0, 255, 2]),))
    with pytest.raises(TrainingError, match="class 3 is out of bounds"):
        _check_classes(ignoring, outputs, (torch.tensor([0, 255, 3]),))


@pytest.mark.parametrize("part", ["train", "validation"])
def test_a_class_that_only_a_few_samples_have_is_refused_before_the_run(part: str) -> None:
    made = engine()
    sanity_check(made, cast(Status, None))
    getattr(made, part).targets[0][-1] = 10
    with pytest.raises(TrainingError, match="targets from 0 to 10: class 10 is out of bounds"):
        sanity_check(made, cast(Status, None))


def test_what_a_gpu_says_of_its_memory_and_of_numbers_out_of_range_is_put_in_words() -> None:
    text = "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 139 GiB"
    explanation = explain(torch.OutOfMemoryError(text), {}, 512, 30_000_000_000)
    assert explanation.message == (
        "Memory ran out with a batch of 512 samples, requesting 20.00 GiB more;"
        " a step was estimated to need 30 GB."
    )
    assert explanation.hint == "Set batch_size to 256 or less."
    library = explain(RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling"), {}, 2)
    assert library.message == "Memory ran out with a batch of 2 samples."
    range_ = explain(RuntimeError("CUDA error: device-side assert triggered\nCUDA kernel"), {}, 2)
    assert range_.hint == "Train once with device cpu to see the value and the block."


def test_a_run_whose_step_cannot_be_recorded_says_so_and_stays_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(engine: Any, *_: Any, **__: Any) -> None:
        raise RuntimeError("called a synchronizing CUDA operation")

    monkeypatch.setattr("core.settings.accelerations._cuda_graph", lambda *_: _on())
    monkeypatch.setattr("core.engine.trainer.CapturedStep", refuse)
    found = project(CHANCY_NET, {"source": "digits"}, epochs=1, threads=1)
    run_dir = prepare(found, analyse_project(found), tmp_path / "runs")
    assert train_here(run_dir).state == "finished"
    mode = read_json(run_dir / "modes.json")["cuda_graph"]
    why = "The step could not be recorded: called a synchronizing CUDA operation"
    assert mode == {"on": False, "why": why}


def _on() -> Any:
    from core.settings.accelerations import Acceleration

    return Acceleration(True)


def test_watching_leaves_the_rng_state_of_a_gpu_alone_where_nothing_was_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Setting it, cuDNN's recurrent layers would draw their dropout anew."""
    set_to: list[int] = []
    state = torch.zeros(16, dtype=torch.uint8)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: [state.clone()])
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda device: state.clone())
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda saved, device: set_to.append(device))
    with fork_rng(nn.Dropout()):
        pass
    assert set_to == []
    with fork_rng(nn.Dropout()):
        state += 1
    assert set_to == [0]


def test_a_run_trains_where_tensorboardx_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    board = TensorBoardLogger(tmp_path, 0)
    board.points({"step": [1], "loss": [0.5], "lr": [0.1]})
    board.settings({}, {})
    board.close()
    assert board.missing
    assert not (tmp_path / "tensorboard").exists()
