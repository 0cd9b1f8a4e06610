"""spec.json while a run trains: put back as it was where it is torn, so that all know the run."""

from contextlib import suppress
from pathlib import Path

from core.runs.files import read_json, write_bytes

Stamp = tuple[int, int, int]


class KeptSpec:
    """Remembers what spec.json holds; whoever adds to it later is remembered as well.

    One that is gone is not made anew: the folder is being deleted then.
    """

    def __init__(self, run_dir: Path) -> None:
        self.path = run_dir / "spec.json"
        self._stamp: Stamp | None = None
        self._content = b""
        self.mend()

    def mend(self) -> bool:
        """Whether the file was torn and has been put back; on a full disk the next call tries."""
        with suppress(OSError):
            stamp = self._look()
            if stamp == self._stamp:
                return False
            if read_json(self.path):
                self._stamp, self._content = stamp, self.path.read_bytes()
            elif self._content:
                write_bytes(self.path, self._content)
                self._stamp = self._look()
                return True
        return False

    def _look(self) -> Stamp:
        status = self.path.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns
