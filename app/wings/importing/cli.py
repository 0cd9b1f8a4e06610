"""`layerloom import`: a model of torchvision or timm, an ONNX file, or one's own, as a project."""

import argparse
import gc
import math
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, output
from core.runs import full_disk
from core.worker import child_process

if TYPE_CHECKING:
    from core.project.comparison import OutputComparison
    from core.project.inputs import Input
    from core.wings.importing.pipeline import ImportResult


ForwardInputs = tuple[tuple["Input", ...], dict[str, Any], int | None]
"""Inputs, arguments, the dimension of the batch."""
AFTER = "templates"


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("import", help="import a model as a project")
    command.add_argument(
        "source",
        help="torchvision:NAME, timm:NAME[:WEIGHTS], FILE.onnx, or, running your own code: "
        "python:package.module:expression, 'torch.hub:DIR:entry(argument=value)'",
    )
    command.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="project")
    command.add_argument(
        "--weights", type=Path, metavar="OUT", help="safetensors file (default: beside FILE)"
    )
    _declare_inputs(command)
    _declare_options(command)
    command.add_argument(
        "--max-minutes",
        type=float,
        metavar="N",
        help="stop after this time (default: 60)",
    )
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def _declare_inputs(command: argparse.ArgumentParser) -> None:
    """Add what forward takes."""
    command.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="[NAME=]SHAPE[:DTYPE][<BOUND]",
        dest="inputs",
        help="shape of one sample without the batch, such as 3,224,224, or tokens below a bound "
        "'12:int64<100'; once per input, with the name of the argument of forward if needed: "
        "'ids=12:int64' (found by trial if left out)",
    )
    command.add_argument(
        "--batch-dim",
        type=int,
        metavar="N",
        help="dimension of the batch in the original's inputs: 1 for sequence-first models",
    )
    command.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="arguments",
        help="another argument of forward, such as valid_lens=None; once per argument",
    )


def _declare_options(command: argparse.ArgumentParser) -> None:
    """Add what is drawn, and with which weights."""
    command.add_argument(
        "--pretrained", action="store_true", help="download torchvision's trained weights"
    )
    command.add_argument(
        "--heads", action="store_true", help="also draw outputs used only in training"
    )
    command.add_argument(
        "--specialise",
        action="store_true",
        help="draw only the branches that one sample takes, with a warning",
    )
    command.add_argument(
        "--own-python",
        action="store_true",
        help="import classes that cannot be drawn as Python blocks, for you to trust",
    )
    command.add_argument(
        "--keep-unused",
        action="store_true",
        help="also draw layers that forward does not call, so that the state_dict is complete",
    )


def run(args: argparse.Namespace) -> int:
    """Import, check against the original, write project and weights."""
    args.weights = args.weights or args.out.with_name(stem(args.out) + ".safetensors")
    for file, flag in ((args.out, "-o"), (args.weights, "--weights")):
        if file.exists():
            raise output.UsageError(f"{file} exists already.", f"Choose another file with {flag}.")
        if not file.absolute().parent.is_dir():
            raise output.UsageError(
                f"There is no folder {file.parent}.", "Create it, or choose another."
            )
    if args.weights.absolute() == args.out.absolute():
        raise output.UsageError(
            f"{args.out} cannot be both the project and its weights.",
            "Choose another file with --weights.",
        )
    inputs = read_inputs(args)
    if args.max_minutes is not None and not 0 < args.max_minutes < math.inf:
        raise output.UsageError("--max-minutes needs a number above 0.", "Try 120.")
    kind, _, rest = args.source.partition(":")
    if kind in ("python", "torch.hub"):
        child_process.allow_own_python()
        output.say(f"Running your own code: {rest}")
    return _prepared(args, inputs)


def _prepared(args: argparse.Namespace, inputs: ForwardInputs) -> int:
    gc.disable()  # torch makes a hundred thousand objects, and none of them is garbage
    import torch

    from core.common.errors import ImportRefused, NoSource
    from core.common.memory import available_bytes
    from core.engine.step_errors import is_memory
    from core.wings.importing.limits import MINUTES, import_limit, memory_limit
    from core.worker.error_messages import out_of_memory_message

    gc.freeze()
    gc.enable()
    room = None if torch.cuda.is_available() else available_bytes()
    try:
        minutes = MINUTES if args.max_minutes is None else args.max_minutes
        with import_limit(args.source, minutes), memory_limit(room) if room else nullcontext():
            return _import(args, inputs)
    except NoSource as error:
        raise Unreadable(error) from error
    except ImportRefused as error:
        raise Refused(error) from error
    except (MemoryError, RuntimeError) as error:
        if not is_memory(error):
            raise
        raise output.Failed(
            out_of_memory_message(error), "Import a smaller model or input."
        ) from error


class Refused(output.Failed):
    """A model that cannot be imported, with its place."""

    def __init__(self, error: Any) -> None:
        super().__init__(error.message, error.hint)
        self.place = error.place


class Unreadable(output.UsageError):
    """A source that names nothing, with its place."""

    def __init__(self, error: Any) -> None:
        super().__init__(error.message, error.hint)
        self.place = error.place


