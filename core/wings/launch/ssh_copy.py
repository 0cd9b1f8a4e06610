"""Copies of a run to another machine and back, as a tar stream over ssh.

What comes back is a stranger's until it is checked: only regular files, only by names that a worker
writes, and never what the run is made from.
"""

import io
import json
import os
import shutil
import tarfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from core.data.sources import paths
from core.data.sources.custom_source import OWN
from core.runs.files import LARGEST_JSON
from core.runs.run_state import ENDED
from core.wings.launch.external import NOT_FOUND, Answer
from core.worker import child_process

WRITTEN = frozenset(
    {
        "baseline.json",
        "curves.json",
        "events.jsonl",
        "exit.json",
        "final.json",
        "log.txt",
        "metrics.jsonl",
        "modes.json",
        "status.json",
        "threads.json",
        "vocabulary.json",
    }
)
"""Files that a worker writes, by name."""
FOLDERS = frozenset({"ckpt", "live", "probe", "ranks", "tensorboard", "weights"})
"""Folders that a worker writes into."""
ROTATED = ("ckpt", "probe", "weights")
"""Folders whose files a worker also deletes."""
STAYS = frozenset(
    {
        "launch.json",
        "proc.json",
        "place.json",
        "exit.json",
        "shim.lock",
        "worker.lock",
        "control.json",
        "control.lock",
        "reserve.json",
        "viewer",
        "follower",
        "marks.json",
    }
)
"""Files of a run that belong to the processes and pages of one machine."""
LAST, END = "status.json", "exit.json"
"""Files of state, copied after the files that they refer to."""
DEEPEST = 3
FILES_CHANGED, UNREAD, PARTIAL = 1, 74, 75
"""How a copy ended: as that of tar where files changed meanwhile, which is whole; by a file here
that cannot be read; by a stream or a disk here that took a part only. tar and ssh have no such."""


@dataclass(frozen=True)
class Fetched(Answer):
    """What came back. files: names of the files, relative to the run folder; end: how the process
    there ended, None while it lives."""

    files: tuple[str, ...] = ()
    end: Mapping[str, Any] | None = None


def send(command: Sequence[str], run_dir: Path, name: str, spec: Mapping[str, Any]) -> Answer:
    """Pack a run, its spec and its own data into the input of a command.

    name: of the run's folder there. The data keeps its path below the workspace. Raises DataError
    for data that is not there.
    """
    own_data = _own_data(spec)
    try:
        process = child_process.start(
            command,
            stdin=child_process.PIPE,
            stdout=child_process.PIPE,
            stderr=child_process.STDOUT,
        )
    except OSError as error:
        return Answer(NOT_FOUND, "", f"{command[0]} could not be started: {error.strerror}")
    output, stream = _Reader(_pipe(process.stdout)), _pipe(process.stdin)
    unread = ""
    try:
        with stream, tarfile.open(fileobj=stream, mode="w|") as archive:
            _pack(archive, run_dir, name, spec, own_data)
    except BrokenPipeError:  # it ended early; what it printed is the reason
        pass
    except OSError as error:  # of a file here: what was sent until then is no run yet
        unread = f"{error.filename or run_dir} cannot be read here: {error.strerror or error}"
    status = process.wait()
    return Answer(status or (UNREAD if unread else 0), "", unread or output.text())


def _pack(
    archive: tarfile.TarFile,
    run_dir: Path,
    name: str,
    spec: Mapping[str, Any],
    own_data: Sequence[tuple[Path, str]],
) -> None:
    for path in sorted(run_dir.rglob("*")):
        inner = path.relative_to(run_dir)
        hidden = any(part.startswith(".") for part in inner.parts)
        own = inner.name in STAYS or inner.name.startswith("rendezvous.")
        plain = path.is_file() and not path.is_symlink() and inner.as_posix() != "spec.json"
        if plain and not hidden and not own:
            archive.add(path, f"{name}/{inner.as_posix()}", recursive=False)
    for local, there in own_data:
        archive.add(local, there)
    text = json.dumps(spec, indent=2, allow_nan=False).encode()
    member = tarfile.TarInfo(f"{name}/spec.json")  # last: it makes the folder a run
    member.size, member.mode = len(text), 0o600
    archive.addfile(member, io.BytesIO(text))


def _own_data(spec: Mapping[str, Any]) -> list[tuple[Path, str]]:
    """Files or folders of the user's own data, each with its path below the workspace."""
    data = spec.get("data", {})
    keys = ("root", "file") if data.get("source") in OWN else ()
    return [(paths.locate(data[key], key), data[key]) for key in keys if data.get(key)]


