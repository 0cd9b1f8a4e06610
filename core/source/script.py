"""The training script: a file that trains the network by itself, as its run does.

It imports torch and the package its data comes from, and nothing of Layerloom. With one thread
on the same machine it ends with the same weights as the run, bit for bit.
"""

from textwrap import wrap as fold

from core.data.info import DataInfo
from core.project.model import Project
from core.source.data_part import data_imports, load_function, split_function
from core.source.literal import literal, prose
from core.source.model_part import Written, classes_of, imports_for, keep_apart
from core.source.recipe_part import set_up
from core.source.training_part import (
    BATCHES,
    Learning,
    Names,
    epochs_loop,
    evaluate_function,
)
from core.train.resolve import resolve

WIDTH = 88
NAMES = Names("args.epochs", "args.lr", "args.batch_size", "args.out")


def write_script(project: Project, report: Written, info: DataInfo) -> str:
    """Write a standalone training script for a project whose analysis gave a source.

    Raises ValueError without a source, TrainingError for wrong training settings.
    """
    model = source_of(report)
    training = resolve(project.training, info.task, info.losses)
    learning = Learning(info, training, NAMES, report.class_name, "    ")
    functions = [
        split_function(info),
        load_function(info),
        BATCHES,
        evaluate_function(learning),
        _arguments(learning),
        _main(learning),
    ]
    ours = "\n\n\n".join(text for text in functions if text)
    start = 'if __name__ == "__main__":\n    main()'
    seed = f"SEED = {literal(training['seed'])}"
    further = ("import argparse", *data_imports(info))
    head = [docstring(project, info), imports_for(model, further), seed]
    lead = keep_apart(model, "\n\n".join(head[2:]), ["SEED"])
    ours = keep_apart(model, ours, ["SEED"])
    head_text = f"{head[0]}\n\n{_parted(head[1])}\n\n{lead}"
    return "\n\n\n".join([head_text, classes_of(model), ours, start]) + "\n"


def source_of(report: Written) -> str:
    """The model file of a report. Raises ValueError when there is none."""
    if report.source is None:
        raise ValueError("The network has errors, so there is no source to train.")
    return report.source


def docstring(project: Project, info: DataInfo) -> str:
    """The first lines of a file: what it trains on what, and what it needs."""
    title = prose(project.name) or "the network"
    about = prose(project.about)
    needs = f"Needs torch and {info.package}. Written by Layerloom; --help says what can be set."
    paragraphs = [f"Train {title}: {info.summary}", *([about] if about else []), needs]
    folded = ["\n".join(fold(text, WIDTH - 4)) for text in paragraphs]
    return '"""' + "\n\n".join(folded) + '\n"""'


def _parted(imports: str) -> str:
    """Put an empty line after the imports of the standard library."""
    return imports.replace("import argparse\n", "import argparse\n\n")


def _arguments(learning: Learning) -> str:
    training = learning.training
    options = [
        ("epochs", f"type=int, default={literal(training['epochs'])}"),
        ("lr", f"type=float, default={literal(training['lr'])}"),
        ("batch-size", f"type=int, default={literal(training['batch_size'])}"),
        ("device", f"default={device_text(training['device'])}"),
        ("out", 'default="model.pt", help="file for the best weights"'),
    ]
    if learning.info.package == "torchvision":
        where = "folder of the data set, which is downloaded there if it is missing"
        options.append(("data", f'default="data", help="{where}"'))
    lines = [line for name, given in options for line in _option(name, given)]
    return "\n".join(
        [
            "def parse_arguments() -> argparse.Namespace:",
            "    parser = argparse.ArgumentParser(description=__doc__)",
            *lines,
            "    return parser.parse_args()",
        ]
    )


def _option(name: str, given: str) -> list[str]:
    line = f'    parser.add_argument("--{name}", {given})'
    if len(line) <= WIDTH:
        return [line]
    words = [f'"--{name}"', *given.split(", ", 1)]
    one = f"        {', '.join(words)}"
    inner = [one] if len(one) <= WIDTH else [f"        {word}," for word in words]
    return ["    parser.add_argument(", *inner, "    )"]


def device_text(device: str) -> str:
    """The expression that names the device to train on."""
    if device == "auto":
        return '"cuda" if torch.cuda.is_available() else "cpu"'
    return literal(device)


def _main(learning: Learning) -> str:
    unit = learning.info.standardised_target
    call = "load_data(args.data)" if learning.info.package == "torchvision" else "load_data()"
    parts = [f"*parts, unit = {call}"] if unit else []
    threads = learning.training["threads"]
    body = [
        "args = parse_arguments()",
        "device = torch.device(args.device)",
        *([f"torch.set_num_threads({literal(threads)})"] if threads else []),
        *parts,
        f"parts = [part.to(device) for part in {'parts' if unit else call}]",
        "train_x, train_y, val_x, val_y = parts",
        "",
        *set_up(learning),
        "",
        *epochs_loop(learning),
    ]
    lines = ["def main() -> None:", *(f"    {line}".rstrip() for line in body)]
    return "\n".join(lines)
