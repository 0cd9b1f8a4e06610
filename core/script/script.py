"""The training script: a file that trains the network by itself, as its run does.

It imports torch and the package its data comes from, and nothing of Layerloom. With one thread
on the same machine it ends with the same weights as the run, bit for bit.
"""

import ast
from dataclasses import replace
from textwrap import wrap as fold
from typing import Any

from core.data.info import DataInfo
from core.data.picture_sets import PICTURE_SETS
from core.project.model import Project
from core.script import (
    accelerations,
    batches,
    columns,
    data,
    distillation,
    epochs,
    final_test,
    init_weights,
    loop,
    losses,
    own_dataset,
    own_files,
    streamed,
    validation,
)
from core.script.data import load_function, split_function
from core.script.learning import Learning, Names
from core.script.model import Written, classes_of, imports_for, keep_apart
from core.script.optim import set_up
from core.script.param_groups import groups_function
from core.script.training import epochs_loop, evaluate_function
from core.settings.validate import resolve
from core.source.literal import literal, prose

WIDTH = 88
SHUFFLED = "Samples come in an order of DataLoader's own, so it ends near the run, not equal to it."
STANDARD = ("argparse", "collections", "contextlib", "csv", "datetime", "math", "os", "pydoc_data",
            "time", "unicodedata")  # fmt: skip
NAMES = Names("args.epochs", "args.lr", "args.batch_size", "args.out", "args.start",
              "args.teacher")  # fmt: skip


def write_script(
    project: Project,
    report: Written,
    info: DataInfo,
    teacher: Written | None = None,
    shuffled: bool = False,
) -> str:
    """Write a standalone training script for a project whose analysis gave a source.

    teacher: of a project that learns from one, its classes named apart from the network's.
    shuffled: with DataLoader's own shuffle, as tutorials have it, in place of the run's batches.
    Raises ValueError without a source, TrainingError for wrong training settings.
    """
    model = source_of(report)
    training = resolve(project.training, info.task, info.losses)
    learning = learning_of(report, info, training, NAMES, "    ", teacher)
    learning = replace(learning, shuffled=shuffled)
    functions = [*functions_of(learning, model), arguments(learning), _main(learning)]
    ours = "\n\n\n".join(text for text in functions if text)
    start = 'if __name__ == "__main__":\n    main()'
    seed = f"SEED = {literal(training['seed'])}"
    further = (
        "import argparse",
        *imports_of(learning),
        *imports_of_weights(training, teacher),
        *accelerations.imports(training),
        *loop.imports(training),
    )
    head = [
        docstring(project, info, training, shuffled=shuffled),
        imports_for(model, further),
        seed,
    ]
    lead = keep_apart(model, "\n\n".join(head[2:]), ["SEED"])
    ours = keep_apart(model, ours, ["SEED"])
    head_text = f"{head[0]}\n\n{parted(head[1])}\n\n{lead}"
    pieces = [head_text, classes_of(model), distillation.classes(teacher), ours, start]
    return "\n\n\n".join(piece for piece in pieces if piece) + "\n"


def imports_of_weights(training: dict[str, Any], teacher: Written | None) -> tuple[str, ...]:
    """The import lines that reading weights needs: those to begin with, those of a teacher."""
    return (*init_weights.imports(training), *distillation.imports(training, teacher))


def learning_of(
    report: Written, info: DataInfo, training: dict[str, Any], names: Names, indent: str,
    teacher: Written | None = None,
) -> Learning:  # fmt: skip
    """What the training part is written from. Raises TrainingError where a teacher is missing."""
    distillation.wanted(training, teacher)
    name = teacher.class_name if teacher and distillation.teaches(training) else ""
    model = source_of(report)
    rates = getattr(report, "rates", {})
    learns = getattr(report, "trainable_params", 1) > 0
    return Learning(info, training, names, report.class_name, indent, outputs_of(model), rates,
                    model, name, learns)  # fmt: skip


def functions_of(learning: Learning, model: str) -> list[str]:
    """The functions of a training file: reading the data, batches, losses, evaluation."""
    info = learning.info
    definitions = (
        *losses.classes(learning), groups_function(learning), *distillation.functions(learning)
    )  # fmt: skip
    groups = "\n\n\n".join(text for text in definitions if text)
    texts = _texts(learning, model, groups)
    own_dataset.check_apart(info, model, [t for t in texts if t not in data.functions(info)])
    return texts


def _texts(learning: Learning, model: str, groups: str) -> list[str]:
    info = learning.info
    if info.streamed:
        return streamed.functions(learning, [batches.functions(learning), groups])
    if info.plain:
        read = [split_function(info), *data.functions(info), load_function(info)]
        return [*read, batches.functions(learning), groups, evaluate_function(learning)]
    by_class = columns.stratified(info) or not info.parts.usual
    split = split_function(info) if by_class else ""
    return [
        split,
        *columns.functions(info),
        columns.load_function(info),
        batches.functions(learning),
        groups,
        losses.loss_function(learning),
        validation.evaluate_function(learning, "rand" in model or "bernoulli" in model),
    ]


def imports_of(learning: Learning) -> tuple[str, ...]:
    """The import lines that data and batches need."""
    info = learning.info
    lines = streamed.imports(info) if info.streamed else (*data.imports(info), *batches.LOADER)
    return batches.imports(lines, learning.training, learning.shuffled)


