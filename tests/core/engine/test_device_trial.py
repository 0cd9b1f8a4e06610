"""Devices are tried with a real step, and a fault is said in its own words."""

import pytest
import torch

from core.common.device import seen
from core.engine import device_trial


def test_the_processor_makes_a_step_and_random_numbers_go_on_as_before() -> None:
    assert seen()[0] == "cpu"
    before = torch.get_rng_state()
    assert device_trial.fault("cpu") == ""
    assert torch.equal(torch.get_rng_state(), before)


def test_a_device_that_cannot_make_a_step_says_why() -> None:
    assert "meta" in device_trial.fault("meta")


def test_every_gpu_that_torch_sees_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.xpu, "device_count", lambda: 1)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert seen() == ["cpu", "cuda:0", "cuda:1", "xpu:0", "mps"]
