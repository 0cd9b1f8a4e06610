"""Imports of the page: each in a process of its own, with progress, an end and a way to stop it."""

import json
import logging
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any

from app import places
from app.document import ENDING
from app.pool import Lane, PoolError, work
from core.project import ProjectError, read_text, save_project

_LOG = logging.getLogger(__name__)
LIMIT_S = 1800.0
WEIGHTS = ".safetensors"


class Import:
    """One import. what: its name for people. state: running, done, failed or cancelled.

    result: what `core.importing.job.told` says. message, hint: why it failed. Its files live as
    long as it does.
    """

    def __init__(self, what: str, request: dict[str, Any], content: bytes | None = None) -> None:
        self.what, self.state = what, "running"
        self.result: dict[str, Any] = {}
        self.message = self.hint = ""
        self._home = tempfile.TemporaryDirectory(prefix="layerloom-import-")
        self._lane = Lane("The import")
        if content is not None:
            path = self.folder / "model.onnx"
            path.write_bytes(content)
            request = {**request, "file": str(path)}
        self._thread = threading.Thread(target=self._run, args=(request,), daemon=True)
        self._thread.start()

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return Path(self._home.name)

    def _run(self, request: dict[str, Any]) -> None:
        try:
            self.result = work(
                self._lane, "core.importing.job:run", request, str(self.folder), timeout_s=LIMIT_S
            )
            self.message = str(self.result.get("refused", ""))
            self.hint = str(self.result.get("hint", ""))
            self.state = "failed" if self.message else "done"
        except PoolError as error:
            if self.state == "running":
                self.message, self.hint = error.message, error.hint
                self.state = "failed"
        finally:
            self._lane.close()

    def progress(self) -> tuple[str, float]:
        """What is being done, and the part of the work behind it."""
        try:
            found = json.loads((self.folder / "progress.json").read_text("utf-8"))
        except FileNotFoundError:
            return "Starting a process for it", 0.02
        return str(found["step"]), float(found["part"])

    def cancel(self) -> None:
        """Stop it; its process ends at once."""
        if self.state == "running":
            self.state = "cancelled"
            self._lane.close()

    def keep(self) -> Path:
        """Write project and weights side by side into the workspace; returns the project's file.

        Raises ProjectError.
        """
        project = read_text((self.folder / "project.loom.json").read_text("utf-8"))
        path = free_place(str(self.result["name"]))
        try:
            shutil.copyfile(self.folder / "weights.safetensors", weights_of(path))
        except OSError as error:
            raise ProjectError("", f"The weights cannot be written: {error.strerror}.") from error
        save_project(project, path)
        return path


def free_place(name: str) -> Path:
    """A place in the workspace where neither a project nor weights are."""
    words = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else " " for c in name).split()
    stem = "_".join(words)[:60] or "imported"
    for number in range(1, 10_000):
        path = places.workspace() / f"{stem if number == 1 else f'{stem}-{number}'}{ENDING}"
        if not path.exists() and not weights_of(path).exists():
            return path
    raise ProjectError("", f"There are too many projects called {stem}.", "Delete some of them.")


def weights_of(project: Path) -> Path:
    """Where the weights of a project's file lie, if it has any: beside it."""
    return project.with_name(project.name.removesuffix(ENDING) + WEIGHTS)


def files_here() -> list[str]:
    """ONNX files in the workspace, by name."""
    return sorted(p.name for p in places.workspace().glob("*.onnx") if p.is_file())
