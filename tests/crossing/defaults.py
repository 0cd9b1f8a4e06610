"""What starts something, with its defaults, on each project: it ends well, or one sentence refuses.

A new command or button: a row of COMMANDS.
"""

import contextlib
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from app.cli import main
from app.serving.served import served
from core.cards.catalogue import CARDS
from core.cards.drawing import Drawing
from core.cards.run import CardError, objection
from core.cards.run import run as run_card
from core.export.formats import FORMATS
from core.insight.look.catalogue import LOOKS, LookRequest, look
from core.network_ref import RunRef
from core.prepare.lr_finder import find_lr
from core.project import save_project, write_text
from core.runs.files import write_json
from tests.app.serving.conftest import asking
from tests.core.small_runs import train_here
from tests.crossing.trained_run import Refused, TrainedRun
from tests.wing_parts import rows

SEARCHED = ("--search", "lr=1e-4..1e-1:log")
"""What a sweep without a search space is told to try."""
Start = Callable[[TrainedRun], None]
SLOW = ("aoti", "executorch")
"""Formats that a compiler takes a minute for; the doors have AOTInductor."""


def said(run: TrainedRun, *words: str) -> str:
    """Give a command, and what it prints. Raises Refused with its sentence."""
    out, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        status = main([*words])
    text = out.getvalue() + told.getvalue()
    if status == 0:
        return text
    if "Layerloom itself failed" in text or "Traceback" in text or "error: " not in text:
        raise AssertionError(f"{' '.join(words)}: {status}\n{text}")
    raise Refused(text.partition("error: ")[2].partition("\n")[0])


def _file(run: TrainedRun) -> str:
    file = run.workspace / "crossed.loom.json"
    save_project(run.project, file)
    return str(file)


def command(name: str, *words: str) -> Start:
    """A command on the project's file."""

    def start(run: TrainedRun) -> None:
        runs = ["--runs", str(run.run_dir.parent)] if name in ("train", "sweep") else []
        said(run, name, _file(run), *words, *runs)

    return start


def of_run(name: str, *words: str) -> Start:
    """A command on the trained run."""

    def start(run: TrainedRun) -> None:
        said(run, name, str(run.run_dir), *words)

    return start


def resume(run: TrainedRun) -> None:
    """A run that was stopped."""
    stopped = run.again("stopped")
    write_json(stopped / "control.json", {"want": "stop", "seq": 1})
    train_here(stopped)
    said(run, "resume", str(stopped))


def distil(run: TrainedRun) -> None:
    teacher = json.dumps({"run": run.run_dir.name})
    said(run, "train", _file(run), "--set", f"distil={teacher}", "--runs", str(run.run_dir.parent))


def bundle(run: TrainedRun) -> None:
    words = ("--with-data", "--runs", str(run.run_dir.parent))
    said(run, "bundle", _file(run), run.run_dir.name, "-o", str(_place(run, "b.loom.zip")), *words)


def find_the_rate(run: TrainedRun) -> None:
    assert find_lr(write_text(run.project))["lr"]


def serve(run: TrainedRun) -> None:
    with asking(served(run.run_dir)) as client:
        assert client.get("/").status_code == 200
        assert client.get("/openapi.json").status_code == 200


def cards(run: TrainedRun) -> None:
    """Three of those that apply, others for each project."""
    file = _file(run)
    report = json.loads(said(run, "check", file, "--json"))
    drawing = Drawing(run.project, report)
    quick = [c for c in CARDS.values() if not (c.compiler or c.missing_requirement)]
    applying = [card for card in quick if not objection(card, drawing)]
    first = sum(map(ord, run.project.name)) % max(len(applying), 1)
    for card in (applying * 2)[first : first + 3]:
        with contextlib.suppress(CardError):  # a sentence, of one card
            run_card(card, drawing)


def _place(run: TrainedRun, name: str) -> Path:
    folder = run.workspace / "made"
    folder.mkdir(exist_ok=True)
    return folder / name


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
    "plan": command("plan"),
    "train": command("train"),
    "train --nproc 2": command("train", "--nproc", "2"),
    "train, compile on": command("train", "--set", "compile=on"),
    "train, compile_step on": command("train", "--set", "compile_step=on"),
    "train, compile_step auto": command("train", "--set", "compile_step=auto"),
    "resume": resume,
    "distil": distil,
    "find the rate": find_the_rate,
    "sweep": command("sweep", *SEARCHED, "--trials", "3"),
    "bundle": bundle,
    "serve": serve,
    "cards": cards,
    **{f"export {name}": exported(name) for name in FORMATS if name not in SLOW},
    **{f"look {name}": looked(name) for name in LOOKS},
    **{name: of_run(*words) for name, words in rows("doors", "COMMANDS").items()},
}
