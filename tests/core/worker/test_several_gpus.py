"""A run may name one of several GPUs: it is what the worker takes, and what the queue grants."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from core.common.device import cuda_index, other_gpu, wants_cuda
from core.common.errors import TrainingError
from core.engine.objective import in_reach_of_float64
from core.settings.validate import resolve
from core.worker import job_queue, launch, run_device
from core.worker.job_queue import ResourceRequest, enqueue, position
from core.worker.run_device import choose_device
from core.worker.supervisor import environment_of
from tests.core.worker.ticket_holders import HOLDERS, end, holder


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_device, "seen", lambda: ["cpu", "cuda:0", "cuda:1", "xpu:0", "mps"])
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "set_device", lambda _: None)


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("auto", "cuda"), ("cpu", "cpu"), ("cuda", "cuda"), ("cuda:1", "cuda:1"),
        ("xpu:0", "xpu:0"), ("mps", "mps"),
    ],
)  # fmt: skip
def test_the_worker_takes_the_device_that_is_named(two_gpus: None, name: str, chosen: str) -> None:
    assert choose_device(name) == torch.device(chosen)


def test_a_gpu_that_is_not_there_is_refused_with_those_that_are(two_gpus: None) -> None:
    with pytest.raises(TrainingError) as raised:
        choose_device("cuda:2")
    assert raised.value.message == (
        "The run needs cuda:2, but torch finds cuda:0, cuda:1, xpu:0, mps on this machine."
    )
    assert raised.value.hint == (
        'Set device to one of "auto", "cpu", "cuda:0", "cuda:1", "xpu:0", "mps".'
    )


def test_without_any_gpu_each_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_device, "seen", lambda: ["cpu"])
    for name, words in {
        "cuda": "an NVIDIA GPU",
        "mps": "the GPU of a Mac",
        "xpu:1": "xpu:1",
    }.items():
        with pytest.raises(TrainingError, match=f"The run needs {words}, but torch finds no GPU"):
            choose_device(name)


def test_a_granted_gpu_is_the_only_one_that_the_worker_sees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = environment_of({"cuda": "1", "env": {}})
    assert given["CUDA_VISIBLE_DEVICES"] == "1"
    monkeypatch.setattr(run_device, "seen", lambda: ["cpu", "cuda:0"])
    monkeypatch.setenv(job_queue.GRANTED, given[job_queue.GRANTED])
    assert choose_device("cuda:1") == torch.device("cuda")


def test_a_project_may_name_one_of_several() -> None:
    for name in ("cuda:1", "xpu:0", "mps"):
        assert resolve({"device": name}, "classification")["device"] == name
    for name in ("cuda:", "cuda:-1", "cpu:0", "mps:0", "cuda:01"):
        with pytest.raises(TrainingError, match=r"training\.device has no choice"):
            resolve({"device": name}, "classification")


def test_only_runs_on_nvidia_gpus_wait_for_one() -> None:
    assert [wants_cuda(name) for name in ("auto", "cuda", "cuda:1", "cpu", "mps", "xpu:0")] == [
        *(True, True, True, False, False, False)
    ]
    assert [cuda_index(name) for name in ("cuda:1", "cuda", "xpu:1")] == [1, None, None]


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A queue of a machine with two NVIDIA GPUs and one thread."""
    monkeypatch.setattr(job_queue, "gpus", lambda: ["0", "1"])
    monkeypatch.setattr(job_queue, "threads", lambda: 1)
    yield tmp_path
    for pid in list(HOLDERS):
        end(pid)


def test_the_queue_grants_the_gpu_that_is_named_and_keeps_the_others_for_others(
    queue: Path,
) -> None:
    first, place = holder(queue, ResourceRequest("a", gpu=True, gpu_index=1))
    assert place == 0
    second, place = holder(queue, ResourceRequest("b", gpu=True, gpu_index=1))
    assert place == 1  # waits for that GPU, and for no other
    ticket = enqueue(queue, ResourceRequest("c", gpu=True))
    assert (position(ticket), ticket.gpu) == (0, "0")
    ticket.leave()
    other = enqueue(queue, ResourceRequest("e", gpu=True, gpu_index=0))
    assert (position(other), other.gpu) == (0, "0")  # at once: nobody waits for that one
    other.leave()
    third = enqueue(queue, ResourceRequest("d", gpu=True, gpu_index=1))
    assert position(third) == 2
    end(first)
    assert position(third) == 2  # behind the second, for which the GPU is kept
    end(second)
    assert (position(third), third.gpu) == (0, "1")
    third.leave()


@pytest.mark.parametrize("name", ["mps", "xpu", "xpu:1"])
def test_a_gpu_of_another_maker_has_one_run_at_a_time(queue: Path, name: str) -> None:
    named = other_gpu(name)
    first, place = holder(queue, ResourceRequest("a", threads=1, other_gpu=named))
    assert place == 0
    second = enqueue(queue, ResourceRequest("b", threads=1, other_gpu=named))
    assert position(second) == 1
    _, place = holder(queue, ResourceRequest("c", threads=1))
    assert place == 0  # the processor is another queue
    end(first)
    assert position(second) == 0
    second.leave()


def test_a_gpu_that_is_not_there_lets_nobody_wait(queue: Path) -> None:
    ticket = enqueue(queue, ResourceRequest("a", gpu=True, gpu_index=3))
    assert (position(ticket), ticket.gpu) == (0, "")
    ticket.leave()


def test_a_launched_run_asks_for_the_device_of_its_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[dict[str, Any]] = []
    monkeypatch.setattr(launch.warm_worker, "claim", lambda job: jobs.append(job) or True)
    for name in ("auto", "cpu", "cuda:1", "mps", "xpu"):
        launch._launch({"run_dir": str(tmp_path)}, {"training": {"device": name}}, {})
    assert [(job["gpu"], job["gpu_index"], job["other_gpu"]) for job in jobs] == [
        (True, None, ""), (False, None, ""), (True, 1, ""), (False, None, "mps"),
        (False, None, "xpu:0"),
    ]  # fmt: skip


def test_metrics_are_added_up_where_float64_is() -> None:
    with FakeTensorMode(allow_non_fake_inputs=True):
        there = torch.empty(2, device="mps")
        assert in_reach_of_float64(there).device.type == "cpu"
        assert in_reach_of_float64(torch.empty(2, device="cuda")).device.type == "cuda"
