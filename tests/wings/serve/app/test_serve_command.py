"""`layerloom serve` as a process: many at once, a calm end, a kill and a restart."""

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from app.cli import main

SAMPLE = {"samples": [{"image": [0.0] * 64}]}
Start = Callable[..., tuple["subprocess.Popen[str]", dict[str, Any]]]


@pytest.fixture
def start(run: Path) -> Iterator[Start]:
    """Start a server of the run, and wait until it says where it is."""
    processes = list[subprocess.Popen[str]]()

    def begin(*options: str) -> tuple["subprocess.Popen[str]", dict[str, Any]]:
        command = [sys.executable, "-m", "app.cli", "serve", str(run), "--json", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        text = ""
        while "}" not in text:
            line = process.stdout.readline()
            assert line, process.wait()
            text += line
        return process, json.loads(text)

    yield begin
    for process in processes:
        process.kill()
        process.wait()


def asked(address: str, body: Any = None, path: str = "/predict") -> bytes:
    content = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(
        urllib.request.Request(address + path, content), timeout=600
    ) as got:
        return got.read()


def answer(address: str) -> dict[str, Any]:
    return json.loads(asked(address, SAMPLE))["predictions"][0]["logits"]


@pytest.mark.alone
@pytest.mark.gate
def test_two_hundred_at_once_then_killed_and_served_again(start: Start, run: Path) -> None:
    server, started = start()
    address = started["address"]
    assert (started["run"], started["token"]) == (run.name, None)
    first = answer(address)
    with ThreadPoolExecutor(50) as clients:
        answers = list(clients.map(lambda _: answer(address), range(200)))
    assert [each["class"] for each in answers] == [first["class"]] * 200
    assert max(abs(e["probability"] - first["probability"]) for e in answers) < 1e-5
    counts = asked(address, path="/metrics").decode().splitlines()
    assert "layerloom_samples_total 201" in counts
    batches = next(int(x.split()[1]) for x in counts if x.startswith("layerloom_batch_size_count"))
    assert batches < 201  # some shared one
    server.kill()
    assert server.wait(600) == -signal.SIGKILL
    port = address.rpartition(":")[2]
    again, started = start("--port", port)
    assert started["address"] == address
    assert answer(address) == first
    with ThreadPoolExecutor(8) as clients:  # asked before the end, answered all the same
        waiting = [clients.submit(asked, address, SAMPLE) for _ in range(8)]
        waiting[0].result(120)
        again.send_signal(signal.SIGTERM)
        done = [each for each in waiting if each.exception(120) is None]
    assert again.wait(600) == 0
    assert len(done) >= 1
    with pytest.raises(OSError, match="refused"):
        asked(address, SAMPLE)


def test_wrong_uses_are_reported_before_anything_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words, message in {
        ("nobody",): "There is no run called nobody in runs.",
        ("nobody", "--port", "70000"): "70000 is not a port.",
        ("nobody", "--host", "203.0.113.7"): "203.0.113.7 is not an address of this machine.",
    }.items():
        assert main(["serve", *words]) == 2
        assert message in capsys.readouterr().err
