"""Warnings about own Python that decides by the values of tensors: some files cannot keep it."""

from collections.abc import Iterator

from core.analyse.report import Finding
from core.graph import Graph
from core.graph.deciding import KEPT, deciding


def warn_of_decisions(graph: Graph) -> Iterator[Finding]:
    """A warning for each line that decides by values."""
    for found in deciding(graph):
        yield Finding(found.path, "decides_by_values", f"{found.path} {found.what}.", KEPT)
