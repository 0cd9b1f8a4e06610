"""The drawing as a value: nodes, edges, composites, and the few edits that make a new one."""

from core.graph.model import Composite, Edge, Graph, GraphError, Node

__all__ = ["Composite", "Edge", "Graph", "GraphError", "Node"]
