"""A run on a machine reached by ssh: sent, started there, brought back while it trains.

There it is a run as any other, in a folder of its own in the home folder, `layerloom-runs/ID`. That
is also the workspace that its own data is copied to. Once everything is back, it is removed.
"""

import hashlib
import json
import platform
import re
import shlex
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.common.errors import LayerloomError, RunError
from core.runs.files import read_json
from core.runs.run_state import exit_sentence
from core.settings.launcher import KEY, Launcher
from core.wings.launch import ssh_copy
from core.wings.launch.remote_job import (
    JobProgress,
    attempt_of,
    read_record,
    rejoin,
    remove_record,
    write_record,
)
from core.wings.launch.ssh_host import SshHost, check, reached
from core.worker.supervisor import unwanted

FOLDER = "layerloom-runs"
LOST_S = 60.0
"""Seconds without an answer after which a stop no longer waits for the machine."""
ALIVE = ("queued", "running", "paused", "hung")
QUIET_S = 120.0
"""Seconds without news after which the machine is checked for the run's process."""


class SshJob:
    """The run there."""

    look_s = 3.0

    def __init__(self, run_dir: Path, launcher: Launcher) -> None:
        self.run_dir, self.launcher = run_dir, launcher
        self.host = SshHost(launcher.address)
        digest = hashlib.sha256(f"{platform.node()} {run_dir.resolve()}".encode()).hexdigest()
        self.name = re.sub(r"[^A-Za-z0-9_.]", "-", run_dir.name).lstrip("-.") or "run"
        self.folder = f"{FOLDER}/{self.name}-{digest[:8]}"
        self.sent_control = ""
        self.lost_since_s: float | None = None
        self.heard_s = time.monotonic()
        self.failure = ""
        self.received = self.is_over = False

    def inside(self, script: str) -> str:
        """A script that works in the folder there."""
        return f'cd "$HOME"/{shlex.quote(self.folder)} && {script}'

    def begin(self) -> None:
        """Send and start it, or find it again where it still trains. Raises RunError."""
        record = read_record(self.run_dir, "ssh")
        state = self._state() if record else ""
        if state in ALIVE or state == "finished":  # whose results did not all come back
            rejoin(self.run_dir, record)
            self.sent_control, self.is_over = "", state == "finished"
            return
        check(self.host)
        if state and (reason := self._bring_back()):
            raise self._kept(reason)
        write_record(self.run_dir, "ssh", folder=self.folder, attempt=attempt_of(self.run_dir))
        try:
            self._send()
            self._start()
        except LayerloomError:
            self._remove()
            raise

    def _state(self) -> str:
        """How the run there stands; "" where there is none, or no answer."""
        answer = self.host.call(self.inside("layerloom runs --runs . --json"))
        with suppress(ValueError, KeyError, TypeError, IndexError):
            return str(json.loads(answer.output)[0]["state"])
        return ""

    def _send(self) -> None:
        there = Launcher("torchrun", self.launcher.processes, sharding=self.launcher.sharding)
        there = there if self.launcher.processes > 1 else Launcher()
        spec = {**read_json(self.run_dir / "spec.json"), KEY: there.as_spec()}
        spec = {k: v for k, v in spec.items() if k != KEY or not there.plain}
        unpack = f'mkdir -p "$HOME"/{shlex.quote(self.folder)} && ' + self.inside(
            "tar -xf - && touch -t 200001010000 .fetched"
        )
        answer = ssh_copy.send(
            self.host.command(f"umask 077; {unpack}"), self.run_dir, self.name, spec
        )
        if not reached(answer):
            raise self.host.unreachable(answer)
        if answer.status:
            message = f"The run could not be copied to {self.launcher.address}: {answer.reason}."
            hint = "Make it readable" if answer.status == ssh_copy.UNREAD else "Free space there"
            raise RunError("address", message, f"{hint}, then resume the run.")

    def _start(self) -> None:
        which = str(read_json(self.run_dir / "control.json").get("from", "last"))
        chosen = "" if which == "last" else f" --checkpoint {shlex.quote(which)}"
        name = shlex.quote(self.name)
        start = f'LAYERLOOM_WORKSPACE="$PWD" layerloom resume {name} --runs . --detach{chosen}'
        answer = self.host.call(self.inside(start))
        if not reached(answer):
            raise self.host.unreachable(answer)
        if answer.status:
            message = f"{self.launcher.address} could not start the run: {answer.reason}."
            raise RunError("address", message, "Its log shows more.")
        self.sent_control = self._control()

    def _control(self) -> str:
        """The requests to a run, as the run there may read them."""
        control = read_json(self.run_dir / "control.json")
        passed = {k: control[k] for k in ("attempt", "from", "seq", "want", "save") if k in control}
        return json.dumps(passed)

    def look(self) -> JobProgress:
        """Pass requests on, bring back what is new."""
        if self.is_over:
            return JobProgress("ended")
        self._pass_on()
        answer = ssh_copy.fetch(
            self.host.command(self.inside(self._changed())), self.run_dir, self.name
        )
        self.received = answer.status <= ssh_copy.FILES_CHANGED
        if not reached(answer) or answer.status == ssh_copy.PARTIAL:
            return self._lost(answer.reason)
        self.lost_since_s = None
        if answer.files:
            self.heard_s = time.monotonic()
        if answer.end is not None or (self._is_quiet() and self._state() not in ALIVE):
            return JobProgress("ended", self._end(answer.end or {}))
        return JobProgress("running")

    def _changed(self) -> str:
        """The script that packs all files there that changed since the last time.

        What it packed counts as fetched once it has arrived here.
        """
        arrived = "mv -f .next .fetched; " if self.received else ""
        return (
            f"{self._watched()}{arrived}touch .next && find {shlex.quote(self.name)} -type f "
            "-newer .fetched ! -name '.*' | tar -cf - -T -"
        )

    def _watched(self) -> str:
        """Tell the worker there that somebody here looks at the run, or follows it."""
        script = ""
        for name in ("viewer", "follower"):
            with suppress(OSError):
                if time.time() - (self.run_dir / name).stat().st_mtime < 30:
                    script += f"touch {shlex.quote(f'{self.name}/{name}')}; "
        return script

    def _is_quiet(self) -> bool:
        quiet = time.monotonic() - self.heard_s > QUIET_S
        self.heard_s = time.monotonic() if quiet else self.heard_s
        return quiet

    def _pass_on(self) -> None:
        """Write the requests of this machine into the run there, where they changed."""
        control = self._control()
        if control == self.sent_control:
            return
        name = shlex.quote(self.name)
        write = f"cat > {name}/.control.part && mv {name}/.control.part {name}/control.json"
        if self.host.call(self.inside(write), control.encode()).status == 0:
            self.sent_control = control

    def _lost(self, reason: str) -> JobProgress:
        """No answer: the run goes on there; only a stop ends the waiting for it."""
        now = time.monotonic()
        self.lost_since_s = now if self.lost_since_s is None else self.lost_since_s
        if unwanted(self.run_dir) and now - self.lost_since_s > LOST_S:
            self.failure = f"{self.launcher.address} does not answer by ssh: {reason}."
            hint = "The run may still train there; resume finds it again."
            return JobProgress("ended", self.failure, hint)
        return JobProgress("running")

    def _end(self, record: Mapping[str, Any]) -> str:
        """How the process there ended, for a run that did not report it."""
        return f"On {self.launcher.address}: {exit_sentence(record)}"

    def cancel(self) -> None:
        """Stop it there by force. Raises RunError."""
        answer = self.host.call(self.inside(f"layerloom stop {shlex.quote(self.name)} --runs ."))
        if not reached(answer):
            raise self.host.unreachable(answer)

    def finish(self) -> None:
        """Bring everything back once more, so that nothing is missed; then remove it there.

        Raises RunError where it cannot be brought back whole: then it stays there.
        """
        if self.failure:
            return
        end = time.monotonic() + LOST_S
        while reason := self._bring_back():
            if time.monotonic() >= end or unwanted(self.run_dir):
                raise self._kept(reason)
            time.sleep(self.look_s)
        self._remove()

    def _bring_back(self) -> str:
        """Copy the whole run back; the reason where a part is missing."""
        command = self.host.command(self.inside(f"tar -cf - {shlex.quote(self.name)}"))
        answer = ssh_copy.fetch(command, self.run_dir, self.name, whole=True)
        return answer.reason if answer.status > ssh_copy.FILES_CHANGED else ""

    def _kept(self, reason: str) -> RunError:
        """The error of results that did not all come back."""
        message = f"The results could not be copied from {self.launcher.address}: {reason}."
        return RunError("address", message, "They are kept there; resume copies them again.")

    def _remove(self) -> None:
        self.host.call(f'rm -rf "$HOME"/{shlex.quote(self.folder)}')
        remove_record(self.run_dir)
