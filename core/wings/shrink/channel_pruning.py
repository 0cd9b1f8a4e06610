"""Structured pruning as an edit of the drawing: channels and neurons are removed by the L2 norm of
the weights that make them (Li et al., Pruning Filters for Efficient ConvNets, 2017).

What makes channels and what alone reads them, with only blocks between that leave channels apart,
is a link. Channels that a sum joins with others belong to several layers at once and stay.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from blocks import declaration, has
from core.analyse.report import Report
from core.graph import Node
from core.project import Project
from core.wings.shrink.scopes import (
    GraphScope,
    repeats,
    replace_graph,
    scopes,
    set_width,
    with_settings,
)
from core.wings.shrink.way import ShrinkError

LAYERS = ("dense", "convolves")
"""Traits of layers with a row of weights for each channel they make."""
Weights = dict[str, Tensor]


@dataclass(frozen=True)
class Link:
    """Channels made by one block of a graph and read by one other alone.

    norms: blocks between with a weight for each channel. The inside of a Transformer's layer is a
    link of its own: `inner` names its two Linears.
    """

    scope: GraphScope
    maker: str
    reader: str
    norms: tuple[str, ...] = ()
    inner: tuple[str, str] = ("", "")

    @property
    def setting(self) -> str:
        """The setting with the number of channels."""
        if self.inner[0]:
            return "dim_feedforward"
        return "out_features" if _dense(self.scope, self.maker) else "out_channels"

    def modules(self, prefix: str) -> list[tuple[str, tuple[str, ...], str]]:
        """Prefixes of the keys of (maker, norms, reader) in one module of the scope."""
        if self.inner[0]:
            node = self.scope.graph.nodes[self.maker]
            places = repeats(self.maker, node, prefix)
            return [(f"{p}{self.inner[0]}.", (), f"{p}{self.inner[1]}.") for p in places]
        norms = tuple(f"{prefix}{norm}." for norm in self.norms)
        return [(f"{prefix}{self.maker}.", norms, f"{prefix}{self.reader}.")]


def links(project: Project, report: Report) -> tuple[list[Link], list[str]]:
    """Everything that can be made narrower, and why other layers cannot, in sentences."""
    found, reasons = list[Link](), list[str]()
    for scope in scopes(project):
        for node in scope.graph.nodes:
            block = scope.block(node).block
            if has(block, "feed_forward") and not scope.shares(node):
                found.append(Link(scope, node, node, (), ("linear1", "linear2")))
            elif has(block, *LAYERS):
                made = _link(scope, node, report)
                (found if isinstance(made, Link) else reasons).append(made)  # pyright: ignore[reportArgumentType]
    return found, reasons


def _link(scope: GraphScope, maker: str, report: Report) -> Link | str:
    """The link that begins at a layer, or why there is none."""
    if reason := _apart(scope, maker):
        return f"{scope.path(maker)} stays as wide as it is: {reason}."
    flattened, norms, at = False, list[str](), maker
    while True:
        after = scope.graph.out_of(at)
        if len(after) != 1:
            ends = ", ".join(edge.target for edge in after) or "nothing"
            return f"{scope.path(maker)} stays as wide as it is: {at} feeds {ends}."
        at = after[0].target
        block = scope.block(at).block
        if has(block, *LAYERS):
            break
        if (
            has(block, "batch_statistics")
            and not scope.shares(at)
            and scope.graph.nodes[at].repeat == 1
        ):
            norms.append(at)
        elif _flattens(scope.block(at)):
            flattened = True
        elif not _leaves_apart(block, _dense(scope, maker)):
            return f"{scope.path(maker)} stays as wide as it is: {at} ({block}) reads its channels."
    reason = _apart(scope, at) or _between(scope, maker, at, report, flattened, bool(norms))
    if reason:
        return f"{scope.path(maker)} stays as wide as it is: {reason}."
    return Link(scope, maker, at, tuple(norms))


def _apart(scope: GraphScope, node: str) -> str:
    """Why a layer's weights cannot be cut by themselves, "" where they can."""
    block = scope.block(node)
    if scope.shares(node):
        return f"{node} shares its weights"
    if scope.graph.nodes[node].repeat > 1:
        return f"{node} is repeated"
    if block.settings.get("groups", 1) != 1:
        return f"{node} is grouped"
    if scope.computed(node):
        return f"{node} computes its weight by {scope.computed(node)}"
    return ""


