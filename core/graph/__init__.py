"""The graph of a drawing as an immutable value: nodes, edges, composites, and edits of them."""

from core.graph.model import Composite, Edge, Graph, GraphError, Node

__all__ = ["Composite", "Edge", "Graph", "GraphError", "Node"]