def fetch(command: Sequence[str], run_dir: Path, name: str, whole: bool = False) -> Fetched:
    """Unpack what a command packed into the run here; each file appears whole or not at all.

    whole: it packed all files, so that those which are gone there are deleted here. Only then may
    the run here be called ended.
    """
    try:
        process = child_process.start(command, stdout=child_process.PIPE, stderr=child_process.PIPE)
    except OSError as error:
        return Fetched(NOT_FOUND, "", f"{command[0]} could not be started: {error.strerror}")
    errors, packed = _Reader(_pipe(process.stderr)), _pipe(process.stdout)
    got = Received()
    damage = _unpack(packed, run_dir, name, got)
    _drain(packed)
    status = process.wait() or (PARTIAL if damage else 0)
    if status <= FILES_CHANGED:
        damage = _conclude(run_dir, got, whole, all_there=whole and not status)
        status = PARTIAL if damage else status
    end = _record(got.last[END]) if END in got.last and status <= FILES_CHANGED else None
    return Fetched(status, "", damage or errors.text(), tuple(got.files), end)


@dataclass
class Received:
    """What a stream held. last: the files of state, which come to their place after all others."""

    files: list[str] = field(default_factory=list[str])
    last: dict[str, bytes] = field(default_factory=dict[str, bytes])


def _conclude(run_dir: Path, got: Received, whole: bool, all_there: bool) -> str:
    """Take over how the run stands, once all it speaks of is here; the reason where that fails."""
    status = got.last.get(LAST)
    try:
        if all_there:
            _delete_rotated(run_dir, got.files)
        if status is not None and (whole or _record(status).get("state") not in ENDED):
            _put(run_dir, LAST, io.BytesIO(status))
    except OSError as error:
        return _unwritable(run_dir, error)
    return ""


def _unwritable(run_dir: Path, error: OSError) -> str:
    return f"{error.filename or run_dir} cannot be written here: {error.strerror or error}"


def _record(text: bytes) -> Mapping[str, Any]:
    """A JSON object, {} for anything else."""
    try:
        record = json.loads(text)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _unpack(stream: IO[bytes], run_dir: Path, name: str, got: Received) -> str:
    """Unpack all files but the two that are judged after them; the reason where it ended early."""
    if not stream.peek(1):  # type: ignore[attr-defined]
        return ""
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                inner = _accepted(member, name)
                content = archive.extractfile(member) if inner else None
                if inner is None or content is None:
                    continue
                if inner in (LAST, END):
                    got.last[inner] = content.read(LARGEST_JSON)
                else:
                    _put(run_dir, inner, content)
                got.files.append(inner)
    except tarfile.TarError as error:  # the connection ended: what is whole is kept
        return str(error)
    except OSError as error:
        return _unwritable(run_dir, error)
    return ""


def _accepted(member: tarfile.TarInfo, name: str) -> str | None:
    """Where a file belongs in the run folder; None where it does not."""
    path = PurePosixPath(member.name)
    parts: tuple[str, ...] = path.parts[1:] if path.parts[:1] == (name,) else ()
    plain = member.isreg() and 1 <= len(parts) <= DEEPEST
    if not plain or any(part.startswith(".") or not part.isprintable() for part in parts):
        return None
    known = WRITTEN if len(parts) == 1 else FOLDERS
    return "/".join(parts) if known & {*parts[:1]} else None


def _put(run_dir: Path, inner: str, content: IO[bytes]) -> None:
    path = run_dir / inner
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with part.open("wb") as file:
            shutil.copyfileobj(content, file)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _delete_rotated(run_dir: Path, files: Sequence[str]) -> None:
    """Delete what the worker there has deleted; nothing behind a link."""
    present = set(files)
    for folder in (run_dir / name for name in ROTATED):
        for path in () if folder.is_symlink() else folder.rglob("*"):
            if path.is_file() and path.relative_to(run_dir).as_posix() not in present:
                path.unlink()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """The pipe to a process that was started with one."""
    if stream is None:
        raise OSError("The process was started without a pipe.")
    return stream


def _drain(stream: IO[bytes]) -> None:
    while stream.read(1 << 16):
        pass


class _Reader:
    """Reads what a process prints beside its work, so that it never waits for us."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.parts: list[bytes] = []
        self.thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self.thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        while part := stream.read1(1 << 12):  # type: ignore[attr-defined]
            self.parts = [*self.parts, part][-16:]

    def text(self) -> str:
        """Its last lines, once the process has ended."""
        self.thread.join()
        return b"".join(self.parts).decode(errors="replace")
