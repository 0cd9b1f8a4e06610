"""Each device is tried by one real step in another process, which a driver may crash or hang."""

import json
import subprocess
from typing import Any

import pytest
import torch

from app.cli import doctor
from core.engine import device_trial
from core.worker import child_process, device_trials

CPU = {"device": "cpu", "name": "CPU", "fault": ""}
CARD = {"device": "cuda:0", "name": "NVIDIA H100", "memory_bytes": 80 * 2**30, "fault": ""}
LOOKING = {"device": "gpu"}


def printed(*lines: dict[str, Any]) -> bytes:
    return b"a driver greets\n" + b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have the program end as listed, one after the other; gives what each was started with."""

    def prepared(*ends: Any) -> list[list[str]]:
        started: list[list[str]] = []
        left = iter(ends)

        def run(command: list[str], **_: Any) -> Any:
            started.append(command[command.index("core.engine.device_trial") + 1 :])
            end = next(left)
            if isinstance(end, Exception):
                raise end
            status, out = end
            return subprocess.CompletedProcess(command, status, out)

        monkeypatch.setattr(child_process, "run", run)
        return started

    return prepared


def test_a_driver_that_crashes_fails_its_device_and_the_others_are_tried(program: Any) -> None:
    started = program(
        (-11, printed({"device": "cpu"}, CPU, LOOKING, {"device": "cuda:0"})),
        (0, printed(LOOKING, {"device": "cuda:1"}, {**CARD, "device": "cuda:1"})),
    )
    found = {e["device"]: e["fault"] for e in device_trials.try_devices()}
    assert found == {"cpu": "", "cuda:0": "its driver ended the process with SIGSEGV", "cuda:1": ""}
    assert started == [[], ["cpu", "cuda:0"]]


def test_a_driver_that_hangs_while_gpus_are_looked_for_is_named(program: Any) -> None:
    hung = subprocess.TimeoutExpired("python", 120, printed({"device": "cpu"}, CPU, LOOKING))
    started = program(hung, (0, b""))
    assert device_trials.try_devices() == [
        CPU,
        {"device": "gpu", "name": "", "fault": "its driver did not answer within 120 s"},
    ]
    assert started == [[], ["cpu", "gpu"]]


def test_a_python_that_cannot_start_ends_the_trial(program: Any) -> None:
    program(OSError("no more processes"))
    assert device_trials.try_devices() == []


def test_the_program_tries_what_is_not_known_yet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(device_trial, "seen", lambda: ["cpu", "cuda:0", "cuda:1"])
    monkeypatch.setattr(device_trial, "called", lambda device: device.upper())
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: type("", (), CARD | {
        "total_memory": 7}))  # fmt: skip
    monkeypatch.setattr(
        device_trial, "_step", lambda device: device == "cuda:1" and torch.ones(2) @ torch.ones(3)
    )
    device_trial.main(["cpu"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["device"] for line in lines] == ["gpu", "cuda:0", "cuda:0", "cuda:1", "cuda:1"]
    assert lines[2] == {"device": "cuda:0", "name": "CUDA:0", "memory_bytes": 7, "fault": ""}
    assert lines[4]["fault"].startswith("inconsistent tensor size")
    device_trial.main(["cpu", "gpu"])
    assert capsys.readouterr().out == ""


def test_the_doctor_prints_what_became_of_each_step(program: Any) -> None:
    broken = {"device": "mps", "name": "Apple GPU", "fault": "MPS backend out of memory"}
    program((0, printed(CPU, LOOKING, CARD, broken)))
    lines = doctor.written(
        {"layerloom": "1", "python": "3.12", "system": "Linux", "cores": 2, "threads": 1,
         "devices": doctor.devices(), "launchers": {}, "libraries": {}, "programs": {}}
    )  # fmt: skip
    assert lines[3:6] == [
        "  cpu      CPU: test step passed",
        "  cuda:0   NVIDIA H100, 80 GiB: test step passed",
        "  mps      Apple GPU: test step failed (MPS backend out of memory)",
    ]


@pytest.mark.slow
def test_this_machine_makes_a_step_on_its_processor() -> None:
    first = device_trials.try_devices()[0]
    assert (first["device"], first["fault"]) == ("cpu", "")
