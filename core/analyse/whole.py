"""Findings about the graph as a whole: its ends, shared weights, results that nobody uses."""

from core.analyse import fixes, remedies
from core.analyse.report import Finding
from core.analyse.walk import Frame
from core.source.scope import Scope, Use


def ends(frame: Frame) -> None:
    """A network needs an Input and an Output."""
    graph = frame.graph
    if not graph.of_block("Input"):
        frame.add(
            "", "no_input", "The network has no Input: no data can enter.",
            "Add an Input block and set the shape of one sample.", fixes.start_of_graph(graph),
        )  # fmt: skip
    if not graph.of_block("Output"):
        frame.add(
            "", "no_output", "The network has no Output: it returns nothing.",
            "Add an Output block behind the last layer.", fixes.end_of_graph(graph),
        )  # fmt: skip


def shared(frame: Frame, scope: Scope) -> None:
    """Weights can be shared only with a node of the same block that sees the same sizes."""
    uses = {use.id: use for use in scope.uses}
    for use in scope.uses:
        owner = uses.get(use.owner)
        if use.owner == use.id or (owner and _same_weights(use, owner)):
            continue
        why = (
            f"has {use.settings[0]} while {use.owner} has {owner.settings[0]}"
            if owner
            else "is no layer that owns weights here"
        )
        frame.add(
            use.id, "weights_of",
            f"{frame.path(use.id)} shares the weights of {use.owner}, but {use.owner} {why}."
            if not owner else f"{frame.path(use.id)} shares the weights of {use.owner}, but {why}.",
            "Feed both the same number of channels or features, or give it weights of its own.",
            (remedies.own_weights(frame.drawn(), use.id),),
        )  # fmt: skip


def _same_weights(use: Use, owner: Use) -> bool:
    module = owner.block is None or bool(owner.block.init)
    return module and use.name == owner.name and use.settings == owner.settings


def dead_ends(frame: Frame) -> None:
    """Warn of nodes whose result nobody uses."""
    graph = frame.graph
    for name, node in graph.nodes.items():
        if (
            node.block == "Output"
            or graph.out_of(name)
            or frame.path(name) not in frame.found.nodes
        ):
            continue
        remove = {"title": f"Remove {name}", "edits": [{"op": "remove", "node": name}]}
        entry = node.block == "Input"
        what = "enters, but no block reads it" if entry else "leads nowhere: nobody uses its result"
        frame.found.warnings.append(
            Finding(
                name,
                "unused_input" if entry else "unused_result",
                f"{name} {what}.",
                "Wire it to another block or to an Output, or remove it.",
                (remove,),
            )
        )
