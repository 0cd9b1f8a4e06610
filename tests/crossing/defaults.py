"""What starts something, with its defaults, on each project: it ends well, or one sentence refuses.

A new command or button: a row of COMMANDS.
"""

from collections.abc import Mapping

from core.common.network_ref import RunRef
from core.export.formats import FORMATS
from core.insight.look.catalogue import LOOKS, look
from core.insight.look.view import LookRequest
from core.prepare.lr_finder import find_lr
from core.project import write_text
from core.runs.files import write_json
from tests.core.small_runs import train_here
from tests.crossing.starts import Start, command, file_of, said
from tests.crossing.trained_run import TrainedRun
from tests.wing_parts import rows


def resume(run: TrainedRun) -> None:
    """A run that was stopped."""
    stopped = run.again("stopped")
    write_json(stopped / "control.json", {"want": "stop", "seq": 1})
    train_here(stopped)
    said(run, "resume", str(stopped))


def distil(run: TrainedRun) -> None:
    teacher, runs = f"distil.run={run.run_dir.name}", str(run.run_dir.parent)
    said(run, "train", file_of(run), "--set", teacher, "--runs", runs)


def find_the_rate(run: TrainedRun) -> None:
    assert find_lr(write_text(run.project))["lr"]


def exported(name: str) -> Start:

    def start(run: TrainedRun) -> None:
        run.exported(name)

    return start


def looked(what: str) -> Start:

    def start(run: TrainedRun) -> None:
        look(RunRef(run.run_dir), LookRequest(what))

    return start


COMMANDS: Mapping[str, Start] = {
    "check": command("check"),
    "summary": command("summary"),
    "train": command("train"),
    "train, compile on": command("train", "--set", "compile=on"),
    "train, compile_step on": command("train", "--set", "compile_step=on"),
    "train, compile_step auto": command("train", "--set", "compile_step=auto"),
    "resume": resume,
    "distil": distil,
    "find the rate": find_the_rate,
    # What needs a compiler takes a minute: the doors have it.
    **{f"export {name}": exported(name) for name, kind in FORMATS.items() if not kind.needs},
    **{f"look {name}": looked(name) for name in LOOKS},
    **rows("doors", "STARTS"),
}
