"""`layerloom import`: a model of torchvision, or the user's own, as a project with its weights."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import speak

if TYPE_CHECKING:
    from core.importing import Imported
    from core.importing.sources import Source
    from core.importing.verdicts import Verdict


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("import", help="a model you already have, as a project")
    command.add_argument(
        "source", help="torchvision:NAME, or python:package.module:expression (runs that code)"
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
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Import, check against the original, write project and weights."""
    from core.importing import ImportRefused

    if args.out.exists():
        raise speak.UsageError(f"{args.out} exists already.", "Name another file with -o.")
    shapes = [shape(text) for text in args.inputs]
    if args.source.startswith("python:"):
        speak.say(f"Running your own code: {args.source.removeprefix('python:')}")
    try:
        return _import(args, shapes)
    except ImportRefused as error:
        raise Refused(error) from error


class Refused(speak.Failed):
    """A model that cannot be imported, with its place."""

    def __init__(self, error: Any) -> None:
        super().__init__(error.message, error.hint)
        self.place = error.place


def shape(text: str) -> tuple[int, ...]:
    """Read 3,224,224. Raises UsageError for anything else."""
    if not re.fullmatch(r"\d+(,\d+)*", text):
        raise speak.UsageError(f"--input {text} is no shape.", "Write one such as 3,224,224.")
    return tuple(int(part) for part in text.split(","))


def _import(args: argparse.Namespace, shapes: list[tuple[int, ...]]) -> int:
    from core.analyse import analyse, build
    from core.importing import import_module
    from core.importing.sources import open_source
    from core.importing.verdicts import verdicts
    from core.importing.weights import everything, write_weights
    from core.project import save_project

    source = open_source(args.source, shapes, args.pretrained)
    found = import_module(source.module, source.shapes, source.name)
    report = analyse(found.project.graph, found.project.name)
    if report.source is None:
        first = report.errors[0]
        raise speak.Failed(f"The drawing has an error: {first.message}", first.hint)
    state = everything(source.module)
    judged = verdicts(source.module, build(report.source), found.keys, source.shapes)
    save_project(found.project, args.out)
    weights = args.weights or args.out.with_name(stem(args.out) + ".safetensors")
    write_weights(weights, state, found.keys)
    if args.json:
        speak.answer(document(args.out, weights, found, judged))
    else:
        tell(args.out, weights, source, found, judged)
    return 0 if judged[0].equal else 1


def stem(path: Path) -> str:
    """The name of a project's file without its ending."""
    return path.name.removesuffix(".json").removesuffix(".loom")


def document(out: Path, weights: Path, found: "Imported", judged: "list[Verdict]") -> Any:
    """What `--json` prints."""
    return {
        "ok": bool(judged[0].equal),
        "file": str(out),
        "weights": str(weights),
        "verdicts": [{"name": v.name, "equal": v.equal, "note": v.note} for v in judged],
        "keys": found.keys,
        "unused": list(found.unused),
        "idle": list(found.idle),
        "specialised": list(found.specialised),
    }


def tell(
    out: Path, weights: Path, source: "Source", found: "Imported", judged: "list[Verdict]"
) -> None:
    """Tell people what was imported and how it compares."""
    rows = [(v.name, WORDS[v.equal], v.note) for v in judged]
    print(speak.table(("compared on", "bits", "note"), rows))
    for line in found.specialised:
        speak.say(f"specialised to this input: {line}")
    for line in found.idle:
        speak.say(f"left out, for it did nothing in the run: {line}")
    if found.unused:
        names = ", ".join(found.unused[:4]) + (", ..." if len(found.unused) > 4 else "")
        speak.say(f"left out, for the run never used them: {len(found.unused)} tensors ({names})")
    if found.keys:
        speak.say(f"{len(found.keys)} weights have another name; the map is in {weights.name}")
    speak.say(f"{source.name} is {out}, its weights {weights}. `layerloom {out}` opens it.")


WORDS = {True: "equal", False: "differ", None: "not tried"}
