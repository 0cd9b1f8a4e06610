"""TensorBoard on a run: it answers on loopback with what the run wrote, and ends when it shall."""

import json
import re
import subprocess
import tempfile
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from tensorboardX import SummaryWriter

from app.services import module_process, tensorboard
from core.worker import child_process

ROOT = Path(__file__).parents[3]


@pytest.fixture
def run(tmp_path):
    """A run that has written one number for TensorBoard."""
    with SummaryWriter(str(tmp_path / "lenet-001" / "tensorboard"), filename_suffix="") as writer:
        writer.add_scalar("step/loss", 0.5, 1)
    written = next((tmp_path / "lenet-001" / "tensorboard").iterdir())
    written.rename(written.with_name("events.out.tfevents.1"))
    yield tmp_path / "lenet-001"
    tensorboard.close()


@pytest.mark.gate
def test_it_serves_the_numbers_of_the_run_until_it_is_ended(run):
    assert tensorboard.unavailable(run) == ""
    assert tensorboard.address(run) == ""
    address = tensorboard.begin(run)
    assert address.startswith("http://127.0.0.1:")
    assert tensorboard.begin(run) == tensorboard.address(run) == address
    asked = f"{address}data/plugin/scalars/scalars?run=.&tag=step/loss"
    with urlopen(asked, timeout=600) as answer:
        assert [point[1:] for point in json.load(answer)] == [[1, 0.5]]  # behind the time
    tensorboard.end(run)
    assert tensorboard.address(run) == ""
    with pytest.raises(URLError):
        urlopen(address, timeout=600)


@pytest.mark.gate
def test_it_ends_with_the_process_that_started_it(run):
    command = child_process.module(module_process.TENSORBOARD, str(run / "tensorboard"))
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as board:
        assert board.stdout.readline().startswith("http://127.0.0.1:")
        board.stdin.close()  # as when the server is gone
        assert board.wait(timeout=600) == 0


def test_without_event_files_or_the_package_it_says_why(run, tmp_path, monkeypatch):
    assert tensorboard.unavailable(tmp_path / "other").startswith("This run has written nothing")
    monkeypatch.setattr(tensorboard, "find_spec", lambda name: None)
    assert tensorboard.unavailable(run) == (
        "TensorBoard is not installed here: pip install tensorboard."
    )


@pytest.mark.gate
def test_another_user_of_the_machine_reads_nothing_of_it(run: Path) -> None:
    address = tensorboard.begin(run)
    server, secret = urlsplit(address).netloc, urlsplit(address).path
    assert re.fullmatch(r"/[\w-]{32}/", secret)
    for path in ("/", "/data/logdir", "/data/plugin/scalars/tags", f"{secret[:-2]}/data/logdir"):
        with pytest.raises(HTTPError) as refused:
            urlopen(f"http://{server}{path}", timeout=600)
        assert refused.value.code == 404
        refused.value.close()
    assert not any(secret[1:-1] in text for text in process_list())
    assert not (Path(tempfile.gettempdir()) / ".tensorboard-info").exists()


def process_list() -> list[str]:
    """Commands and environments of all processes, as far as they can be read."""
    found = []
    for file in (*Path("/proc").glob("[0-9]*/cmdline"), *Path("/proc").glob("[0-9]*/environ")):
        try:
            found.append(file.read_text("utf-8", "replace"))
        except OSError:
            continue
    return found
