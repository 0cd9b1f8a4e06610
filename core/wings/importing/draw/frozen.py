"""Frozen parameters (requires_grad=False) of the original are frozen in its drawing.

A node is frozen as a whole. One of which only a part is frozen learns, and is named.
"""

from collections.abc import Iterator, Mapping

from torch import nn

from core.source.rates import factor_of
from core.wings.importing.draw.draft import Draft, DraftNode
from core.wings.importing.tracing.leaf_modules import leaf_block
from core.wings.importing.tracing.run_sample import meta_copy


def freeze(draft: Draft, module: nn.Module) -> list[str]:
    """Freeze the nodes whose parameters are all frozen; returns what cannot be kept, for people."""
    if all(parameter.requires_grad for parameter in module.parameters()):
        return []
    messages: list[str] = []
    for node in draft.nodes.values():
        _mark(node, dict(module.named_modules()), messages)
    trained = meta_copy(module).train()
    norms = {id(norm) for norm in frozen_norms(trained) if norm.training}
    messages += [
        f"{path} is frozen: the drawing keeps its running statistics in training, the original "
        "keeps changing them"
        for path, part in trained.named_modules()
        if id(part) in norms
    ]
    return messages


def _mark(node: DraftNode, modules: Mapping[str, nn.Module], messages: list[str]) -> bool | None:
    """Freeze a node; returns whether it is frozen, None if it has no parameters."""
    if node.owner:
        return None
    if node.inner is not None:
        inside = [_mark(part, modules, messages) for part in node.inner.nodes.values()]
        learns = [frozen for frozen in inside if frozen is not None]
        node.frozen = bool(learns) and all(learns)
        if node.frozen:
            for part in node.inner.nodes.values():
                part.frozen = False  # stated by the use of the whole
        return node.frozen if learns else None
    if node.path not in modules:
        return node.settings.get("requires_grad") is False if _is_parameter(node) else None
    own = modules[node.path]
    learned = [p.requires_grad for p in own.parameters(recurse=bool(leaf_block(own)))]
    node.frozen = bool(learned) and not any(learned)
    if any(learned) and not all(learned):
        messages.append(
            f"{node.path}: part of it is frozen in the original; the drawing trains all of it"
        )
    return node.frozen if learned else None


def _is_parameter(node: DraftNode) -> bool:
    return node.block is not None and node.block.name == "Parameter"


def apply_frozen(module: nn.Module, rates: Mapping[str, float]) -> nn.Module:
    """Set requires_grad=False on a built module's frozen weights. rates: 0 for frozen nodes."""
    for name, weight in module.named_parameters():
        if factor_of(name, rates) == 0.0:
            weight.requires_grad_(False)
    return module


def frozen_norms(module: nn.Module) -> Iterator[nn.Module]:
    """Norms that are frozen: their running statistics must not change."""
    for part in module.modules():
        learned = [p.requires_grad for p in part.parameters(recurse=False)]
        if getattr(part, "track_running_stats", False) and learned and not any(learned):
            yield part
