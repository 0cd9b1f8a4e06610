"""Title of a project: its name, or a description until it has one ("MLP on iris")."""

import re
from collections.abc import Iterator
from pathlib import PurePath

from blocks import NETWORKS, declaration, has, of_family
from core.graph import Graph
from core.project.model import Project

UNNAMED = ("", "Untitled")
"""Names that nobody gave: new projects have had the second one."""
LONGEST_NAME = 120
"""Of how many characters a name may have that somebody types."""
EMPTY = "Empty project"
DENSE = "MLP"
U_NET = ("convolves", "pools", "transposed", "regroups")
"""What a U-Net is made of: it goes down, up again, and joins what it was at each size."""


def is_named(project: Project) -> bool:
    """Whether somebody gave the project a name."""
    return project.name.strip() not in UNNAMED


def title(project: Project) -> str:
    """Return the project's name, or else its kind of network and its data; before it is drawn the
    data alone, where somebody brought it.

    The kind follows from the blocks, also from those in composites and in PyTorch's functions.
    Any other network is a "Network of 5 blocks", not counting Input and Output.
    """
    if is_named(project):
        return project.name
    kind, source = kind_of(project.graph), _source(project)
    if kind == EMPTY:
        return source if source and _own_path(project) else kind
    return f"{kind} on {source}" if source else kind


def kind_of(graph: Graph) -> str:
    """Return the usual name of a kind of network: MLP, CNN, LSTM."""
    blocks = list(_blocks(graph))
    kinds = [declaration(block).network for block in blocks]
    kind = next((kind for kind in NETWORKS if kind in kinds), "")
    if kind not in ("", DENSE):
        u_net = all(any(has(block, trait) for block in blocks) for trait in U_NET)
        return "U-Net" if u_net else kind
    if kind and all(_is_of_mlp(block) for block in blocks):
        return DENSE if kinds.count(DENSE) > 1 else "Linear model"
    inner = [node for node in graph.nodes.values() if not has(node.block, "end")]
    if not inner:
        return EMPTY
    return "Network of one block" if len(inner) == 1 else f"Network of {len(inner)} blocks"


def _blocks(graph: Graph) -> Iterator[str]:
    """The blocks of a drawing and of the composites it holds."""
    graphs = [graph, *(composite.graph for composite in graph.composites.values())]
    return (node.block for each in graphs for node in each.nodes.values())


def _is_of_mlp(block: str) -> bool:
    """Whether a block takes nothing from an MLP's name; one that is not known does."""
    plain = ("ends", "linear", "activation", "dropout", "normalisation", "shape", "arithmetic")
    return of_family(block, *plain)


def _own_path(project: Project) -> str:
    """The file or folder of one's own data, "" for a data set that comes with the program."""
    paths = (project.data.get("file"), project.data.get("root"))
    return next((path for path in paths if isinstance(path, str) and path), "")


def _source(project: Project) -> str:
    """The data in words: the name of a data set, or of one's own file; "" without data."""
    source = project.data.get("source")
    if path := _own_path(project):
        source = PurePath(path).name.partition(".")[0]
    words = re.sub(r"[^\w+-]+|_+", " ", source) if isinstance(source, str) else ""
    return " ".join(words.split())[:40].strip()
