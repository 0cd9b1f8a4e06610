"""Imports of the page: each in a process of its own, with progress, an end and a way to stop it.

A model is drawn first and then compared with its original, which may take far longer: from the
first on it can be opened, and the comparison goes on behind the page it is open on.
"""

import json
import logging
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from app.process import sessions
from app.process.pool import PoolError, work
from app.services import paths, weights_beside
from app.wings.importing import calls
from app.wings.importing import folders as import_folders
from app.wings.importing import spare as import_spare
from core.project import ProjectError, read_text, save_project
from core.project.comparison import Comparison, from_json, write_comparison
from core.runs.listing import running
from core.settings.init_weights import beginning_with
from core.worker.job_queue import threads
from core.worker.supervisor import oom_kills

_LOG = logging.getLogger(__name__)
LIMIT_S = 1800.0
BEHIND = 10
"""By how much a comparison steps back behind the canvas and the runs, as `nice` counts."""
TICK_S, LEFT_S = 2.0, 60.0
"""How often is looked whether somebody is there; how long a tab may be gone, as in a reload."""
_live: "dict[Path, Import]" = {}


class Import:
    """One import. what: its name for people. message, hint: why it failed or ended early.

    offers: options of `error_messages` with which a refused model could be drawn.
    path: the project it was kept as. Its own files live as long as it does.
    """

    def __init__(self, name: str, request: dict[str, Any], content: bytes | None = None) -> None:
        self.what, self.message, self.hint = name, "", ""
        self.offers: tuple[str, ...] = ()
        self._request = request
        self.path: Path | None = None
        self._end = ""
        self._recorded: Comparison | None = None
        self._over, self._lock = threading.Event(), threading.Lock()
        self._seen, self._sessions = time.monotonic(), {sessions.current_session()}
        self._home = import_folders.new()
        self._process = import_spare.take()
        if content is not None:
            self._file.write_bytes(content)
            request = {**request, "file": str(self._file)}
        request = {"threads": share(), "behind": BEHIND, **request}
        for job in (lambda: self._run(request), self._watch):
            threading.Thread(target=job, daemon=True).start()

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return Path(self._home.name)

    @property
    def _file(self) -> Path:
        return self.folder / "model.onnx"

    def asked(self, option: str) -> bool:
        """Whether the import was begun with this option."""
        return bool(self._request.get(option))

    def again(self, option: str) -> "Import":
        """Begin the same import with one option more."""
        content = self._file.read_bytes() if self._file.exists() else None
        return Import(self.what, {**self._request, option: True}, content)

    @property
    def state(self) -> str:
        """running, then drawn while it is compared, then done; or how it ended before.

        failed and cancelled: there is no drawing. ended: there is one, not wholly compared.
        """
        return self._end or ("drawn" if self._report_file.exists() else "running")

    @property
    def _report_file(self) -> Path:
        return self.folder / "report.json"

    def report(self) -> dict[str, Any]:
        """The report of `core.wings.importing.job`, once the model is drawn."""
        return json.loads(self._report_file.read_text("utf-8"))

    def comparison(self) -> Comparison:
        """The verdicts so far, and why no others follow."""
        ended = f"{self.message} {self.hint}".strip()
        return from_json({**self.report()["comparison"], "ended": ended})

    def progress(self) -> tuple[str, float]:
        """What is being done until it is drawn, and the part of the work behind it."""
        try:
            data = json.loads((self.folder / "progress.json").read_text("utf-8"))
        except FileNotFoundError:
            return "Starting a process for it", 0.02
        return str(data["step"]), float(data["part"])

    def attend(self) -> None:
        """Note that the tab whose page is being drawn is connected."""
        self._sessions.add(sessions.current_session())

    def stop(self, why: str) -> None:
        """Stop it; its process ends at once. What is drawn stays."""
        self._finish("ended" if self._report_file.exists() else "cancelled", why)

    def keep(self) -> Path:
        """Write project and weights side by side into the workspace; returns the project's file.

        A second time, it is where it was kept the first time. Raises ProjectError.
        """
        if self.path is None:
            project = read_text((self.folder / "project.loom.json").read_text("utf-8"))
            report = self.report()
            path = weights_beside.free_path(str(report["name"]))
            if report["begins"]:
                project = beginning_with(project, weights_beside.weights_of(path).name)
            weights_beside.bring(
                self.folder / "weights.safetensors", weights_beside.weights_of(path)
            )
            save_project(project, path)
            with self._lock:
                self.path = path
                self._record()
                if not self._end:
                    _live[path] = self
        return self.path

    def _run(self, request: dict[str, Any]) -> None:
        kills = oom_kills()
        try:
            answer = work(
                self._process,
                calls.import_model,
                request,
                str(self.folder),
                timeout_s=LIMIT_S,
            )
        except PoolError as error:
            message, hint = _why(error, oom_kills() > kills)
            self._finish("ended" if self._report_file.exists() else "failed", message, hint)
        except RuntimeError:  # its process was still starting when it was stopped
            if not self._end:
                raise
        else:
            refused = str(answer.get("refused", ""))
            self.offers = tuple(answer.get("offers", ()))
            end = "failed" if refused else "done"
            self._finish(end, refused, str(answer.get("hint", "")))

    def _watch(self) -> None:
        """Save verdicts beside the project; end imports whose tabs are all gone."""
        while not self._over.wait(TICK_S):
            if sessions.any_connected(self._sessions):
                self._seen = time.monotonic()
            elif time.monotonic() > self._seen + LEFT_S:
                self.stop("The browser tab that started it was closed.")
            with self._lock:
                self._record()

    def _finish(self, end: str, message: str, hint: str = "") -> None:
        """End it, once: what comes later, such as the end of its process, changes nothing."""
        with self._lock:
            if self._end:
                return
            self.message, self.hint = message, hint
            self._record()
            if self.path:
                _live.pop(self.path, None)
            self._end = end  # last, so that who sees it finds what is kept
        self._over.set()
        self._process.close()

    def _record(self) -> None:
        """Keep what is known beside the project, if that is new; the lock is held."""
        comparison = self.comparison() if self.path else None
        if self.path is None or comparison is None or comparison == self._recorded:
            return
        try:
            write_comparison(self.path, comparison)
            self._recorded = comparison
        except ProjectError as error:  # the page of the import shows it nevertheless
            _LOG.warning("the comparison: %s", error)


def _why(error: PoolError, memory: bool) -> tuple[str, str]:
    """What became of its process, with a hint."""
    if not isinstance(error.__cause__, BrokenProcessPool):
        return error.message, error.hint
    if memory:
        return "The system ended its process because memory ran out.", "Try a smaller image."
    return (
        "Its process ended unexpectedly.",
        "If it happens again, the machine may be out of memory.",
    )


def share() -> int:
    """Threads to compare with: all the processor has, divided by what is being trained."""
    return max(1, threads() // (1 + running(paths.runs_dir())))


def live(project: Path) -> Import | None:
    """The import that still compares what a project's file holds, or None."""
    return _live.get(project)


def onnx_files() -> list[str]:
    """ONNX files in the workspace, by name."""
    return sorted(p.name for p in paths.workspace().glob("*.onnx") if p.is_file())
