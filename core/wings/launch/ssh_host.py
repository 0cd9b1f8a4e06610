"""A machine reached by ssh: commands there, and what must be equal here and there."""

import json
import re
import shlex
from dataclasses import dataclass
from importlib.metadata import version
from platform import python_version
from typing import Any

from core.common.errors import RunError
from core.common.version import layerloom_version
from core.files.messages import quote
from core.wings.launch.external import NO_ANSWER, NOT_FOUND, Answer, call

OPTIONS = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15")
"""No terminal, no question for a password, no endless wait."""
ADDRESS = re.compile(r"[A-Za-z0-9_\[][A-Za-z0-9_.:@%\[\]/-]*")
UNREACHED = 255
"""The exit status of ssh itself; any other is that of the command there."""
ANSWER_S = 120.0
LOGIN_HINT = "`ssh {0}` must work without a password: add your key with `ssh-copy-id {0}`."


@dataclass(frozen=True)
class SshHost:
    """A machine by its address. Raises RunError for an address that ssh could misread."""

    address: str

    def __post_init__(self) -> None:
        if not self.address:
            raise RunError("address", "The launcher ssh needs a machine.", "Add --address HOST.")
        if not ADDRESS.fullmatch(self.address):
            message = f"{quote(self.address)} is not the address of a machine."
            raise RunError("address", message, "Give HOST or USER@HOST.")

    def command(self, script: str) -> list[str]:
        """The command that runs a shell script there, with the PATH of a login."""
        return ["ssh", *OPTIONS, self.address, f"sh -lc {shlex.quote(script)}"]

    def call(self, script: str, content: bytes | None = None) -> Answer:
        """Run a shell script there to its end."""
        return call(self.command(script), ANSWER_S, content)

    def unreachable(self, answer: Answer) -> RunError:
        """The error of a machine that did not answer."""
        reason = answer.reason.replace('"ssh: ', '"', 1)
        message = f"{self.address} does not answer by ssh: {reason}."
        return RunError("address", message, LOGIN_HINT.format(self.address))


def reached(answer: Answer) -> bool:
    """Whether the machine answered, whatever its command came to."""
    return answer.status not in (UNREACHED, NO_ANSWER)


def check(host: SshHost) -> None:
    """Compare versions here and there. Raises RunError for the first that differs."""
    answer = host.call("layerloom --version && layerloom doctor --versions --json")
    if answer.errors == "ssh was not found" and answer.status == NOT_FOUND:
        raise RunError("launcher", "ssh was not found.", "Install the OpenSSH client.")
    if not reached(answer):
        raise host.unreachable(answer)
    ours = {"Layerloom": layerloom_version(), "Python": _minor(python_version())}
    ours["torch"] = _release(version("torch"))
    first, _, rest = answer.output.partition("\n")
    there = re.fullmatch(r"layerloom (\S+)\s*", first)
    install = f"Install it there: pip install layerloom=={ours['Layerloom']}."
    if there is None:
        message = f"layerloom was not found on {host.address}: {answer.reason}."
        raise RunError("address", message, install)
    theirs = {"Layerloom": there[1], **_versions(rest)}
    for name, here in ours.items():
        if theirs.get(name) != here:
            found = quote(str(theirs.get(name) or "missing")).strip('"')
            message = f"{host.address} has {name} {found}, this machine has {here}."
            raise RunError("address", message, f"Install the same version of {name} on both.")


def _versions(text: str) -> dict[str, str]:
    """Python and torch in the answer of the doctor there; {} where it is none."""
    try:
        record: Any = json.loads(text)
        torch = record["libraries"]["torch"]
        return {"Python": _minor(str(record["python"])), "torch": _release(str(torch or ""))}
    except (ValueError, KeyError, TypeError):
        return {}


def _minor(number: str) -> str:
    """3.11 of 3.11.9: within it, results and files are the same."""
    return ".".join(number.split(".")[:2])


def _release(number: str) -> str:
    """2.14.1 of 2.14.1+cpu: what is behind the sign is how it was built."""
    return number.partition("+")[0]
