"""The settings that the Sweep page can search, and a search in the syntax of the command."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.pages.shared import setting_widgets
from blocks import CATALOGUE, has, of_family
from blocks.spec import Block, Setting
from core.graph.model import Graph, Node
from core.graph.ports import block_of
from core.project import Project
from core.settings.literal import text_of
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import POWERS, TRAINING

OFTEN = ("lr", "batch_size", "optimizer")
RARER = ("warmup", "accumulate", "clip_norm", "grad_noise", "ema_decay", "decay_of", "seed")
LEFT_OUT = (
    "eps",
    "maximize",
    "foreach",
    "capturable",
    "differentiable",
    "fused",
    "inplace",
    "batch_first",
    "amsgrad",
)
"""Settings of optimisers and blocks that are not worth a search."""
SWAPPED = ("pooling", "normalisation", "recurrent", "dropout")
"""Families of blocks of which one can stand in another's place."""
LEAVABLE = ("normalisation", "dropout")
"""Families of blocks that give what they receive in its shape, so that they can be left out."""
DIMENSIONS = re.compile(r"[123]d$")
NUMBERS = ("int", "float", "size")


@dataclass(frozen=True)
class Searchable:
    """A key that can be searched. kind: int, float, bool or choice; value: what it is now."""

    key: str
    title: str
    kind: str
    value: Any
    choices: tuple[Any, ...] = ()

    @property
    def number(self) -> bool:
        """Whether it is searched as a range."""
        return self.kind in ("int", "float")


def searchable(project: Project) -> list[Searchable]:
    """Every key that the page offers: of the training, its optimiser, then block by block."""
    declared = {setting.name: setting for setting in TRAINING}
    training = project.training
    optimiser = str(training.get("optimizer", declared["optimizer"].default))
    found = [_of(declared[name], name, training.get(name)) for name in OFTEN]
    own = OPTIMIZERS[optimiser].settings if optimiser in OPTIMIZERS else ()
    inner = training.get("optimizer_settings", {})
    for setting in own:
        key, value = f"optimizer_settings.{setting.name}", inner.get(setting.name)
        found.append(_of(setting, key, value, f"{setting_widgets.title(setting)} ({optimiser})"))
    found += [_of(declared[name], name, training.get(name)) for name in RARER]
    for name, node in project.graph.nodes.items():
        found += _of_node(project.graph, name, node)
    return [each for each in found if each is not None]


def _of_node(graph: Graph, name: str, node: Node) -> list[Searchable | None]:
    """What can be searched of a block: its settings, its repeats, and blocks in its place."""
    found: list[Searchable | None] = []
    if block := block_of(node.block, graph.composites):
        found += [
            _of(s, f"{name}.{s.name}", node.settings.get(s.name), f"{name}.{s.name}")
            for s in block.settings
            if not (s.infer or s.call)
        ]
    elif composite := graph.composites.get(node.block):
        found += [
            _of_composite(f"{name}.{key}", node.settings.get(key, value))
            for key, value in composite.settings.items()
        ]
    if node.block in graph.composites or node.repeat > 1:
        found.append(Searchable(f"{name}.repeat", f"{name}: repeats", "int", node.repeat))
    if node.repeat > 1 or has(node.block, "elementwise") or of_family(node.block, *LEAVABLE):
        found.append(Searchable(f"{name}.kept", f"{name}: kept", "bool", True, (True, False)))
    if others := alternatives(node.block):
        word = "activation" if has(node.block, "hidden") else "block"
        found.append(Searchable(f"{name}.block", f"{name}: {word}", "choice", node.block, others))
    return found


def _of_composite(key: str, value: Any) -> Searchable | None:
    """A setting of a composite, or None if it is neither a number nor true or false."""
    if isinstance(value, bool):
        return Searchable(key, key, "bool", value, (True, False))
    if isinstance(value, int | float):
        return Searchable(key, key, "int" if isinstance(value, int) else "float", value)
    return None


def alternatives(block: str) -> tuple[str, ...]:
    """Blocks that can be tried in place of one, itself among them; () where there are none."""
    if has(block, "hidden"):
        return tuple(each for each in CATALOGUE if has(each, "hidden"))
    own = CATALOGUE.get(block)
    if own is None or own.family not in SWAPPED:
        return ()
    found = [
        each.name
        for each in CATALOGUE.values()
        if each.family == own.family and _ends(each) == _ends(own)
    ]
    return tuple(found) if len(found) > 1 else ()


def _ends(block: Block) -> tuple[str, ...]:
    """What blocks in each other's place have in common: the first ports, and 1d, 2d or 3d."""
    dimensions = DIMENSIONS.search(block.name)
    first = (port.name for ports in (block.inputs, block.outputs) for port in ports[:1])
    return (*first, dimensions[0] if dimensions else "")


def _of(setting: Setting, key: str, value: Any, title: str = "") -> Searchable | None:
    """A setting as something to search, or None if it is neither a number nor a choice."""
    plain = setting.default if value is None else value
    title = title or setting_widgets.title(setting)
    if setting.name in LEFT_OUT:
        return None
    if setting.kind == "bool":
        return Searchable(key, title, "bool", plain is True, (True, False))
    if setting.kind == "choice":
        return Searchable(key, title, "choice", plain, setting.choices)
    number = isinstance(plain, int | float) and not isinstance(plain, bool)
    if setting.kind not in NUMBERS or not (number or setting.optional or setting.kind != "size"):
        return None
    if isinstance(plain, tuple | list):
        return None
    return Searchable(
        key, title, "float" if setting.kind == "float" else "int", plain if number else None
    )


def suggestion(each: Searchable) -> tuple[str, str, bool]:
    """A range around the value of a number, as text; whether its scale is logarithmic."""
    name = each.key.rpartition(".")[2]
    if each.kind == "int":
        value = each.value if isinstance(each.value, int) and each.value > 0 else 4
        return str(max(1, value // 2)), str(max(2, value * 2)), False
    if name in POWERS:
        value = each.value or 1e-3
        return f"{value / 10:.1g}", f"{min(value * 10, max(1.0, value * 3)):.1g}", True
    value = each.value if isinstance(each.value, int | float) and each.value > 0 else 0.25
    return "0", f"{min(2 * value, 0.9) if value < 1 else 2 * value:g}", False


def range_text(key: str, low: str, high: str, powers: bool) -> str:
    """A range of numbers as `--search` takes it."""
    return f"{key}={low.strip()}..{high.strip()}{':log' if powers else ''}"


def choices_text(key: str, chosen: Sequence[Any]) -> str:
    """A choice of values as `--search` takes it."""
    return f"{key}={','.join(text_of(value) for value in chosen)}"


def titles(project: Project, keys: Sequence[str]) -> dict[str, str]:
    """The titles of keys on the page."""
    known = {each.key: each.title for each in searchable(project)}
    return {key: known.get(key, key) for key in keys}
