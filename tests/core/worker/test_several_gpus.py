"""A run may name one of several GPUs: it is what the worker takes, and what the queue grants."""

from pathlib import Path

import pytest
import torch

from core.engine import device_trial
from core.errors import TrainingError
from core.settings.devices import cuda_index, wants_cuda
from core.settings.validate import resolve
from core.worker import job_queue
from core.worker.job_queue import ResourceRequest, enqueue, position
from core.worker.setup import choose_device
from core.worker.supervisor import environment_of


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_trial, "names", lambda: ["cpu", "cuda:0", "cuda:1", "xpu:0", "mps"])
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
        "The run asks for cuda:2, but torch finds cuda:0, cuda:1, xpu:0, mps on this machine."
    )
    assert raised.value.hint == (
        'Set device to one of "auto", "cpu", "cuda:0", "cuda:1", "xpu:0", "mps".'
    )


def test_without_any_gpu_each_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_trial, "names", lambda: ["cpu"])
    for name, words in {
        "cuda": "an NVIDIA GPU",
        "mps": "the GPU of a Mac",
        "xpu:1": "xpu:1",
    }.items():
        with pytest.raises(TrainingError, match=f"asks for {words}, but torch finds no GPU"):
            choose_device(name)


def test_a_granted_gpu_is_the_only_one_that_the_worker_sees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = environment_of({"cuda": "1", "env": {}})
    assert given["CUDA_VISIBLE_DEVICES"] == "1"
    monkeypatch.setattr(device_trial, "names", lambda: ["cpu", "cuda:0"])
    monkeypatch.setenv(job_queue.GRANTED, given[job_queue.GRANTED])
    assert choose_device("cuda:1") == torch.device("cuda")


def test_a_project_may_name_one_of_several() -> None:
    for name in ("cuda:1", "xpu:0", "mps"):
        assert resolve({"device": name}, "classification")["device"] == name
    for name in ("cuda:", "cuda:-1", "cpu:0", "mps:0", "cuda:01"):
        with pytest.raises(TrainingError, match=r"training\.device has nothing called"):
            resolve({"device": name}, "classification")


def test_only_runs_on_nvidia_gpus_wait_for_one() -> None:
    assert [wants_cuda(name) for name in ("auto", "cuda", "cuda:1", "cpu", "mps", "xpu:0")] == [
        *(True, True, True, False, False, False)
    ]
    assert [cuda_index(name) for name in ("cuda:1", "cuda", "xpu:1")] == [1, None, None]


def test_the_queue_grants_the_gpu_that_is_named_and_keeps_the_others_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "gpus", lambda: ["4", "7"])
    monkeypatch.setattr(job_queue, "threads", lambda: 1)
    first, second, any_gpu, third = (
        enqueue(tmp_path, ResourceRequest(name, gpu=True, gpu_index=index))
        for name, index in (("a", 1), ("b", 1), ("c", None), ("d", 1))
    )
    assert position(first) == 0
    assert first.gpu == "7"
    assert position(second) == 1  # waits for that GPU, and for no other
    assert position(any_gpu) == 0
    assert any_gpu.gpu == "4"
    assert position(third) == 2
    first.leave()
    assert position(third) == 2  # behind the second, for which the GPU is kept
    assert position(second) == 0
    for ticket in (second, any_gpu, third):
        ticket.leave()


def test_a_gpu_that_is_not_there_lets_nobody_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "gpus", lambda: ["0"])
    monkeypatch.setattr(job_queue, "threads", lambda: 1)
    ticket = enqueue(tmp_path, ResourceRequest("a", gpu=True, gpu_index=3))
    assert (position(ticket), ticket.gpu) == (0, "")
    ticket.leave()
