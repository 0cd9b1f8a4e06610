"""A workbench's server that a test may kill and start again at the same address."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.browser.conftest import ROOT, end, free_port, wait_for


class Backend:
    """The workbench's server, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.log = folder / "server.log"
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        home = {"LAYERLOOM_HOME": str(self.folder / "home"), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "app.cli", "open", "--no-browser"]
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                [*command, "--port", str(self.port), "--runs", str(self.folder / "runs")],
                cwd=self.folder,
                env=os.environ | home,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_for(f"http://127.0.0.1:{self.port}", self._process, self.log)

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        if self._process and self._process.poll() is None:
            end(self._process)
