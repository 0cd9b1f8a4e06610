"""Programs of others (ssh, sbatch): their exit status and what they printed, safe to show."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.files.messages import quote
from core.worker import child_process

NOT_FOUND, NO_ANSWER = 127, 124


@dataclass(frozen=True)
class Answer:
    """How a program ended. status 127: it is missing; 124: it did not end in time."""

    status: int
    output: str
    errors: str

    @property
    def reason(self) -> str:
        """The last line that it printed, quoted and printable."""
        lines = [line.strip() for line in (self.errors or self.output).splitlines()]
        lines = [line for line in lines if line]
        return quote(lines[-1]) if lines else "no reason was given"


def call(command: Sequence[str], timeout_s: float, content: bytes | None = None) -> Answer:
    """Run a program to its end, or until the time is over. content: its standard input."""
    try:
        done = child_process.run(command, content=content, timeout_s=timeout_s)
    except FileNotFoundError:
        return Answer(NOT_FOUND, "", f"{command[0]} was not found")
    except child_process.TimeoutExpired:
        return Answer(NO_ANSWER, "", f"no answer within {timeout_s:g} s")
    except OSError as error:
        return Answer(NOT_FOUND, "", f"{command[0]} could not be started: {error.strerror}")
    return Answer(
        done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )
