"""Shared weights (weights_of): the owner must be a layer with the same settings."""

from blocks import has
from blocks.validate import show_value
from core.analyse import remedies
from core.analyse.frame import Frame
from core.graph.ports import resolve
from core.source.scope import Scope, Use


def check_weight_sharing(frame: Frame, scope: Scope) -> None:
    """Report the nodes of one graph that share weights which do not exist, or do not fit."""
    uses = {use.id: use for use in scope.uses}
    nodes = frame.graph.nodes
    for name, node in nodes.items():
        if not node.weights_of or node.weights_of not in nodes:
            continue
        owner, use = uses.get(node.weights_of), uses.get(name)
        if nodes[node.weights_of].weights_of:
            _second_hand(frame, name, node.weights_of)
        elif has(resolve(node, nodes).block, "end") or (owner and not owner.is_module):
            why = f"{node.weights_of} is not a layer with its own weights"
            _add(frame, name, why, remedies.own_weights(frame.full_graph(), name))
        elif owner and use and (why := _difference(use, owner)):
            _add(frame, name, why, remedies.own_weights(frame.full_graph(), name))


def _add(frame: Frame, name: str, why: str, offer: remedies.Offer) -> None:
    owner = frame.graph.nodes[name].weights_of
    frame.add(
        name,
        "weights_of",
        f"{frame.path(name)} shares the weights of {owner}, but {why}.",
        "Feed both the same number of channels or features, or give it its own weights.",
        (offer,),
    )


def _second_hand(frame: Frame, name: str, owner: str) -> None:
    """Report a node that shares with one that itself shares; the final owner may be offered."""
    nodes, seen = frame.graph.nodes, {owner}
    root = nodes[owner].weights_of
    while root in nodes and nodes[root].weights_of and root not in seen:
        seen.add(root)
        root = nodes[root].weights_of
    offer = remedies.offer(
        f"Share the weights of {root}", {"op": "share", "node": name, "with": root}
    )
    if name != root and remedies.is_applicable(frame.full_graph(), offer):
        _add(frame, name, f"{owner} itself shares the weights of {root}", offer)
    else:
        alone = remedies.own_weights(frame.full_graph(), name)
        _add(frame, name, f"{owner} has no weights of its own", alone)


def _difference(use: Use, owner: Use, mine: str = "it", theirs: str = "") -> str:
    """The first setting in which two uses of a layer, or of what is inside them, differ."""
    theirs = theirs or owner.id
    for here, there in zip(use.settings, owner.settings, strict=False):
        for key, value in here.items():
            if value != there.get(key):
                other = show_value(there.get(key))
                return f"{mine} has {key} {show_value(value)} while {theirs} has {other}"
    for here, there in zip(use.inner, owner.inner, strict=False):
        for one, other in zip(here.uses, there.uses, strict=False):
            inside = f"its {one.id}" if mine == "it" else f"{mine}.{one.id}"
            if why := _difference(one, other, inside, f"{theirs}.{other.id}"):
                return why
    return ""
