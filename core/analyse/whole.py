"""Findings about the graph as a whole: its ends, results that nobody uses."""

from core.analyse import fixes
from core.analyse.frame import Frame
from core.analyse.report import Finding


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
