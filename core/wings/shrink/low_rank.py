"""Low-rank factors: a Linear becomes two smaller ones in a row, by its singular values."""

import torch

from blocks import has
from core.graph import Node
from core.graph.edits import insert
from core.project import Project
from core.wings.shrink.channel_pruning import Weights
from core.wings.shrink.scopes import GraphScope, replace_graph, scopes, with_settings
from core.wings.shrink.way import ShrinkError

LEAST = 32
"""Inputs or outputs of a Linear below which its few singular values all count."""


def split(project: Project, weights: Weights, share: float) -> tuple[Project, Weights, str]:
    """The drawing with each Linear that is worth it split in two, its weights, and the lines.

    share: of the Linear's weights that go. Raises ShrinkError where there is none.
    """
    made, lines, reason = dict(weights), list[str](), ""
    for name in [scope.name for scope in scopes(project)]:
        for node in next(s for s in scopes(project) if s.name == name).graph.nodes:
            scope = next(scope for scope in scopes(project) if scope.name == name)
            if not has(scope.block(node).block, "dense"):
                continue
            rank, why = _rank(scope, node, made, share)
            if why:
                reason = reason or f"{scope.path(node)} stays whole: {why}."
                continue
            project = _split(project, scope, node, rank, made, lines)
    if not lines:
        message = reason or "The network has no Linear."
        raise ShrinkError(
            message, "Use structured pruning, or 8-bit weights, which support convolutions."
        )
    return project, made, "\n".join(lines)


def _rank(scope: GraphScope, node: str, weights: Weights, share: float) -> tuple[int, str]:
    """How many singular values stay, and why none can go."""
    if scope.shares(node) or scope.graph.nodes[node].repeat > 1:
        return 0, "it is repeated or shares its weights"
    if scope.computed(node):
        return 0, f"it computes its weight by {scope.computed(node)}"
    shapes = [weights[f"{prefix}{node}.weight"].shape for prefix in scope.prefixes]
    smallest = min(shapes, key=lambda shape: shape[0] * shape[1])
    rank = int((1 - share) * smallest[0] * smallest[1] / sum(smallest))
    if min(smallest) < LEAST or rank < 1:
        return 0, f"{smallest[1]} x {smallest[0]} weights are too few"
    return rank, ""


def _split(
    project: Project, scope: GraphScope, node: str, rank: int, weights: Weights, lines: list[str]
) -> Project:
    """Put the narrow Linear before the other one, in drawing and weights."""
    narrow = f"{node}_low"
    while narrow in scope.graph.nodes:
        narrow += "_"
    edge = scope.graph.into(node)[0]
    fresh = Node("Linear", {"out_features": rank, "bias": False})
    graph = insert(scope.graph, narrow, fresh, node, edge.target_port)
    wide = with_settings(graph.nodes[node], {"in_features": None})
    graph = type(graph)({**graph.nodes, node: wide}, graph.edges, graph.composites, graph.extra)
    for prefix in scope.prefixes:
        key, low = f"{prefix}{node}.weight", f"{prefix}{narrow}.weight"
        u, s, v = torch.linalg.svd(weights[key], full_matrices=False)
        weights[key] = (u[:, :rank] * s[:rank].sqrt()).contiguous()
        weights[low] = (s[:rank].sqrt()[:, None] * v[:rank]).contiguous()
        lines.append(f'u, s, v = torch.linalg.svd(w["{key}"], full_matrices=False)')
        lines.append(f'w["{key}"] = (u[:, :{rank}] * s[:{rank}].sqrt()).contiguous()')
        lines.append(f'w["{low}"] = (s[:{rank}].sqrt()[:, None] * v[:{rank}]).contiguous()')
    return replace_graph(project, scope, graph)
