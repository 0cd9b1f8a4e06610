"""`layerloom import`: a model of torchvision, of an ONNX file, or the user's own, as a project."""

import argparse
import gc
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import speak
from core.project.comparison import Comparison, Verdict, write_comparison

if TYPE_CHECKING:
    from core.importing.whole import Whole


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("import", help="a model you already have, as a project")
    command.add_argument(
        "source",
        help="torchvision:NAME, FILE.onnx, or python:package.module:expression (runs that code)",
    )
    command.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="project")
    command.add_argument(
        "--weights", type=Path, metavar="OUT", help="safetensors file (default: beside FILE)"
    )
    command.add_argument(
        "--input", action="append", default=[], metavar="SHAPE", dest="inputs",
        help="sizes of one sample without the batch, such as 3,224,224; once per input",
    )  # fmt: skip
    command.add_argument(
        "--pretrained", action="store_true", help="download torchvision's trained weights"
    )
    command.add_argument(
        "--heads", action="store_true", help="draw also what the model gives in training only"
    )
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Import, check against the original, write project and weights."""
    if args.out.exists():
        raise speak.UsageError(f"{args.out} exists already.", "Name another file with -o.")
    for file in (args.out, *([args.weights] if args.weights else [])):
        if not file.absolute().parent.is_dir():
            raise speak.UsageError(
                f"There is no folder {file.parent}.", "Make it, or name another."
            )
    shapes = [shape(text) for text in args.inputs]
    if args.source.startswith("python:"):
        speak.say(f"Running your own code: {args.source.removeprefix('python:')}")
    return _prepared(args, shapes)


def _prepared(args: argparse.Namespace, shapes: list[tuple[int, ...]]) -> int:
    gc.disable()  # torch makes a hundred thousand objects, and none of them is garbage
    from core.importing.errors import ImportRefused, NoSource

    gc.freeze()
    gc.enable()
    try:
        return _import(args, shapes)
    except NoSource as error:
        raise Unreadable(error) from error
    except ImportRefused as error:
        raise Refused(error) from error


class Refused(speak.Failed):
    """A model that cannot be imported, with its place."""

    def __init__(self, error: Any) -> None:
        super().__init__(error.message, error.hint)
        self.place = error.place


class Unreadable(speak.UsageError):
    """A source that names nothing, with its place."""

    def __init__(self, error: Any) -> None:
        super().__init__(error.message, error.hint)
        self.place = error.place


def shape(text: str) -> tuple[int, ...]:
    """Read 3,224,224. Raises UsageError for anything else."""
    if not re.fullmatch(r"\d+(,\d+)*", text):
        raise speak.UsageError(f"--input {text} is no shape.", "Write one such as 3,224,224.")
    return tuple(int(part) for part in text.split(","))


def _import(args: argparse.Namespace, shapes: list[tuple[int, ...]]) -> int:
    from core.importing.verdicts import NAMES
    from core.importing.whole import import_whole
    from core.project import save_project
    from core.train.start_setting import beginning_with

    began = time.monotonic()
    weights = args.weights or args.out.with_name(stem(args.out) + ".safetensors")
    compared = Compared(args.out, NAMES, speaks=not args.json)

    def keep(whole: "Whole") -> None:
        project = whole.found.project
        if whole.begins and weights.absolute().parent == args.out.absolute().parent:
            project = beginning_with(project, weights.name)
        save_project(project, args.out)
        whole.write_weights(weights)
        took = time.monotonic() - began
        speak.say(f"{args.out} is drawn after {took:.1f} s; comparing it with the original.")
        compared.begin()

    whole = import_whole(
        args.source, shapes, args.pretrained, heads=args.heads, drawn=keep, heard=compared.heard
    )
    if args.json:
        speak.answer(document(args.out, weights, whole))
    else:
        tell(args.out, weights, whole)
    return 0 if whole.judged[0].equal else 1


class Compared:
    """The verdicts as they are reached: kept beside the project, and rows of a table for people."""

    def __init__(self, project: Path, names: tuple[str, ...], speaks: bool) -> None:
        self.project, self.speaks = project, speaks
        self.found = Comparison(awaited=names)
        self.widths = (max(map(len, (HEADER[0], *names))), max(map(len, WORDS.values())))

    def begin(self) -> None:
        """Before the first one."""
        write_comparison(self.project, self.found)
        self._row(*HEADER)

    def heard(self, verdict: Verdict) -> None:
        """One more."""
        self.found = self.found.heard(verdict)
        write_comparison(self.project, self.found)
        self._row(verdict.name, WORDS[verdict.equal], verdict.note)

    def _row(self, name: str, word: str, note: str) -> None:
        if self.speaks:
            row = f"{name:{self.widths[0]}}  {word:{self.widths[1]}}  {note}"
            print(row.rstrip(), flush=True)


def stem(path: Path) -> str:
    """The name of a project's file without its ending."""
    return path.name.removesuffix(".json").removesuffix(".loom")


def document(out: Path, weights: Path, whole: "Whole") -> Any:
    """What `--json` prints."""
    found, judged = whole.found, whole.judged
    return {
        "ok": bool(judged[0].equal),
        "file": str(out),
        "weights": str(weights),
        "verdicts": [{"name": v.name, "equal": v.equal, "note": v.note} for v in judged],
        "keys": found.keys,
        "unused": list(found.unused),
        "idle": list(found.idle),
        "heads": list(found.heads),
        "specialised": list(found.specialised),
        "notes": list(whole.notes),
    }


def tell(out: Path, weights: Path, whole: "Whole") -> None:
    """Tell people what there is to know of it besides the verdicts."""
    found = whole.found
    for line in whole.notes:
        speak.say(line)
    for line in found.specialised:
        speak.say(f"specialised to this input: {line}")
    for line in found.idle:
        speak.say(f"left out, for it did nothing in the run: {line}")
    if found.unused:
        names = ", ".join(found.unused[:4]) + (", ..." if len(found.unused) > 4 else "")
        speak.say(f"left out, for the run never used them: {len(found.unused)} tensors ({names})")
    if found.keys:
        speak.say(f"{len(found.keys)} weights have another name; the map is in {weights.name}")
    speak.say(f"{whole.name} is {out}, its weights {weights}. `layerloom {out}` opens it.")


HEADER = ("compared on", "result", "note")
WORDS = {True: "equal", False: "differ", None: "not tried"}