def _between(
    scope: GraphScope, maker: str, reader: str, report: Report, flattened: bool, normed: bool
) -> str:
    linear, reads = (_dense(scope, node) for node in (maker, reader))
    if linear and not reads:
        return f"{reader} reads a dimension of {maker} other than its channels"
    if flattened and not reads:
        return f"{reader} reads flattened values"
    if not linear and reads and not flattened:
        return f"{reader} reads positions, not channels"
    path = next(iter(scope.prefixes)) + maker
    shapes = [s.shape for s in report.nodes[path].outputs.values()] if path in report.nodes else []
    if linear and (flattened or normed) and not all(len(shape) == 2 for shape in shapes):
        return f"{reader} reads several positions of it at once"
    return ""


def _flattens(node: Node) -> bool:
    """Whether a block puts the positions of each channel in a row, channel after channel."""
    settings = {**declaration(node.block).defaults, **node.settings}
    return has(node.block, "flattens") and (settings["start_dim"], settings["end_dim"]) == (1, -1)


def _dense(scope: GraphScope, node: str) -> bool:
    return has(scope.block(node).block, "dense")


def _leaves_apart(block: str, dense: bool) -> bool:
    return has(block, "elementwise", "dropout") or (has(block, "pools") and not dense)


def narrow(
    project: Project, report: Report, weights: Weights, share: float
) -> tuple[Project, Weights, list[str], str]:
    """A narrower drawing, the weights that stay, what stays as it is, and the lines of Python.

    share: of the channels that go. weights: the state_dict of the network. Raises ShrinkError.
    """
    chains, reasons = links(project, report)
    if not chains:
        first = reasons[0] if reasons else "The network has no Linear and no convolution."
        raise ShrinkError(
            first, "Use unstructured pruning or 8-bit weights, which work with any network."
        )
    cut, lines = dict(weights), list[str]()
    for link in chains:
        widths = {use: _kept(link, use, weights, share) for use in link.scope.uses}
        project = set_width(project, link.scope, link.maker, link.setting, widths)
        project = _unsaid(project, link)
        for use, prefixes in link.scope.uses.items():
            for prefix in prefixes:
                for modules in link.modules(prefix):
                    _cut(cut, modules, widths[use], lines)
    return project, cut, reasons, "\n".join(lines)


def _kept(link: Link, use: str, weights: Weights, share: float) -> int:
    """How many channels stay: the same in all repeats, for they are drawn once."""
    maker, _, _ = link.modules(link.scope.uses[use][0])[0]
    return max(1, round(len(weights[f"{maker}weight"]) * (1 - share)))


def _unsaid(project: Project, link: Link) -> Project:
    """Leave sizes that follow from the narrower layer to be inferred."""
    if link.inner[0]:
        return project
    for node in (*link.norms, link.reader):
        scope = next(each for each in scopes(project) if each.name == link.scope.name)
        old = scope.graph.nodes[node]
        unsaid: dict[str, None] = dict.fromkeys(("in_features", "in_channels", "num_features"))
        nodes = {**scope.graph.nodes, node: with_settings(old, unsaid)}
        graph = type(scope.graph)(
            nodes, scope.graph.edges, scope.graph.composites, scope.graph.extra
        )
        project = replace_graph(project, scope, graph)
    return project


def _cut(
    cut: Weights, modules: tuple[str, tuple[str, ...], str], kept: int, lines: list[str]
) -> None:
    """Take channels out of all tensors of a link, and write the lines that do so."""
    maker, norms, reader = modules
    rows = cut[f"{maker}weight"]
    scores = rows.detach().flatten(1).norm(dim=1)
    keep = scores.topk(kept).indices.sort().values
    lines.append(f'norms = w["{maker}weight"].flatten(1).norm(dim=1)')
    lines.append(f"keep = norms.topk({kept}).indices.sort().values")
    for key in _of_channels(cut, maker, norms):
        cut[key] = cut[key][keep].contiguous()
        lines.append(f'w["{key}"] = w["{key}"][keep].contiguous()')
    key, each = f"{reader}weight", cut[f"{reader}weight"].shape[1] // len(rows)
    places = (keep[:, None] * each + torch.arange(each)).flatten()
    cut[key] = cut[key][:, places].contiguous()
    text = "keep" if each == 1 else f"(keep[:, None] * {each} + torch.arange({each})).flatten()"
    lines.append(f'w["{key}"] = w["{key}"][:, {text}].contiguous()')


def _of_channels(cut: Weights, maker: str, norms: tuple[str, ...]) -> Iterator[str]:
    """Keys of tensors with a row for each channel."""
    for prefix in (maker, *norms):
        for name in ("weight", "bias", "running_mean", "running_var"):
            if f"{prefix}{name}" in cut:
                yield f"{prefix}{name}"