def read_inputs(args: argparse.Namespace) -> ForwardInputs:
    """Inputs, arguments and the batch's place from the command line. Raises UsageError."""
    from core.project.inputs import InputError, read_argument, read_input

    if args.batch_dim is not None and args.batch_dim not in range(5):
        raise output.UsageError(
            f"--batch-dim {args.batch_dim} is not a valid batch dimension.", "Write 0 or 1."
        )
    try:
        inputs = tuple(read_input(text) for text in args.inputs)
        return inputs, dict(read_argument(text) for text in args.arguments), args.batch_dim
    except InputError as error:
        raise output.UsageError(error.message, error.hint) from error


def _import(args: argparse.Namespace, inputs: ForwardInputs) -> int:
    from core.project.comparison import beside
    from core.wings.importing.pipeline import import_model
    from core.wings.importing.tracing.model_call import InputSpec
    from core.wings.importing.verify.equivalence import NAMES

    compared = Compared(args.out, NAMES, speaks=not args.json)
    on_drawn = partial(_write, args, compared, time.monotonic())
    with files.gone_on_failure(args.out, beside(args.out), args.weights):
        whole = import_model(
            args.source,
            InputSpec(*inputs),
            args.pretrained,
            heads=args.heads,
            on_drawn=on_drawn,
            on_verdict=compared.heard,
            specialise=args.specialise,
            own_python=args.own_python,
            keep_unused=args.keep_unused,
        )
    if args.json:
        output.answer(document(args.out, args.weights, whole))
    else:
        report_notes(args.out, args.weights, whole, args.keep_unused)
    return 0 if is_equal(whole) else 1


def _write(
    args: argparse.Namespace, compared: "Compared", began: float, whole: "ImportResult"
) -> None:
    """Write project and weights, and begin the table of comparisons. began: by time.monotonic."""
    from core.project import save_project
    from core.settings.init_weights import beginning_with

    project = whole.imported.project
    for line in project.specialised:
        output.say(f"specialised: {line}")
    if whole.starts_from_weights and (args.weights.absolute().parent == args.out.absolute().parent):
        project = beginning_with(project, args.weights.name)
    write_weights(whole, args.weights)
    save_project(project, args.out)
    took = time.monotonic() - began
    output.say(f"{args.out} was drawn in {took:.1f} s; comparing it with the original.")
    compared.begin()


def write_weights(whole: "ImportResult", weights: Path) -> None:
    """Write the weights. Raises Failed where the disk does not take them."""
    try:
        whole.write_weights(weights)
    except OSError as error:
        raise output.Failed(
            f"{weights} cannot be written: {error.strerror}.",
            full_disk.advice(
                error,
                weights,
                "Check the folder and the free space, or choose another file with --weights.",
            ),
        ) from error


def is_equal(whole: "ImportResult") -> bool:
    """Whether no verdict, the first included, is against it."""
    return bool(whole.verdicts[0].equal) and all(v.equal is not False for v in whole.verdicts)


class Compared:
    """The verdicts as they are reached: kept beside the project, and rows of a table for people."""

    def __init__(self, project: Path, names: tuple[str, ...], speaks: bool) -> None:
        from core.project.comparison import Comparison

        self.project, self.speaks = project, speaks
        self.found = Comparison(awaited=names)
        self.widths = (max(map(len, (HEADER[0], *names))), max(map(len, WORDS.values())))

    def begin(self) -> None:
        """Before the first one."""
        self._keep()
        self._row(*HEADER)

    def heard(self, verdict: "OutputComparison") -> None:
        """One more."""
        self.found = self.found.heard(verdict)
        self._keep()
        self._row(verdict.title, WORDS[verdict.equal], verdict.note)

    def _keep(self) -> None:
        from core.project.comparison import write_comparison

        write_comparison(self.project, self.found)

    def _row(self, name: str, word: str, note: str) -> None:
        if self.speaks:
            row = f"{name:{self.widths[0]}}  {word:{self.widths[1]}}  {note}"
            output.put(row.rstrip(), flush=True)


def stem(path: Path) -> str:
    """The name of a project's file without its ending."""
    return path.name.removesuffix(".json").removesuffix(".loom")


def document(out: Path, weights: Path, whole: "ImportResult") -> Any:
    """What `--json` prints."""
    found, judged = whole.imported, whole.verdicts
    return {
        "ok": is_equal(whole),
        "file": str(out),
        "weights": str(weights),
        "verdicts": [verdict.as_json() for verdict in judged],
        "keys": found.keys,
        "unused": list(found.unused),
        "idle": list(found.idle),
        "heads": list(found.heads),
        "decisions": list(found.decisions),
        "specialised": list(found.specialised),
        "notes": list(whole.notes),
    }


def report_notes(out: Path, weights: Path, whole: "ImportResult", keep: bool = True) -> None:
    """Tell people what there is to know of it besides the verdicts."""
    found = whole.imported
    for line in whole.notes:
        output.say(line)
    for line in found.specialised:
        output.say(f"specialised to this input: {line}")
    for line in found.idle:
        output.say(f"left out because it did nothing in the run: {line}")
    if found.unused:
        names = ", ".join(found.unused[:4]) + (", ..." if len(found.unused) > 4 else "")
        output.say(
            f"left out because the run did not use them: {len(found.unused)} tensors ({names})"
        )
        if not keep:
            output.say("--keep-unused draws their layers, too.")
    if found.keys:
        output.say(f"{len(found.keys)} weights were renamed; {weights.name} lists the old names")
    opens = f"`layerloom {output.shell_word(out)}` opens it."
    output.say(f"{whole.name} is {out}, its weights {weights}. {opens}")


HEADER = ("compared on", "result", "note")
WORDS = {True: "equal", False: "differ", None: "not tried"}