def outputs_of(model: str) -> int:
    """How many results the last class of a model file gives."""
    last = [part for part in ast.parse(model).body if isinstance(part, ast.ClassDef)][-1]
    (forward,) = [p for p in last.body if isinstance(p, ast.FunctionDef) and p.name == "forward"]
    annotation = forward.returns
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        return len(annotation.slice.elts)
    return 1


def source_of(report: Written) -> str:
    """The model file of a report. Raises ValueError when there is none."""
    if report.source is None:
        raise ValueError("The network has errors, so there is no source to train.")
    return report.source


def docstring(
    project: Project,
    info: DataInfo,
    training: dict[str, Any],
    also: str = "",
    shuffled: bool = False,
) -> str:
    """The first lines of a file: what it trains on what, and what it needs.

    also: a package that it needs beside torch.
    """
    title = prose(project.name) or "the network"
    about = prose(project.about)
    package = needed(info)
    package = f", {also}{package}" if also and package else f" and {also}" if also else package
    needs = f"Needs torch{package}. Written by Layerloom; --help says what can be set."
    paragraphs = [f"Train {title}: {info.summary}", *([about] if about else []), needs]
    paragraphs += [SHUFFLED] if shuffled else []
    paragraphs += [init_weights.NOTE] if init_weights.starts(training) else []
    paragraphs += [distillation.NOTE] if distillation.teaches(training) else []
    folded = ["\n".join(fold(text, WIDTH - 4)) for text in paragraphs]
    return '"""' + "\n\n".join(folded) + '\n"""'


def needed(info: DataInfo) -> str:
    """The packages that a file needs beside torch."""
    package = "torchvision" if info.streamed else info.package
    package = "numpy" if package == "files" and info.source == "NPZ" else package
    package = own_dataset.needs(info) if own_dataset.brings(info) else package
    if info.origin.by_file and PICTURE_SETS[info.source].requires:
        return f", {PICTURE_SETS[info.source].requires} and {package}"
    return "" if package in ("", "Python", "files") else f" and {package}"


def parted(imports: str) -> str:
    """Put an empty line after the imports of the standard library."""
    own = [line for line in imports.splitlines() if line.split()[1].split(".")[0] in STANDARD]
    rest = [line for line in imports.splitlines() if line not in own]
    return "\n".join([*own, "", *rest])


def arguments(learning: Learning) -> str:
    """The function that reads what may be set."""
    training = learning.training
    options = [
        ("epochs", f"type=int, default={literal(training['epochs'])}"),
        ("lr", f"type=float, default={literal(training['lr'])}"),
        ("batch-size", f"type=int, default={literal(training['batch_size'])}"),
        ("device", f"default={device_text(training['device'])}"),
        ("out", 'default="model.pt", help="file for the best weights"'),
        *init_weights.option(training),
        *distillation.option(training),
    ]
    info = learning.info
    if name := own_files.argument(info):
        where = f"the {name} with the data"
        if info.package == "torchvision":
            where = "folder of the data set, which is downloaded there if it is missing"
        options.append(("data", f'default={literal(own_files.place(info))}, help="{where}"'))
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
    body = [
        *beginning(learning),
        "",
        *set_up(learning),
        "",
        *(epochs_loop if learning.info.plain else epochs.epochs_loop)(learning),
        *final_test.test_lines(learning),
    ]
    lines = ["def main() -> None:", *(f"    {line}".rstrip() for line in body)]
    return "\n".join(lines)


def beginning(learning: Learning) -> list[str]:
    """Lines that read arguments and data."""
    unit = learning.info.standardised_target and learning.info.plain
    call = "load_data(args.data)" if own_files.argument(learning.info) else "load_data()"
    apart = [f"*parts, unit = {call}"] if unit else []
    threads = learning.training["threads"]
    return [
        "args = parse_arguments()",
        *accelerations.deterministic_lines(learning.training),
        "device = torch.device(args.device)",
        *([f"torch.set_num_threads({literal(threads)})"] if threads else []),
        *reading(learning, call, apart),
    ]


def reading(learning: Learning, call: str, unit: list[str]) -> list[str]:
    """Lines that read the data, however it is brought to the network."""
    tests = learning.info.parts.tests
    if learning.info.streamed:
        return streamed.call_lines(call, tests)
    if learning.info.plain:
        return read_lines(call, unit, tests)
    return columns_lines(call, learning.info.standardised_target, tests)


def read_lines(call: str, unit: list[str], tests: bool) -> list[str]:
    """Lines that read inputs and targets of all parts; `unit` reads a unit apart."""
    return [
        *unit,
        f"parts = [part.to(device) for part in {'parts' if unit else call}]",
        f"train_x, train_y, val_x, val_y{', test_x, test_y' if tests else ''} = parts",
    ]


def columns_lines(call: str, unit: bool, tests: bool) -> list[str]:
    """Lines that read the columns of all parts, and the unit of numbers that are told."""
    names = ["train", "val", *(["test"] if tests else [])]
    return [
        f"{', '.join(names)}{', unit' if unit else ''} = {call}",
        *(f"{name} = [column.to(device) for column in {name}]" for name in names),
    ]
