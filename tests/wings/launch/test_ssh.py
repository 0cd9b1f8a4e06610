"""A machine by ssh: what is refused, what is copied there and what may come back."""

import io
import os
import tarfile
from importlib.metadata import version
from pathlib import Path
from platform import python_version

import pytest

from core.common.errors import DataError, RunError
from core.common.version import layerloom_version
from core.runs.files import read_json, write_json
from core.settings.launcher import Launcher
from core.wings.launch import driver, ssh, ssh_copy, ssh_host
from core.wings.launch.ssh import SshJob
from core.wings.launch.ssh_host import SshHost
from tests.core.worker.faulty_disk import Disk
from tests.wings.launch import fake_ssh

VERSIONS = (
    'if [ "$1" = --version ]; then echo "layerloom {0}"; exit; fi\n'
    'if [ "$1" = doctor ]; then echo \'{{"python": "{1}", "libraries": {{"torch": "{2}"}}}}\'; fi\n'
)
"""What the command there answers."""
STARTS = (
    'if [ "$1" = resume ]; then echo hello > "$2/log.txt"; pwd > "$2/events.jsonl"; '
    'echo \'{"attempt": 1, "state": "finished"}\' > "$2/status.json"; '
    'echo "{}" > "$2/exit.json"; fi'
)


def there(layerloom: str = "", python: str = "", torch: str = "") -> str:
    """The command of a machine with these versions, ours where nothing is given."""
    ours = layerloom_version(), python_version(), version("torch").partition("+")[0] + "+cu130"
    given = (layerloom, python, torch)
    return VERSIONS.format(*(one or other for one, other in zip(given, ours, strict=True)))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a machine that ssh reaches, with the same versions."""
    fake_ssh.install(tmp_path / "bin", tmp_path / "there", there() + STARTS)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "there"


@pytest.fixture
def run_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run folder as far as a job needs one."""
    folder = tmp_path / "work" / "runs" / "iris 001"
    folder.mkdir(parents=True)
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path / "work"))
    launcher = Launcher("ssh", processes=2, address="box").as_spec()
    write_json(folder / "spec.json", {"threads": 1, "data": {}, "launcher": launcher})
    write_json(folder / "control.json", {"attempt": 1, "want": "run", "seq": 1, "from": "last"})
    (folder / "model.py").write_text("made here")
    return folder


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The launcher ssh needs a machine."),
        ("-oProxyCommand=touch", '"-oProxyCommand=touch" is not the address of a machine.'),
        ("a b", '"a b" is not the address of a machine.'),
        ("a;ls", '"a;ls" is not the address of a machine.'),
        ("a\x1b[2J", '"a\\u001b[2J" is not the address of a machine.'),
    ],
)
def test_an_address_that_ssh_could_misread_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(RunError) as refused:
        SshHost(text)
    assert refused.value.message == sentence


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("gone", '"connect to host gone port 22: Connection refused"'),
        ("locked", '"locked: Permission denied (publickey)."'),
    ],
)
def test_a_machine_that_does_not_answer_is_named_with_the_reason(
    address: str, sentence: str
) -> None:
    with pytest.raises(RunError) as refused:
        ssh_host.check(SshHost(address))
    assert refused.value.message == f"{address} does not answer by ssh: {sentence}."
    assert f"ssh-copy-id {address}" in refused.value.hint


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (there(layerloom="0.0.1"), "box has Layerloom 0.0.1, this machine has "),
        (there(python="3.9.2"), "box has Python 3.9, this machine has "),
        (there(torch="1.0.0+cpu"), "box has torch 1.0.0, this machine has "),
        ("exit 3", "layerloom was not found on box: no reason was given."),
    ],
)
def test_versions_that_differ_are_refused(
    home: Path, tmp_path: Path, answers: str, sentence: str
) -> None:
    fake_ssh.install(tmp_path / "bin", home, answers)
    with pytest.raises(RunError) as refused:
        ssh_host.check(SshHost("box"))
    assert refused.value.message.startswith(sentence)


@pytest.mark.usefixtures("home")
def test_a_build_of_the_same_torch_is_the_same_version() -> None:
    ssh_host.check(SshHost("ada@box"))


def test_a_machine_without_layerloom_is_told_how_to_install_it(home: Path) -> None:
    (home / "bin" / "layerloom").unlink()
    with pytest.raises(RunError) as refused:
        ssh_host.check(SshHost("box"))
    assert refused.value.message.startswith("layerloom was not found on box: ")
    assert refused.value.hint == f"Install it there: pip install layerloom=={layerloom_version()}."


