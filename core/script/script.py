"""The training script: a file that trains the network by itself, as its run does.

It imports torch and the package its data comes from, and nothing of Layerloom. With one thread
on the same machine it ends with the same weights as the run, bit for bit.
"""

from dataclasses import replace

from core.data.facts.info import DataInfo
from core.project.model import Project
from core.script import (
    accelerations,
    custom_files,
    distillation,
    init_weights,
    loop,
    ranks,
    reading,
)
from core.script.final_test import test_lines
from core.script.head import docstring
from core.script.learning import Learning, Names
from core.script.model import Written
from core.script.optim import set_up
from core.script.program import file_of, functions_of, imports_of, program_of
from core.script.training import epochs_loop
from core.source.layout import WIDTH
from core.source.literal import literal

NAMES = Names("args.epochs", "args.lr", "args.batch_size", "args.out", "args.start", "args.teacher")


def write_script(
    project: Project,
    report: Written,
    info: DataInfo,
    teacher: Written | None = None,
    shuffled: bool = False,
    processes: bool = False,
) -> str:
    """Write a standalone training script for a project whose analysis gave a source.

    teacher: of a project that learns from one, its classes named apart from the network's.
    shuffled: with DataLoader's own shuffle, as tutorials have it, in place of the run's batches.
    processes: so that torchrun may start it in several processes, which share each step.
    Raises ValueError without a source, TrainingError for wrong training settings, and for those
    that processes cannot share.
    """
    learning = program_of(project, report, info, teacher, NAMES, "    ")
    learning = replace(learning, shuffled=shuffled)
    learning = ranks.for_ranks(learning) if processes else learning
    functions = functions_of(learning)
    imports = ("import argparse", *imports_of(learning), *loop.imports(learning.training))
    written = [*functions.read, *functions.learn, arguments(learning), _main(learning)]
    return file_of(learning, docstring(project, learning), imports, written)


def arguments(learning: Learning) -> str:
    """The function that reads what may be set."""
    training = learning.training
    options = [
        ("epochs", f"type=int, default={literal(training['epochs'])}"),
        ("lr", f"type=float, default={literal(training['lr'])}"),
        ("batch-size", f"type=int, default={literal(training['batch_size'])}"),
        *ranks.option(learning),
        ("device", f"default={device_text(ranks.device_of(learning))}"),
        ("out", 'default="model.pt", help="file for the best weights"'),
        *init_weights.option(training),
        *distillation.option(training),
    ]
    info = learning.info
    if name := custom_files.argument(info):
        where = f"the {name} with the data"
        if info.package == "torchvision":
            where = "folder of the data set; it is downloaded if missing"
        options.append(
            ("data", f'default={literal(custom_files.default_path(info))}, help="{where}"')
        )
    lines = [line for name, text in options for line in _option(name, text)]
    return "\n".join(
        [
            "def parse_arguments() -> argparse.Namespace:",
            "    parser = argparse.ArgumentParser(description=__doc__)",
            *lines,
            "    return parser.parse_args()",
        ]
    )


def _option(name: str, text: str) -> list[str]:
    line = f'    parser.add_argument("--{name}", {text})'
    if len(line) <= WIDTH:
        return [line]
    words = [f'"--{name}"', *text.split(", ", 1)]
    one = f"        {', '.join(words)}"
    inner = [one] if len(one) <= WIDTH else [f"        {word}," for word in words]
    return ["    parser.add_argument(", *inner, "    )"]


def device_text(device: str) -> str:
    """The expression that names the device to train on."""
    if device == "auto":
        return '"cuda" if torch.cuda.is_available() else "cpu"'
    return literal(device)


def _main(learning: Learning) -> str:
    return main_function(
        [
            *beginning(learning),
            "",
            *set_up(learning),
            "",
            *epochs_loop(learning),
            *test_lines(learning),
            *ranks.end_lines(learning),
        ]
    )


def main_function(body: list[str]) -> str:
    """The function `main` of these lines."""
    return "\n".join(["def main() -> None:", *(f"    {line}".rstrip() for line in body)])


def beginning(learning: Learning) -> list[str]:
    """Lines that read arguments and data."""
    threads = learning.training["threads"]
    return [
        "args = parse_arguments()",
        *ranks.start_lines(learning),
        *accelerations.deterministic_lines(learning.training),
        "device = torch.device(args.device)",
        *([f"torch.set_num_threads({literal(threads)})"] if threads else []),
        *ranks.first_process_first(learning, reading.lines(learning.info, "args.data")),
    ]
