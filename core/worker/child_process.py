"""The one way in which Layerloom starts a process: none imports what a project brought along.

The folder that somebody works in, the workspace and the folder of a project hold files of others,
and one of them may be called random.py. So a process begins outside of them, Python does not look
there (-P), and what else leads it elsewhere (PYTHONPATH and the like) is left out. It finds
Layerloom by `run_module.py`, which is beside this file.

The standard library only: the supervisor of a run imports this without the packages around it.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Executor as Pool

ROOT = Path(__file__).resolve().parents[2]
"""The folder that Layerloom is imported from."""
RUN_MODULE = Path(__file__).with_name("run_module.py")
NEUTRAL = "/"
"""The folder in which a process starts: nothing in it belongs to a project."""
FOLDERS = "LAYERLOOM_PYTHONPATH"
"""Further folders of packages, which whoever starts Layerloom names, as PYTHONPATH does."""
PLACES = (
    "LAYERLOOM_BESIDE",
    "LAYERLOOM_DATA",
    "LAYERLOOM_HOME",
    "LAYERLOOM_OPEN",
    "LAYERLOOM_RUNS",
    "LAYERLOOM_WORKSPACE",
)
"""Variables that name a folder or a file of the user's."""
HARMLESS = frozenset(
    {
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONFAULTHANDLER",
        "PYTHONHASHSEED",
        "PYTHONIOENCODING",
        "PYTHONMALLOC",
        "PYTHONNOUSERSITE",
        "PYTHONPYCACHEPREFIX",
        "PYTHONUNBUFFERED",
        "PYTHONUSERBASE",
        "PYTHONUTF8",
    }
)
"""Variables of Python that lead it to no code but what is installed."""
left_out: list[str] = []
"""Folders of PYTHONPATH in which this process looks no more."""
PIPE, DEVNULL, STDOUT = subprocess.PIPE, subprocess.DEVNULL, subprocess.STDOUT
Process = subprocess.Popen
Finished = subprocess.CompletedProcess
TimeoutExpired = subprocess.TimeoutExpired
Stream = int | IO[Any] | None


def module(name: str, *words: str) -> list[str]:
    """The command that runs a module of Layerloom, `core.worker.main`, or the file of one."""
    return [sys.executable, "-P", str(RUN_MODULE), name, *words]


def alone(file: Path, *words: str) -> list[str]:
    """The command that runs a file by the standard library only."""
    return [sys.executable, "-I", "-S", str(file), *words]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a process: ours without what would lead Python elsewhere, and `more`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON") or k in HARMLESS}
    folders = os.pathsep.join(handed_folders())
    given = {FOLDERS: folders} if folders else {}
    return {**kept, **given, "PYTHONSAFEPATH": "1", **(more or {})}


def handed_folders() -> list[str]:
    """Folders of packages beside those of this Python, absolute.

    Those of LAYERLOOM_PYTHONPATH; of PYTHONPATH those in which nobody who works here can put a
    file, as a cluster has them.
    """
    named = os.environ.get(FOLDERS, "").split(os.pathsep)
    installed = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    installed = [folder for folder in installed if not os.access(folder, os.W_OK)]
    found = dict.fromkeys([*named, *installed])
    return [folder for folder in found if Path(folder).is_absolute() and Path(folder).is_dir()]


def start(
    command: Sequence[str],
    *,
    cwd: str | Path = NEUTRAL,
    more: Mapping[str, str] | None = None,
    env: Mapping[str, str] | None = None,
    stdin: Stream = DEVNULL,
    stdout: Stream = DEVNULL,
    stderr: Stream = DEVNULL,
    text: bool = False,
    own_session: bool = False,
    keep: Sequence[int] = (),
) -> "subprocess.Popen[Any]":
    """Start a process. Raises OSError.

    more: of its environment, in addition to `environment()`; env: all of it, where `environment()`
    was asked for earlier. stderr: None leaves it to ours. keep: open files that it inherits.
    """
    return subprocess.Popen(
        command,
        cwd=cwd,
        env=environment(more) if env is None else env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        text=text,
        start_new_session=own_session,
        pass_fds=tuple(keep),
    )


def run(
    command: Sequence[str],
    *,
    cwd: str | Path | None = NEUTRAL,
    more: Mapping[str, str] | None = None,
    content: Any = None,
    text: bool = False,
    timeout_s: float | None = None,
) -> "subprocess.CompletedProcess[Any]":
    """Run a process to its end; what it prints is in the answer. Raises OSError, TimeoutExpired.

    content: what it reads, bytes, or a str with `text`. cwd: None for the working folder, which a
    program that is no Python may need.
    """
    given: dict[str, Any] = {"stdin": DEVNULL} if content is None else {"input": content}
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment(more),
        capture_output=True,
        text=text,
        timeout=timeout_s,
        check=False,
        **given,
    )


def pool(initializer: Callable[..., None] | None = None, preload: Sequence[str] = ()) -> "Pool":
    """A pool of one process, which looks for modules where this one does, tidied.

    preload: modules that are imported once for all such processes, where the system can do so.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    from core.worker import forked_pool

    tidy_process()
    if forked := forked_pool.forked(_begin, places(), initializer):
        return forked
    forks = bool(preload) and "forkserver" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if forks else "spawn")
    if forks:
        context.set_forkserver_preload(list(preload))
    return ProcessPoolExecutor(1, context, initializer=_begin, initargs=(places(), initializer))


def _begin(places: Mapping[str, str], initializer: Callable[..., None] | None) -> None:
    """Leave the folder that the pool's owner works in, then prepare."""
    os.environ.update(places)
    os.chdir(NEUTRAL)
    if initializer:
        initializer()


def places() -> dict[str, str]:
    """Variables that name folders, seen from anywhere: a process starts in another folder."""
    given = {name: os.environ.get(name, "") for name in PLACES}
    given["LAYERLOOM_WORKSPACE"] = given["LAYERLOOM_WORKSPACE"] or working_folder()
    return {name: os.path.abspath(text) for name, text in given.items() if text}  # noqa: PTH100


def working_folder() -> str:
    """The folder that this process works in; "" where somebody deleted it."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return ""


def tidy_process() -> None:
    """Let this process, and those that multiprocessing makes of it, import nothing of a workspace.

    It hands on where modules are looked for, and the environment. What is typed in the checkout of
    Layerloom itself still finds it.
    """
    here, kept = working_folder(), {str(ROOT), *handed_folders()}
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    ours = [str(ROOT) if folder == "" and here == str(ROOT) else folder for folder in sys.path]
    beside = {here, *named} - kept
    left_out[:] = left_out or [folder for folder in named if folder in beside]
    sys.path[:] = [folder for folder in ours if folder not in beside and _is_fixed(folder)]
    clean = environment()
    for name in [name for name in os.environ if name not in clean]:
        del os.environ[name]
    os.environ.update(clean)


def allow_own_python() -> None:
    """Let this process import the user's own modules: a command that names them was typed."""
    sys.path[:0] = [working_folder(), *left_out]


def _is_fixed(folder: str) -> bool:
    """Whether it is the same folder wherever the process works; pip's own mark is none at all."""
    return Path(folder).is_absolute() or folder.startswith("__editable__")
