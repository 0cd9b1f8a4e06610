"""What is refused before anything starts, and what each launcher has found on this machine."""

import socket
import subprocess
from pathlib import Path

import pytest

from core.common.errors import RunError
from core.settings.launcher import KINDS, Launcher
from core.wings.launch import launchers as catalogue
from core.wings.launch import ray_launcher
from core.worker.launchers import check_launcher, kinds, where


def test_every_kind_of_launcher_is_declared_once_and_whole() -> None:
    assert tuple(kind.name for kind in kinds()) == ("local", "torchrun", "ssh", "slurm", "ray")
    assert sorted(kind.name for kind in kinds()) == sorted(KINDS)
    for kind in kinds():
        assert all((kind.title, kind.summary, kind.needs, kind.cost))


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without ssh, Slurm and Ray."""

    def none(_: str) -> str:
        raise catalogue.PackageNotFoundError

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(catalogue, "version", none)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("launcher", "message", "hint"),
    [
        (Launcher("ssh", address="box"), "ssh was not found.", "Install the OpenSSH client."),
        (
            Launcher("slurm"),
            "sbatch, squeue, scancel were not found.",
            "Start Layerloom on a login node of the cluster.",
        ),
        (Launcher("ray"), "Ray is not installed.", "Install it: pip install 'layerloom[ray]'."),
    ],
)
def test_a_launcher_that_is_not_there_is_one_sentence(
    launcher: Launcher, message: str, hint: str
) -> None:
    with pytest.raises(RunError) as refused:
        check_launcher(launcher, {})
    assert (refused.value.message, refused.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("launcher", "message"),
    [
        (Launcher("torchrun", 2, 3), "The launcher torchrun uses one machine, not 3."),
        (Launcher("ssh", 1, 2, "box"), "The launcher ssh uses one machine, not 2."),
        (Launcher("torchrun", 2, 1, "box"), "The launcher torchrun takes no address."),
    ],
)
def test_numbers_that_a_launcher_has_no_use_for_are_refused(
    launcher: Launcher, message: str
) -> None:
    with pytest.raises(RunError) as refused:
        check_launcher(launcher, {})
    assert refused.value.message == message


def test_a_batch_that_cannot_be_divided_is_refused() -> None:
    with pytest.raises(RunError) as refused:
        check_launcher(Launcher("torchrun", 3), {"batch_size": 64})
    assert refused.value.message == "A batch of 64 samples cannot be divided among 3 processes."
    check_launcher(Launcher("torchrun", 4), {"batch_size": 64})


@pytest.mark.parametrize("address", ["box", "box:port", "http://box:6379", "-x:1"])
def test_an_address_that_is_no_cluster_is_refused(address: str) -> None:
    with pytest.raises(RunError, match="is not the address of a Ray cluster"):
        ray_launcher.check(Launcher("ray", address=address))


def test_a_port_where_nothing_listens_is_no_cluster() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(RunError) as refused:
        ray_launcher.check(Launcher("ray", address=f"127.0.0.1:{port}"))
    message = f"No Ray cluster answers at 127.0.0.1:{port}: Connection refused."
    assert refused.value.message == message


def test_a_cluster_that_listens_is_accepted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ray_launcher.check(Launcher("ray", address=f"127.0.0.1:{port}"))


def test_auto_is_the_cluster_that_ray_wrote_down_for_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    auto = Launcher("ray", address="auto")
    ray_launcher.check(auto)  # nothing is written down: Ray looks for itself
    (tmp_path / "ray").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    (tmp_path / "ray" / "ray_current_cluster").write_text(address)
    with pytest.raises(RunError) as refused:
        ray_launcher.check(auto)
    assert refused.value.message == f"No Ray cluster answers at {address}: Connection refused."
    monkeypatch.setenv("RAY_ADDRESS", "-x")
    with pytest.raises(RunError, match="is not the address of a Ray cluster"):
        ray_launcher.check(auto)


@pytest.mark.parametrize(
    ("status", "output", "sentence"),
    [
        (1, '{"message": "It has 2 processors."}\n', "It has 2 processors."),
        (1, "", "The Ray cluster at box:6379 cannot be used."),
        (None, "", "No Ray cluster answers at box:6379 within 90 s."),
    ],
)
def test_the_answer_of_a_cluster_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, status: int | None, output: str, sentence: str
) -> None:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        if status is None:
            raise subprocess.TimeoutExpired(command, 120)
        return subprocess.CompletedProcess(command, status, output.encode(), b"")

    monkeypatch.setattr(ray_launcher.child_process, "run", run)
    with pytest.raises(RunError) as refused:
        ray_launcher.check_cluster(Launcher("ray", address="box:6379"), 1)
    assert refused.value.message == sentence


def test_ray_neither_reports_nor_writes_a_token_unless_the_user_wants_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    assert ray_launcher.environment() == {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "token",
    }


@pytest.mark.parametrize(
    ("launcher", "words"),
    [
        (Launcher(), ""),
        (Launcher("torchrun", 4), "4 processes"),
        (Launcher("local", 2), "2 processes"),
        (Launcher("ssh", address="ada@box"), "ada@box"),
        (Launcher("slurm", 4, 2), "Slurm, 8 processes"),
        (Launcher("ray"), "Ray"),
    ],
)
def test_where_a_run_trains_is_a_few_words(launcher: Launcher, words: str) -> None:
    assert where(launcher.as_spec()) == words


@pytest.mark.parametrize("stored", [None, [], {"kind": "moon"}, {"processes": -1}])
def test_a_launcher_that_cannot_be_read_has_no_words(stored: object) -> None:
    assert where(stored) == ""


def test_the_page_of_launchers_has_the_row_of_every_one() -> None:
    page = (Path(__file__).parents[3] / "assets" / "wings" / "launch.md").read_text("utf-8")
    for kind in kinds():
        row = f"| `{kind.name}` | {kind.summary.rstrip('.')} | {kind.needs} | {kind.cost} |"
        assert row in page
