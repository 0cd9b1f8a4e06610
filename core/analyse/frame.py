"""The state of an analysis: the findings of all graphs, and the values of one graph (a frame)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from blocks import Problem, Signature
from core.analyse import fixes, remedies
from core.analyse.report import Finding, NodeReport
from core.graph import Composite, Graph
from core.graph.ports import resolve
from core.source.scope import Use, Value


@dataclass
class Findings:
    """The findings of a whole analysis, over all composites."""

    nodes: dict[str, NodeReport] = field(default_factory=lambda: {})
    errors: list[Finding] = field(default_factory=lambda: [])
    warnings: list[Finding] = field(default_factory=lambda: [])

    @property
    def count(self) -> int:
        """The number of errors and warnings."""
        return len(self.errors) + len(self.warnings)


@dataclass
class Frame:
    """One graph under analysis: the main one, or one repetition of one use of a composite.

    bound_inputs: signatures of the Input nodes from outside, None for the main graph. env: values
    of the composite's settings. prefix: path of the use with a trailing dot, "" for the main graph.
    """

    graph: Graph
    composites: Mapping[str, Composite]
    findings: Findings
    bound_inputs: Mapping[str, Signature] | None = None
    env: Mapping[str, Any] = field(default_factory=lambda: {})
    prefix: str = ""
    name: str = ""
    values: dict[Value, Signature] = field(default_factory=lambda: {})
    uses: list[Use] = field(default_factory=lambda: [])

    @cached_property
    def env_text(self) -> str:
        """The values of the composite's settings as a key that distinguishes 1 from 1.0."""
        return repr(self.env) if self.env else ""

    def path(self, node: str) -> str:
        return self.prefix + node

    def full_graph(self) -> Graph:
        """The graph with all composites, as fixes need it."""
        same = self.graph.composites is self.composites
        return self.graph if same else replace(self.graph, composites=self.composites)

    def report(
        self, node: str, problems: Iterable[Problem], details: str = "", offers: Any = ()
    ) -> None:
        """Add errors of a node: its id goes in front, fixes name nodes.

        offers: fixes that are absolute already. If nothing else fixes it, removing the node is
        offered.
        """
        graph = self.full_graph()
        for problem in problems:
            all_ = (
                *offers,
                *fixes.absolute_fixes(graph, node, problem.fixes, self.bound_inputs is not None),
            )
            if not any(edit["op"] != "disconnect" for o in all_ for edit in o["edits"]):
                all_ = (*all_, *remedies.bypass_node(graph, node))
            message = f"{self.path(node)} {problem.message}"
            self.add(node, problem.code, message, problem.hint, all_, details)

    def add(
        self, node: str, code: str, message: str, hint: str, offers: Any = (), details: str = ""
    ) -> None:
        """Add an error with its full message."""
        path = self.path(node) if node else self.prefix.rstrip(".")
        self.findings.errors.append(
            Finding(path, code, message, hint, self._offers(offers), details)
        )

    def warn(self, node: str, problems: Iterable[Problem], offers: Any = ()) -> None:
        """Add warnings of a node. offers: fixes that are absolute already."""
        for problem in problems:
            own = fixes.absolute_fixes(
                self.full_graph(), node, problem.fixes, self.bound_inputs is not None
            )
            message = f"{self.path(node)} {problem.message}"
            every = self._offers((*offers, *own))
            warning = Finding(self.path(node), problem.code, message, problem.hint, every)
            self.findings.warnings.append(warning)

    def _offers(self, offers: Iterable[fixes.Offer]) -> tuple[fixes.Offer, ...]:
        if not self.name:
            return tuple(offers)
        inside = {"composite": self.name}
        return tuple(
            {"title": o["title"], "edits": [{**inside, **edit} for edit in o["edits"]]}
            for o in offers
        )

    def set_state(self, node: str, state: Any, **more: Any) -> None:
        """Add the report of a node with its state."""
        path = self.path(node)
        block = resolve(self.graph.nodes[node], self.graph.nodes).block
        depth = 1 + path.count(".")
        self.findings.nodes[path] = NodeReport(path, block, state, depth=depth, **more)
