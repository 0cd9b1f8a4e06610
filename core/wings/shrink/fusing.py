"""Batch norm folded into the layer before it: an edit of the drawing with the same outputs."""

from torch import nn
from torch.nn.utils import fusion

from blocks import has
from core.graph import Edge
from core.graph.edits import remove, sort_edges
from core.project import Project
from core.wings.shrink.channel_pruning import LAYERS, Weights
from core.wings.shrink.scopes import GraphScope, replace_graph, scopes, with_settings
from core.wings.shrink.way import ShrinkError

EPS = 1e-5


def fuse(project: Project, weights: Weights) -> tuple[Project, Weights, str]:
    """The drawing without the batch norms that follow a layer. Raises ShrinkError where there is
    none.

    weights: the state_dict. Returns the weights under the new drawing's keys and the lines, too.
    """
    folded, lines, reason = dict(weights), list[str](), ""
    for name in [scope.name for scope in scopes(project)]:
        scope = _scope(project, name)
        for norm in [n for n in scope.graph.nodes if has(scope.block(n).block, "batch_statistics")]:
            scope = _scope(project, name)
            why = _apart(scope, norm)
            if why:
                reason = reason or f"{scope.path(norm)} stays: {why}."
                continue
            project = _folded(project, scope, norm, folded, lines)
    if not lines:
        message = reason or "The network has no batch norm."
        raise ShrinkError(message, "There is nothing to fold; use another method.")
    return project, folded, "\n".join(lines)


def _scope(project: Project, name: str) -> GraphScope:
    return next(scope for scope in scopes(project) if scope.name == name)


def _apart(scope: GraphScope, norm: str) -> str:
    """Why a batch norm cannot be folded, "" where it can."""
    nodes, into = scope.graph.nodes, scope.graph.into(norm)
    layer = into[0].source if into else ""
    settings = scope.block(norm).settings
    if not layer or not has(scope.block(layer).block, *LAYERS):
        return "it does not follow a convolution or a Linear"
    if len(scope.graph.out_of(layer)) != 1:
        return f"{layer} also feeds other blocks"
    if any(scope.shares(n) or nodes[n].repeat > 1 for n in (layer, norm)):
        return f"{layer} or {norm} is repeated or shares its weights"
    if scope.computed(layer):
        return f"{layer} computes its weight by {scope.computed(layer)}"
    if settings.get("track_running_stats") is False:
        return "it has no running statistics"
    return ""


def _folded(
    project: Project, scope: GraphScope, norm: str, weights: Weights, lines: list[str]
) -> Project:
    """Take a batch norm out of drawing and weights."""
    layer = scope.graph.into(norm)[0].source
    eps = scope.block(norm).settings.get("eps", EPS)
    for prefix in scope.prefixes:
        _fold(weights, f"{prefix}{layer}.", f"{prefix}{norm}.", float(str(eps)), lines)
    after = scope.graph.out_of(norm)
    graph = remove(scope.graph, norm)
    edges = [
        Edge(layer, scope.graph.into(norm)[0].source_port, e.target, e.target_port) for e in after
    ]
    node = with_settings(graph.nodes[layer], {"bias": None})
    nodes = {**graph.nodes, layer: node}
    graph = type(graph)(nodes, graph.edges, graph.composites, graph.extra)
    graph = type(graph)(
        nodes, sort_edges(graph, (*graph.edges, *edges)), graph.composites, graph.extra
    )
    return replace_graph(project, scope, graph)


def _fold(weights: Weights, layer: str, norm: str, eps: float, lines: list[str]) -> None:
    """Fold the tensors of one batch norm, and write the lines that do so."""
    mean, var = weights.pop(f"{norm}running_mean"), weights.pop(f"{norm}running_var")
    weights.pop(f"{norm}num_batches_tracked", None)
    gamma, beta = (weights.pop(f"{norm}{part}", None) for part in ("weight", "bias"))
    before = weights.get(f"{layer}bias")
    kernel = weights[f"{layer}weight"]
    linear = kernel.dim() == 2
    fold = fusion.fuse_linear_bn_weights if linear else fusion.fuse_conv_bn_weights
    weight, bias = fold(kernel, before, mean, var, eps, gamma, beta)  # pyright: ignore[reportArgumentType]
    weights[f"{layer}weight"], weights[f"{layer}bias"] = _plain(weight), _plain(bias)
    at, by = layer.rstrip("."), norm.rstrip(".")
    kind = "linear" if linear else "conv"
    lines.append(
        f'fused = fuse_{kind}_bn_eval(net.get_submodule("{at}"), '
        f'net.get_submodule("{by}"))\nnet.set_submodule("{at}", fused)\n'
        f'net.set_submodule("{by}", torch.nn.Identity())'
    )


def _plain(value: nn.Parameter) -> nn.Parameter:
    return value.detach().contiguous()  # pyright: ignore[reportReturnType]