def test_a_run_is_sent_trained_brought_back_and_removed_there(home: Path, run_dir: Path) -> None:
    (run_dir.parents[1] / "data").mkdir()
    (run_dir.parents[1] / "data" / "x.csv").write_text("1,2\n")
    spec = read_json(run_dir / "spec.json")
    write_json(run_dir / "spec.json", {**spec, "data": {"source": "CSV", "file": "data/x.csv"}})
    job = SshJob(run_dir, Launcher.read(spec))
    job.begin()
    folder = home / job.folder
    assert (folder / "data" / "x.csv").read_text() == "1,2\n"
    assert (folder / "iris-001" / "model.py").read_text() == "made here"
    assert read_json(folder / "iris-001" / "spec.json")["launcher"]["kind"] == "torchrun"
    assert not (folder / "iris-001" / "control.json").exists()
    assert driver.follow(run_dir, job, []).state == "ended"
    job.finish()
    assert (run_dir / "log.txt").read_text() == "hello\n"
    assert read_json(run_dir / "status.json") == {"attempt": 1, "state": "finished"}
    assert not (run_dir / "exit.json").exists()
    assert not folder.exists()
    assert not (run_dir / "launch.json").exists()


def test_a_run_that_cannot_be_started_leaves_nothing_there(
    home: Path, tmp_path: Path, run_dir: Path
) -> None:
    refuse = 'if [ "$1" = resume ]; then echo "error: disk full" >&2; exit 1; fi'
    fake_ssh.install(tmp_path / "bin", home, there() + refuse)
    job = SshJob(run_dir, Launcher("ssh", address="box"))
    with pytest.raises(RunError) as refused:
        job.begin()
    assert refused.value.message == 'box could not start the run: "error: disk full".'
    assert list((home / "layerloom-runs").iterdir()) == []


def test_a_request_reaches_the_run_there(home: Path, run_dir: Path) -> None:
    job = SshJob(run_dir, Launcher("ssh", address="box"))
    job.begin()
    (home / job.folder / job.name / "exit.json").unlink()
    write_json(run_dir / "control.json", {"attempt": 1, "want": "stop", "seq": 2, "roots": ["/a"]})
    assert job.look().state == "running"
    sent = read_json(home / job.folder / job.name / "control.json")
    assert sent == {"attempt": 1, "want": "stop", "seq": 2}


def test_a_connection_that_is_cut_ends_nothing_and_goes_on(home: Path, run_dir: Path) -> None:
    job = SshJob(run_dir, Launcher("ssh", address="box"))
    job.begin()
    (home / "cut").touch()
    assert job.look().state == "running"
    (home / "cut").unlink()
    assert job.look().state == "ended"


