"""All settings of a node: expressions evaluated, inferred from the input, torch's defaults."""

from collections.abc import Mapping
from typing import Any

from blocks import Block, Problem, Signature
from blocks.spec import REQUIRED
from core.graph.expression import evaluate


def evaluate_settings(settings: Mapping[str, Any], env: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate expressions of the composite's settings ("=channels * 2"); the rest stays."""
    return {name: _value(value, env) for name, value in settings.items()}


def _value(value: Any, env: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("="):
        return evaluate(value, env)
    return tuple(_value(v, env) for v in value) if isinstance(value, tuple) else value


def complete_settings(
    block: Block, chosen: Mapping[str, Any], wires: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...], list[Problem]]:
    """Add inferred settings and torch's defaults. Returns all, names of inferred ones, problems."""
    settings: dict[str, Any] = {}
    inferred: list[str] = []
    problems: list[Problem] = []
    for setting in block.settings:
        if setting.name in chosen and not (setting.infer and chosen[setting.name] is None):
            settings[setting.name] = chosen[setting.name]
            continue
        wire = wires.get(setting.infer.port) if setting.infer else None
        size = _size(wire, setting.infer.dim) if setting.infer else None
        if type(size) is int:
            settings[setting.name] = size
            inferred.append(setting.name)
        elif setting.default is not REQUIRED:
            settings[setting.name] = setting.default
        elif setting.infer and isinstance(wire, Signature):
            problems.append(_not_fixed(setting.name, wire))
    return settings, tuple(inferred), problems


def _size(wire: object, dim: int | None) -> object:
    if isinstance(wire, Signature) and dim is None:
        return wire.rank
    if isinstance(wire, Signature) and dim is not None and -wire.rank <= dim < wire.rank:
        return wire.shape[dim]
    return None


def _not_fixed(name: str, wire: Signature) -> Problem:
    return Problem(
        "wrong_rank",
        f"needs a fixed size for {name} but receives {wire}.",
        "Feed it a tensor in which this dimension does not depend on the batch size.",
    )
