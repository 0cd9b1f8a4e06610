"""A function that a run calls stands in a training file word for word, not retyped."""

import ast
import functools
from collections.abc import Iterator

import pytest

from core.script.excerpt import ROOT, excerpt, excerpt_of
from core.script.lightning import write_lightning
from tests.core.script.alone import script_of
from tests.core.script.hand_made import CASES, VISION

WRITTEN = {
    "compute_loss": "from the losses that the project names",
    "evaluate": "from the losses and metrics of the task",
    "features": "from the columns of a table",
    "load_data": "from what the data set's declaration says",
    "main": "from all settings",
    "opened": "what torchvision's ImageFolder opens a picture with; a run decodes into its cache",
    "parse_arguments": "from what may be set",
    "readable": "what ImageFolder leaves a picture out by; a run says why it does",
    "taught_loss": "from how much the teacher's answers count",
    "Samples": "torchvision's transforms one picture at a time; a run varies batches",
}
"""What no run calls, and what it is made of."""
ALIKE = 0.6
"""Share of a function's statements that stand in one function of a run: then it is a copy."""
Definition = ast.FunctionDef | ast.ClassDef


def definitions(text: str) -> dict[str, str]:
    """The functions and classes of a file, by name, as they are written; models apart."""
    lines, found = text.splitlines(), dict[str, str]()
    for node in ast.parse(text).body:
        if isinstance(node, Definition) and not is_model(node):
            first = min(part.lineno for part in (node, *node.decorator_list))
            found[node.name] = "\n".join(lines[first - 1 : node.end_lineno])
    return found


def is_model(node: ast.stmt) -> bool:
    """Whether it is a class of the network, or Lightning's module around it."""
    bases = {ast.unparse(base) for base in getattr(node, "bases", [])}
    return bool(
        bases & {"nn.Module", "nn.Sequential", "nn.ModuleDict", "lightning.LightningModule"}
    )


@functools.cache
def product() -> dict[str, dict[str, str]]:
    """The functions and classes of what a run executes, by file and name."""
    rooms = ("core/data", "core/engine", "core/samples", "core/tasks")
    files = [file for room in rooms for file in sorted((ROOT / room).rglob("*.py"))]
    return {str(file.relative_to(ROOT)): definitions(file.read_text("utf-8")) for file in files}


@functools.cache
def statements(text: str) -> frozenset[str]:
    """The plain statements of a function, without its docstring."""
    kinds = ast.Assign | ast.AugAssign | ast.Return | ast.Expr
    return frozenset(
        ast.unparse(node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kinds) and not isinstance(getattr(node, "value", None), ast.Constant)
    )


def faults(script: str) -> Iterator[str]:
    """Functions of a file that are neither a run's own nor known to be written for a file."""
    executed = [(name, text) for file in product().values() for name, text in file.items()]
    for name, text in definitions(script).items():
        if (name, text) in executed:
            continue
        if name not in WRITTEN:
            yield f"{name} stands like that in no file that a run executes"
        own = statements(text)
        for other, twin in executed:
            if len(own) > 2 and len(own & statements(twin)) >= ALIKE * len(own):
                yield f"{name} is {other}, retyped"


RETYPED = """\
def parts(labels, count):
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(SEED))
    rank = torch.arange(len(labels)) * count
    chosen = torch.empty(len(labels), dtype=torch.bool)
    by_class = labels[order].argsort(stable=True)
    chosen[by_class] = (rank + count) // len(labels) > rank // len(labels)
    return order[~chosen], order[chosen]
"""


@pytest.mark.gate
@pytest.mark.parametrize("name", [*CASES, *VISION])
def test_a_script_holds_the_functions_of_a_run_as_they_are(name: str) -> None:
    """Scripts of templates, of own data and with a teacher are held to it where they are made."""
    assert list(faults(script_of(name))) == []


def test_a_lightning_script_holds_them_too() -> None:
    made = CASES["lenet"]()
    text = write_lightning(made.project, made.report, made.info)
    assert list(faults(text)) == []
    assert excerpt("core.data.batches.epochs", "EpochBatches") in text


def test_a_copy_under_another_name_is_found() -> None:
    assert list(faults(RETYPED)) == [
        "parts stands like that in no file that a run executes",
        "parts is split, retyped",
    ]
    assert list(faults(RETYPED.replace("parts", "load_data"))) == ["load_data is split, retyped"]


def test_a_function_comes_with_its_decorators_and_by_its_reference() -> None:
    text = excerpt_of("core.data.table.arrays:Arrays")
    assert text.startswith("@dataclass")
    assert excerpt("core.data.table.arrays", "Arrays") == text


def test_what_is_excerpted_is_formatted_at_88_characters_too() -> None:
    names = {
        "core.data.batches.epochs": "EpochBatches",
        "core.data.pictures.pixels": "statistics",
        "core.data.batches.split": "split",
        "core.engine.distillation": "distillation_loss",
        "core.engine.param_groups": "param_groups",
    }
    texts = [excerpt(module, name) for module, name in names.items()]
    assert [line for text in texts for line in text.splitlines() if len(line) > 88] == []
