"""The settings that the Sweep page can search, and a search in the syntax of the command."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.pages.shared import setting_widgets
from blocks import CATALOGUE, has
from blocks.spec import Setting
from core.graph.ports import block_of
from core.project import Project
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import TRAINING
from core.sweep.search_space import POWERS, text_of

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
        if block := block_of(node.block, project.graph.composites):
            found += [
                _of(s, f"{name}.{s.name}", node.settings.get(s.name), f"{name}.{s.name}")
                for s in block.settings
                if not (s.infer or s.call)
            ]
        if has(node.block, "hidden"):
            others = tuple(each for each in CATALOGUE if has(each, "hidden"))
            key = f"{name}.block"
            found.append(Searchable(key, f"{name}: activation", "choice", node.block, others))
    return [each for each in found if each is not None]


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
        return f"{value / 10:.1g}", f"{min(value * 10, 1.0):.1g}", True
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
