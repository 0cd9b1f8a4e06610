"""The lines of a training file that read a custom Dataset, with its source."""

import ast
import sys
from collections.abc import Iterable, Mapping

from core.common.errors import TrainingError
from core.data.custom.dataset_file import KIND
from core.data.facts.info import DataInfo
from core.source.layout import wrap_inside
from core.source.literal import literal
from core.tasks.registry import draws_input, per_pixel

OURS = """\
import argparse
import math
import time
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Sampler, TensorDataset
SEED = 0
def main(): ...
def parse_arguments(): ...
"""
"""Names that a training file uses besides its composed functions."""


def has_custom_dataset(info: DataInfo) -> bool:
    """Whether the data is a class of the user's own."""
    return info.source == KIND


def imports(info: DataInfo) -> tuple[str, ...]:
    """The import lines of the file with the class, and what reading it needs."""
    tree = ast.parse(info.layout["text"])
    lines = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import)]
    lines += [ast.unparse(node) for node in tree.body if isinstance(node, ast.ImportFrom)]
    missing = {m: name for m, (name, imported) in _generators(tree).items() if not imported}
    lines += [
        f"import {m}" if m == name else f"import {m} as {name}" for m, name in missing.items()
    ]
    more = ["from itertools import islice"] if info.layout["streamed"] else []
    return tuple(dict.fromkeys([*lines, *more]))


def _generators(tree: ast.Module) -> dict[str, tuple[str, bool]]:
    """Modules that a class may draw from: the name of each, and whether the file imports it."""
    parts = [part for node in tree.body if isinstance(node, ast.Import) for part in node.names]
    taken, found = bound_names(ast.unparse(tree), ""), dict[str, tuple[str, bool]]()
    for module in ("random", "numpy"):
        names = [part.asname or module for part in parts if part.name == module]
        names += [
            module for part in parts if part.name.startswith(f"{module}.") and not part.asname
        ]
        new = f"seeded_{module}" if module in taken else module
        found[module] = (names[0], True) if names else (new, False)
    return found


def packages(info: DataInfo) -> str:
    """Packages that the file imports beside torch, for a sentence."""
    words = {line.split()[1].split(".")[0].rstrip(",") for line in imports(info)}
    return ", ".join(sorted(words - {"torch"} - sys.stdlib_module_names))


def text(info: DataInfo) -> str:
    """The file as it stands, without what stands at the top of the training file. Seeds come before
    what draws as soon as it is read."""
    whole = info.layout["text"]
    lines, tree = whole.split("\n"), ast.parse(whole)
    for number, node in enumerate(tree.body):
        docstring = not number and isinstance(node, ast.Expr)
        if docstring or isinstance(node, ast.Import | ast.ImportFrom):
            rows = range(node.lineno - 1, node.end_lineno or node.lineno)
            lines = ["\0" if row in rows else line for row, line in enumerate(lines)]
    own = "\n".join(line for line in lines if line != "\0").strip("\n")
    return "\n".join([*_seeds(info), "", "", own]) if _draws_at_once(tree) else own


def read_lines(info: DataInfo) -> list[str]:
    """Lines that read its samples into `inputs` and their answers."""
    many, streamed = literal(info.origin.samples), info.layout["streamed"]
    workers = info.custom.workers if info.custom else 0
    options = [
        f"{info.layout['class']}()",
        "batch_size=None",
        *([] if streamed else [f"sampler=range({many})"]),
        *([f"num_workers={literal(workers)}"] if workers else []),
        "generator=torch.Generator()",
    ]
    made = f"loader = DataLoader({', '.join(options)})"
    samples = f"islice(loader, {many})" if streamed else "loader"
    whole = f"pairs = [tuple(map(torch.as_tensor, pair)) for pair in {samples}]"
    return [
        *_seeds(info),
        *wrap_inside("    ", made),
        *wrap_inside("    ", whole),
        "inputs = torch.stack([x.float() for x, _ in pairs])",
        *_answers(info),
    ]


def _seeds(info: DataInfo) -> list[str]:
    """What the class may draw is the same each time, whatever it draws from."""
    names = {k: name for k, (name, _) in _generators(ast.parse(info.layout["text"])).items()}
    numbers = [f"{names['random']}.seed(0)", f"{names['numpy']}.random.seed(0)"]
    return [*numbers, "torch.manual_seed(0)"]


def _draws_at_once(tree: ast.Module) -> bool:
    """Whether anything is called before a data set is made, which may draw."""
    inside = {
        call
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for statement in node.body
        for call in ast.walk(statement)
    }
    return any(isinstance(node, ast.Call) and node not in inside for node in ast.walk(tree))


def _answers(info: DataInfo) -> list[str]:
    name = "labels" if info.classes else "targets"
    if not info.classes and (draws_input(info.task) or per_pixel(info.task)):
        return []
    lines = [f"{name} = torch.tensor([y.item() for _, y in pairs])"]
    if info.classes and not info.layout["named"]:
        lines.append("_, labels = labels.unique(return_inverse=True)")
    return lines


def check_names(info: DataInfo, model: str, others: Iterable[str]) -> None:
    """Refuse names that a training file uses for something else. Raises TrainingError."""
    if not has_custom_dataset(info):
        return
    head = "\n".join(imports(info))
    mine = bound_names(f"{head}\n{text(info)}", "mine")
    theirs = dict(bound_names("\n\n".join([OURS, model, *others]), "theirs"))
    for name, origin in mine.items():
        if theirs.get(name, origin) != origin:
            message = f"{info.custom.path if info.custom else KIND} calls something {name}, which"
            message += " a training file uses itself."
            raise TrainingError("data", message, f"Give {name} another name there.")


def bound_names(text: str, whose: str) -> Mapping[str, str]:
    """Names that a text binds at its top, and what each is: where it comes from, or whose."""
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for part in node.names:
                found[part.asname or part.name.split(".")[0]] = f"{module}{part.name}"
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = whose
        else:
            names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
            found |= {name.id: whose for name in names if isinstance(name.ctx, ast.Store)}
    return found
