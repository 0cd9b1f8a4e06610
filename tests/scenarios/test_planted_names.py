"""No process of Layerloom imports a file of the folder somebody works in, whatever it is called.

Files with the names of all modules lie in the workspace, beside the project, in the home folder and
in what a bundle brought. Every command is typed there, and every button pressed that starts a
process; each file would leave a mark.

| names | places | doors |
|---|---|---|
| modules of the standard library, | the workspace, runs/, data/ | every command (WALK, SERVERS) |
| of every installed package, | the folder beside the project | `demo`; a bundle opened |
| and of Layerloom | the home folder | every button that starts a process |
| (`planted.names`) | all of these while the workbench runs | |

`pytest -rP` shows the marks that each door left: none.
"""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest

from app.cli import parser
from core.worker import child_process
from tests.browser.conftest import free_port
from tests.core.small_onnx import relu_net
from tests.scenarios import planted
from tests.wing_parts import rows

PATIENCE_S = 1200
BUTTONS = """
import sys
from pathlib import Path
from app.cli import entry
from app.process import pool
from app.services import module_process
from core.project.templates import list_templates
from core.worker import child_process, warm_worker

def ended(process):
    return process.wait(900)

if __name__ == "__main__":
    runs, run = Path("runs").absolute(), sys.argv[1]
    sys.argv = ["layerloom", "--version"]
    try:
        entry()
    except SystemExit:
        pass
    assert pool.run(abs, -3, timeout_s=900) == 3
    assert pool.call(list_templates, timeout_s=900)
    pool.close()
    log = runs / "log.txt"
    assert ended(module_process.start_layerloom(["sweep", "--resume", "absent"], log)) == 2
    assert ended(module_process.start_layerloom(["shrink", "absent"], log)) == 2
    board = module_process.start_tensorboard(runs / run / "tensorboard")
    assert board.stdout.readline().startswith("http")
    board.kill()
    for module in ("core.worker.compile_ahead", "core.worker.together"):
        ended(child_process.start(child_process.module(module, "absent"), own_session=True))
    core = child_process.ROOT / "core"
    for path in (core / "export/onnx_loads.py", *core.glob("wings/*/process.py")):
        command = child_process.module(str(path), "absent")  # some end with their whole session
        ended(child_process.start(command, own_session=True))
    warm_worker.warm(idle_s=1)
    print("all started")
"""
QUICK = ("json", "os", "random", "runpy", "subprocess", "typing", "core", "app", "sitecustomize")


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "mark"


def marks(mark: Path) -> list[str]:
    return mark.read_text("utf-8").splitlines() if mark.exists() else []


