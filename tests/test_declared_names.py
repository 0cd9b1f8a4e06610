"""Facts of an optimiser, schedule, loss, metric, launcher or device stand beside its declaration.

Outside its home nothing names one: it asks for traits. Counted are texts that are equal to a name.
A function is not named by a text either, where no type checker, rename or reader follows it.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

from core.common.device import KINDS as DEVICES
from core.settings.launcher import KINDS
from core.settings.lr_schedulers import SCHEDULES
from core.settings.optimizers import OPTIMIZERS
from core.tasks.metric_labels import METRICS
from core.tasks.registry import LOSSES
from tests.test_house import OURS, name, tree

TORCH = ("core/importing/", "core/wings/importing/", "core/wings/cards/scripts/")
"""These read and write names of PyTorch's own functions and classes."""
OTHERWISE = {"loss", "balanced"}
"""Metrics whose name a setting and a sampler have, too."""


@dataclass(frozen=True)
class Declared:
    """What is declared. home: where it may be named; most: how often it is elsewhere at most."""

    names: frozenset[str]
    home: tuple[str, ...]
    most: int = 0


KEYS = ("core/engine/rng.py", "core/worker/job_queue.py", "core/worker/supervisor.py")
"""Keys of checkpoints, tickets and jobs that are called as a device."""
SCRIPT = ("core/engine/torchrun_functions.py",)
"""Goes into training scripts word for word, where only torch is."""
CARD = "core/wings/cards/training/lr_schedules.py"
EVERY = {
    "optimisers": Declared(frozenset(OPTIMIZERS), ("core/settings/optimizers.py",)),
    "schedules": Declared(frozenset(SCHEDULES), ("core/settings/lr_schedulers.py", CARD)),
    "losses": Declared(frozenset(LOSSES), ("core/tasks/", "blocks/")),
    "metrics": Declared(frozenset(METRICS) - OTHERWISE, ("core/tasks/",), most=14),
    "devices": Declared(frozenset(DEVICES), ("core/common/device.py", *KEYS, *SCRIPT), most=0),
    "launchers": Declared(frozenset(KINDS), ("core/wings/launch/", "core/settings/launcher.py")),
}


def docstrings(whole: ast.Module) -> set[int]:
    """The texts that stand alone, as statements."""
    alone = (node.value for node in ast.walk(whole) if isinstance(node, ast.Expr))
    return {id(value) for value in alone if isinstance(value, ast.Constant)}


def named(whole: ast.Module, names: frozenset[str]) -> Iterator[str]:
    """Each place of a file where a text is one of the names."""
    free = docstrings(whole)
    for node in ast.walk(whole):
        if isinstance(node, ast.Constant) and node.value in names and id(node) not in free:
            yield f"{node.lineno}: {node.value}"


def outside(declared: Declared, files: Mapping[str, ast.Module]) -> list[str]:
    """Each place outside its home that names one."""
    return [
        f"{where}:{place}"
        for where, whole in files.items()
        if not where.startswith((*declared.home, *TORCH))
        for place in named(whole, declared.names)
    ]


@pytest.mark.parametrize("kind", EVERY)
def test_what_is_declared_is_named_at_home(kind: str) -> None:
    found = outside(EVERY[kind], {name(path): tree(path) for path in OURS})
    assert len(found) <= EVERY[kind].most, "\n".join(found)


def test_the_rule_sees_lists_comparisons_and_keys_but_no_docstring() -> None:
    text = '''
"""Adam"""
A = ("SGD", "Adam", "other")
B = {"Muon": 1, "x": "SGD or Adam"}
C = training.get("optimizer", "AdamW") == "SGD"
'''
    files = {"core/x.py": ast.parse(text), "core/settings/optimizers.py": ast.parse(text)}
    assert sorted(outside(EVERY["optimisers"], files)) == [
        "core/x.py:3: Adam",
        "core/x.py:3: SGD",
        "core/x.py:4: Muon",
        "core/x.py:5: AdamW",
        "core/x.py:5: SGD",
    ]


FUNCTION = re.compile(r"(app|blocks|core)(\.[a-z_]+)+:[A-Za-z_]+")
SHOWN = {
    "core.data.batches.reading:hide",
    "core.data.batches.reading:pairs",
    "core.data.batches.reading:partners",
    "core.data.batches.reading:triplets",
    "core.tasks.ctc:edit_distance",
    "core.tasks.ctc:greedy_decode",
    "core.tasks.focal_loss:FocalLoss",
    "core.tasks.quantile_regression:PinballLoss",
}
"""Functions and losses whose text a training script shows: it is read, not called."""


def by_text(whole: ast.Module) -> list[str]:
    """Each "module:function" of a file."""
    texts = (node.value for node in ast.walk(whole) if isinstance(node, ast.Constant))
    return [text for text in texts if isinstance(text, str) and FUNCTION.fullmatch(text)]


def test_functions_are_named_by_text_only_where_a_script_shows_theirs() -> None:
    assert {text for path in OURS for text in by_text(tree(path))} == SHOWN


def test_a_function_in_a_text_is_noticed() -> None:
    assert by_text(
        ast.parse('KIND = {"rows": "core.tasks.metrics:errors", "unit": "core:mm"}')
    ) == ["core.tasks.metrics:errors"]


def test_how_many_batches_make_a_step_is_read_in_one_place() -> None:
    """Others ask `StepSettings`; what is left are texts of scripts, a card, tables of settings."""
    found = [name(path) for path in OURS if re.search(r"\baccumulate\b", path.read_text("utf-8"))]
    assert len(found) <= 10, "\n".join(found)