@pytest.mark.parametrize("part", [0, 100, 512, 1024, 1500, 2048, 4000])
def test_results_that_came_in_part_are_not_called_finished(
    home: Path, run_dir: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.setattr(ssh, "LOST_S", 0.0)
    job = SshJob(run_dir, Launcher("ssh", address="box"))
    job.begin()
    (home / "back").write_text(str(part))
    assert job.look().state == "running"
    assert not (run_dir / "status.json").exists()
    with pytest.raises(RunError) as refused:
        job.finish()
    assert refused.value.message.startswith("The results could not be copied from box: ")
    assert refused.value.hint == "They are kept there; resume copies them again."
    assert not (run_dir / "status.json").exists()
    (home / "back").unlink()
    assert job.look().state == "ended"  # what was packed then did not arrive, so it is packed again
    job.finish()
    assert read_json(run_dir / "status.json") == {"attempt": 1, "state": "finished"}
    assert (run_dir / "log.txt").read_text() == "hello\n"
    assert list((home / "layerloom-runs").iterdir()) == []


@pytest.mark.parametrize(
    ("state", "started"), [("finished", False), ("stopped", True), ("crashed", True)]
)
def test_a_resumed_run_first_takes_what_was_kept_there(
    home: Path, tmp_path: Path, run_dir: Path, state: str, started: bool
) -> None:
    job = SshJob(run_dir, Launcher("ssh", address="box"))
    job.begin()
    (home / job.folder / job.name / "ckpt").mkdir()
    (home / job.folder / job.name / "ckpt" / "last.pt").write_text("newer")
    stands = f'if [ "$1" = runs ]; then echo \'[{{"state": "{state}"}}]\'; fi\n'
    again = 'if [ "$1" = resume ]; then touch "$HOME/again"; fi'
    fake_ssh.install(tmp_path / "bin", home, there() + stands + again)
    later = SshJob(run_dir, Launcher("ssh", address="box"))
    later.begin()
    assert (home / "again").exists() == started
    assert later.look().state == "ended"
    later.finish()
    assert (run_dir / "ckpt" / "last.pt").read_text() == "newer"


@pytest.mark.parametrize("part", [0, 512, 700, 1024])
def test_a_run_that_was_sent_in_part_is_not_started(home: Path, run_dir: Path, part: int) -> None:
    ssh_host.check(SshHost("box"))
    job = SshJob(run_dir, Launcher("ssh", address="box"))
    (home / "sent").write_text(str(part))
    with pytest.raises(RunError) as refused:
        job._send()
    assert refused.value.message.startswith("box does not answer by ssh: ")
    assert not (home / job.folder / job.name / "spec.json").exists()
    (home / "sent").unlink()
    job.begin()
    assert job.look().state == "ended"


def test_data_that_cannot_be_read_here_is_named(home: Path, run_dir: Path) -> None:
    data = run_dir.parents[1] / "data"
    data.mkdir()
    (data / "a.csv").write_text("1")
    spec = {"threads": 1, "data": {"source": "CSV", "file": "data/a.csv"}}
    write_json(run_dir / "spec.json", spec)
    job = SshJob(run_dir, Launcher("ssh", address="box"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tarfile.TarFile, "add", unreadable)
        with pytest.raises(RunError) as refused:
            job.begin()
    assert refused.value.message == (
        'The run could not be copied to box: "a.csv cannot be read here: Permission denied".'
    )
    (data / "a.csv").unlink()
    with pytest.raises(DataError, match=r"a\.csv"):
        job.begin()
    assert list((home / "layerloom-runs").iterdir()) == []


def unreadable(*_: object, **__: object) -> None:
    """As a file that belongs to somebody else."""
    raise PermissionError(13, "Permission denied", "a.csv")


def archive(tmp_path: Path, **files: str) -> list[str]:
    """A command that prints an archive with these files."""
    path = tmp_path / "made.tar"
    with tarfile.open(path, "w") as made:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            made.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("run/ckpt/last.pt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    return ["cat", str(path)]


def test_only_files_of_a_worker_come_back(tmp_path: Path) -> None:
    here = tmp_path / "run"
    here.mkdir()
    (here / "spec.json").write_text("ours")
    names = ("run/spec.json", "run/model.py", "run/project.loom.json", "run/control.json",
             "run/../outside", "/run/log.txt", "other/log.txt", "run/.log.txt", "run/ckpt",
             "run/ckpt/a/b/c/d", "run/live/\x1b.json")  # fmt: skip
    wanted = {"run/log.txt": "log", "run/ckpt/best.pt": "weights", "run/status.json": "{}"}
    got = ssh_copy.fetch(archive(tmp_path, **dict.fromkeys(names, "theirs"), **wanted), here, "run")
    assert got.files == ("log.txt", "ckpt/best.pt", "status.json")
    found = {str(path.relative_to(here)): path.read_text() for path in here.rglob("*.*")}
    assert found == {
        "spec.json": "ours",
        "log.txt": "log",
        "ckpt/best.pt": "weights",
        "status.json": "{}",
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.tar", "run"]


def test_checkpoints_that_are_gone_there_go_here(tmp_path: Path) -> None:
    here = tmp_path / "run"
    (here / "ckpt").mkdir(parents=True)
    (here / "ckpt" / "epoch-000001.pt").write_text("old")
    command = archive(tmp_path, **{"run/ckpt/best.pt": "new"})
    assert ssh_copy.fetch(command, here, "run", whole=True).files == ("ckpt/best.pt",)
    assert [path.name for path in (here / "ckpt").iterdir()] == ["best.pt"]


def test_a_disk_that_is_full_here_takes_no_result_and_says_so(
    home: Path, run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "LOST_S", 0.0)
    job = SshJob(run_dir, Launcher("ssh", address="box"))
    job.begin()
    with monkeypatch.context() as patch:
        Disk(run_dir, first=1, many=99).install(patch)
        assert job.look().state == "running"
        with pytest.raises(RunError, match="cannot be written here: No space left on device"):
            job.finish()
    assert sorted(path.name for path in run_dir.iterdir()) == [
        "control.json", "launch.json", "model.py", "spec.json",
    ]  # fmt: skip
    assert job.look().state == "ended"
    job.finish()
    assert read_json(run_dir / "status.json")["state"] == "finished"


def test_nothing_is_deleted_behind_a_link(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    (elsewhere / "thesis.txt").write_text("mine")
    (here / "probe").symlink_to(elsewhere)
    command = archive(tmp_path, **{"run/ckpt/best.pt": "new"})
    assert ssh_copy.fetch(command, here, "run", whole=True).files == ("ckpt/best.pt",)
    assert (elsewhere / "thesis.txt").read_text() == "mine"