def test_a_module_that_is_run_as_a_process_imports_no_file_of_the_working_folder(
    tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    assert planted.plant([work], mark, QUICK) == len(QUICK)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PYTHONPATH", str(work))
    for cwd in (child_process.NEUTRAL, work):
        command = child_process.module("core.runs.files")
        done = child_process.run(command, cwd=cwd, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    assert marks(mark) == []


def test_what_is_planted_leaves_a_mark(tmp_path: Path, mark: Path) -> None:
    planted.plant([tmp_path / "work"], mark, ["random"])
    usual = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}  # as others leave it
    command = [sys.executable, "-c", "import random"]
    subprocess.run(command, cwd=tmp_path / "work", env=usual, check=True)
    assert marks(mark) == [str(tmp_path / "work" / "random.py")]


class Place:
    """A folder full of planted files in which commands are typed."""

    def __init__(self, folder: Path, mark: Path) -> None:
        self.folder, self.mark = folder, mark
        self.work, self.project, self.home = folder / "work", folder / "beside", folder / "home"
        self.planted = planted.plant(
            [self.work, self.work / "runs", self.work / "data", self.project, self.home], mark,
            planted.names(),
        )  # fmt: skip
        self.file = self.project / "net.loom.json"
        copyfile(planted.ROOT / "projects" / "mlp_iris.loom.json", self.file)
        copyfile(self.file, self.work / "net.loom.json")
        self.command = planted.layerloom(folder)
        self.environment = planted.environment(self.home)
        self.doors: list[str] = []

    def type(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Type a command in the workspace."""
        done = subprocess.run(
            [*self.command, *words], cwd=self.work, env=self.environment, text=True,
            capture_output=True, timeout=PATIENCE_S, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        self.left_nothing(words)
        return done

    def left_nothing(self, words: tuple[str, ...]) -> None:
        """Note what a door left: no mark."""
        found = marks(self.mark)
        self.doors.append(f"| {' '.join(words)} | {self.planted:,} | {len(found)} |")
        assert found == [], words

    def served(self, *words: str, path: str) -> None:
        """Type a command that serves, wait until it answers, and end it as Ctrl-C does."""
        port = free_port()
        command = [*self.command, *words, "--port", str(port)]
        with subprocess.Popen(command, cwd=self.work, env=self.environment) as server:
            try:
                wait_for(f"http://localhost:{port}{path}", server)
            finally:
                server.send_signal(signal.SIGINT)
        self.left_nothing(words)

    def run_names(self) -> list[str]:
        """The runs of the workspace, the first one first."""
        return sorted(file.parent.name for file in (self.work / "runs").glob("*/spec.json"))


def wait_for(address: str, server: "subprocess.Popen[bytes]") -> None:
    """Wait until a server answers."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            urllib.request.urlopen(address, timeout=PATIENCE_S).close()
            return
        except urllib.error.URLError:
            assert server.poll() is None
            assert time.monotonic() < end
            time.sleep(0.2)


@pytest.fixture
def place(tmp_path: Path, mark: Path) -> Iterator[Place]:
    place = Place(tmp_path, mark)
    assert place.planted > 1000
    yield place
    print("| door | files | marks |\n|---|---|---|", *place.doors, sep="\n")  # noqa: T201
    assert marks(mark) == []


PROJECT, MODEL = "net.loom.json", "small.onnx"
COMMANDS = frozenset(re.findall(r"^    ([a-z-]+)(?:  |$)", parser().format_help(), re.MULTILINE))
MADE_BY = {"imported.loom.json": "import"}
WAY = (
    ("check", PROJECT),
    ("check", "{beside}"),
    ("summary", "{beside}"),
    ("plan", "{beside}", "--gpus", "2", "--memory", "8"),
    ("data", PROJECT),
    ("code", PROJECT),
    ("code", "{beside}", "--as", "script"),
    ("new", "--list"),
    ("blocks",),
    ("doctor",),
    ("trust", PROJECT, "--list"),
    ("merge", PROJECT, PROJECT, "{beside}", "-o", "merged.loom.json"),
    ("diff", PROJECT, "{beside}"),
    ("import", MODEL, "-o", "imported.loom.json"),
    ("check", "imported.loom.json"),
    ("slice", PROJECT, "--to", "relu1", "-o", "part.loom.json"),
    ("card", "--list", PROJECT),
    ("git-setup",),
    ("git-diff", PROJECT, PROJECT, "0a", "100644", "{beside}", "0b", "100644"),
    ("train", PROJECT, "--set", "epochs=2"),
    ("runs",),
    ("compare", "{run}", "{run}"),
    ("look", "{run}", "--what", "saliency"),
    ("train", PROJECT, "--set", "epochs=100000", "--detach"),
    ("pause", "{second}"),
    ("resume", "{second}", "--detach"),
    ("checkpoint", "{second}"),
    ("stop", "{second}"),
    ("export", "{run}", "--format", "onnx", "-o", "net.onnx"),
    ("sweep", PROJECT, "--search", "seed=0,1", "--set", "epochs=1"),
    ("shrink", "{run}", "--try", "onnx-half"),
    *rows("typed", "WALK").values(),
)
"""Every command, in the order in which each has what it needs."""
WALK = [row for row in WAY if {row[0], *(MADE_BY[w] for w in row if w in MADE_BY)} <= COMMANDS]
"""Those of wings that are here."""
SERVERS = (
    (("open", PROJECT, "--no-browser"), "/_stcore/health"),
    *rows("typed", "SERVERS").values(),
)


@pytest.mark.slow
@pytest.mark.timeout(6 * PATIENCE_S)
def test_no_command_imports_what_lies_where_it_is_typed(place: Place) -> None:
    subprocess.run(["git", "init", "-q"], cwd=place.work, check=True)
    relu_net(place.work / MODEL)
    known, failed = {"beside": str(place.file)}, list[str]()
    for words in WALK:
        done = place.type(*(word.format(**known) for word in words))
        failed += [f"{words}: {done.stderr[-500:]}"] if done.returncode else []
        if words[0] == "train":
            known["run"], known["second"] = place.run_names()[0], place.run_names()[-1]
    for words, path in SERVERS:
        place.served(*(word.format(**known) for word in words), path=path)
    assert failed == []


@pytest.mark.slow
@pytest.mark.timeout(6 * PATIENCE_S)
def test_the_demo_imports_nothing_of_the_folder_where_it_is_typed(place: Place) -> None:
    assert place.type("demo", "--out", "out").returncode == 0


def test_the_walk_leaves_out_no_command() -> None:
    walked = {words[0] for words in WALK} | {words[0] for words, _ in SERVERS} | {"demo"}
    assert walked == COMMANDS


@pytest.mark.slow
@pytest.mark.timeout(6 * PATIENCE_S)
def test_no_button_that_starts_a_process_imports_what_lies_in_the_workspace(place: Place) -> None:
    assert place.type("train", PROJECT, "--set", "epochs=1").returncode == 0
    run = place.run_names()[0]
    script = place.folder / "bin" / "buttons"
    script.write_text(f"import sys\nsys.path.append({str(planted.ROOT)!r})\n{BUTTONS}", "utf-8")
    done = subprocess.run(
        [sys.executable, str(script), run], cwd=place.work, env=place.environment, text=True,
        capture_output=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1:] == ["all started"], done.stderr[-2000:]


@pytest.mark.slow
def test_a_file_that_arrives_while_the_workbench_runs_is_not_imported(
    tmp_path: Path, mark: Path
) -> None:
    work, home, port = tmp_path / "work", tmp_path / "home", free_port()
    work.mkdir()
    command = [*planted.layerloom(tmp_path), "open", "--no-browser", "--port", str(port)]
    server = subprocess.Popen(command, cwd=work, env=planted.environment(home))
    try:
        planted.plant([work, home], mark, planted.names())
        end = time.monotonic() + PATIENCE_S
        while not [path for path in children(server.pid) if "multiprocessing" in path]:
            assert time.monotonic() < end
            time.sleep(0.2)
        urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=600).close()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(600)
    assert marks(mark) == []


def children(pid: int) -> list[str]:
    """The commands of the processes that a process has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid:
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except (OSError, ValueError):
            continue
    return found
