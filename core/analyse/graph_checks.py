"""Findings about a graph as a whole: missing Input or Output, unused results, and own Python that
decides by the values of tensors."""

from collections.abc import Iterator

from core.analyse import fixes
from core.analyse.frame import Frame
from core.analyse.report import Finding
from core.graph import Graph
from core.graph.value_branches import KEPT, value_branches


def check_ends(frame: Frame) -> None:
    """Report a network without an Input or an Output."""
    graph = frame.graph
    if not graph.of_block("Input"):
        frame.add(
            "",
            "no_input",
            "The network has no Input, so it receives no data.",
            "Add an Input block and set the shape of one sample.",
            fixes.start_of_graph(graph),
        )
    if not graph.of_block("Output"):
        frame.add(
            "",
            "no_output",
            "The network has no Output, so it returns nothing.",
            "Add an Output block after the last layer.",
            fixes.end_of_graph(graph),
        )


def warn_unused_results(frame: Frame) -> None:
    """Warn of nodes whose result is unused."""
    graph = frame.graph
    for name, node in graph.nodes.items():
        if (
            node.block == "Output"
            or graph.out_of(name)
            or graph.is_unused(name)
            or frame.path(name) not in frame.findings.nodes
        ):
            continue
        remove = {"title": f"Remove {name}", "edits": [{"op": "remove", "node": name}]}
        entry = node.block == "Input"
        what = "is not connected to any block" if entry else "leads nowhere: its output is not used"
        frame.findings.warnings.append(
            Finding(
                name,
                "unused_input" if entry else "unused_result",
                f"{name} {what}.",
                "Connect it to another block or to an Output, or remove it.",
                (remove,),
            )
        )


def warn_of_decisions(graph: Graph) -> Iterator[Finding]:
    """A warning for each line of own Python that decides by values: some files cannot keep it."""
    for found in value_branches(graph):
        yield Finding(found.path, "decides_by_values", f"{found.path} {found.what}.", KEPT)
