"""The form offers auto, cpu and the GPUs that made a step, and says why it offers no other."""

from pathlib import Path
from typing import Any

import pytest

from app.services import devices
from core.worker import device_trials, job_queue

GREETING = [{"device": "cpu", "name": "CPU", "fault": ""}]


@pytest.fixture(autouse=True)
def unknown() -> Any:
    devices.trial.cache_clear()
    yield
    devices.trial.cache_clear()


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A machine whose GPUs have these faults; gives how often they were tried."""

    def prepared(**faults: str) -> list[int]:
        calls: list[int] = []
        entries = [{"device": name.replace("_", ":"), "fault": f} for name, f in faults.items()]

        def try_devices() -> Any:
            calls.append(1)
            return [*GREETING, *entries]

        monkeypatch.setattr(devices, "may_have_gpu", lambda: True)
        monkeypatch.setattr(device_trials, "try_devices", try_devices)
        devices.trial().thread.join()
        return calls

    return prepared


def test_a_machine_without_a_gpu_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "may_have_gpu", lambda: False)
    monkeypatch.setattr(devices, "trial", lambda: pytest.fail("torch is started"))
    assert devices.offered() == ("auto", "cpu")
    assert devices.offered("cuda:1") == ("auto", "cpu", "cuda:1")
    assert devices.remark() == ""
    assert devices.absent("auto") == devices.absent("cpu") == devices.absent("tpu") == ""
    assert devices.absent("cuda:1") == (
        "This project trains on cuda:1, which this machine does not have or cannot use. Devices "
        "here: cpu. Choose one of them or auto; nothing else of the project depends on it."
    )


def test_each_gpu_that_made_a_step_is_offered_and_all_are_tried_once(tried: Any) -> None:
    calls = tried(cuda_0="", cuda_1="", mps="")
    assert devices.offered("cuda:1") == ("auto", "cpu", "cuda:0", "cuda:1", "mps")
    assert [devices.absent(name) for name in ("cuda:1", "cuda", "mps")] == ["", "", ""]
    assert "Devices here: cpu, cuda:0, cuda:1, mps." in devices.absent("cuda:2")
    assert devices.remark() == ""
    assert calls == [1]


def test_a_gpu_on_which_the_step_fails_is_left_out_with_its_reason(tried: Any) -> None:
    tried(cuda_0="", cuda_1="its driver ended the process with SIGSEGV")
    assert devices.offered() == ("auto", "cpu", "cuda:0")
    assert devices.remark() == (
        "cuda:1 is not available: one step of a small network fails on it "
        "(its driver ended the process with SIGSEGV)."
    )
    assert devices.absent("cuda:1").startswith("This project trains on cuda:1, which this machine")


def test_until_it_is_known_the_gpus_whose_files_are_there_are_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(devices, "may_have_gpu", lambda: True)
    monkeypatch.setattr(devices, "trial", lambda: type("Trial", (), {"entries": None}))
    monkeypatch.setattr(job_queue, "gpus", lambda: ["4", "7"])
    assert devices.offered() == ("auto", "cpu", "cuda:0", "cuda:1")
    assert devices.remark() == "Each GPU is being tried with one step."
    assert devices.absent("xpu:0") == ""


def test_files_of_drivers_are_what_makes_it_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "DEVICES", tmp_path)
    monkeypatch.setattr("sys.platform", "linux")
    assert not devices.may_have_gpu()
    (tmp_path / "dri").mkdir()
    (tmp_path / "dri/renderD128").touch()
    assert devices.may_have_gpu()
