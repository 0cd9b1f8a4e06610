"""Which own Python of a project this user has not trusted."""

from core.files.trust import trusted
from core.graph import Graph


def untrusted(graph: Graph) -> tuple[str, ...]:
    """Names of the blocks of a project whose Python this user has not trusted."""
    return tuple(
        name for name, part in graph.composites.items() if part.python and not trusted(part.python)
    )
