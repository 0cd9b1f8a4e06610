"""The walk along the wires: every node gets its settings, its signatures, or what is wrong with it.

A fault stops only what depends on it: everything else keeps its shapes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from blocks import CATALOGUE, Port, Problem, Signature
from blocks.spec import REQUIRED
from core.analyse import fixes, remedies, rewiring
from core.analyse.report import Finding, NodeReport
from core.graph import Composite, Edge, Graph, Node
from core.graph.order import loops, order
from core.graph.ports import has_port, input_ports, resolve, write_edge
from core.source.scope import Scope, Use, Value

Wires = dict[str, Value | tuple[Value, ...]]


@dataclass
class Findings:
    """What a whole walk collects, over all composites."""

    nodes: dict[str, NodeReport] = field(default_factory=lambda: {})
    errors: list[Finding] = field(default_factory=lambda: [])
    warnings: list[Finding] = field(default_factory=lambda: [])

    @property
    def count(self) -> int:
        """How many there are of both."""
        return len(self.errors) + len(self.warnings)


@dataclass
class Frame:
    """One graph being walked: the main one, or one repetition of one use of a composite.

    bound: signatures of the Input nodes from outside, None for the main graph. env: values of the
    composite's settings. prefix: path of the use, with a dot behind, "" for the main graph.
    """

    graph: Graph
    composites: Mapping[str, Composite]
    found: Findings
    bound: Mapping[str, Signature] | None = None
    env: Mapping[str, Any] = field(default_factory=lambda: {})
    prefix: str = ""
    name: str = ""
    values: dict[Value, Signature] = field(default_factory=lambda: {})
    uses: list[Use] = field(default_factory=lambda: [])

    @cached_property
    def env_text(self) -> str:
        """The values of the composite's settings, told apart by type as well: 1 is not 1.0."""
        return repr(self.env) if self.env else ""

    def path(self, node: str) -> str:
        return self.prefix + node

    def drawn(self) -> Graph:
        """The graph with all composites beside it, as the edits of fixes need it."""
        same = self.graph.composites is self.composites
        return self.graph if same else replace(self.graph, composites=self.composites)

    def report(
        self, node: str, problems: Iterable[Problem], details: str = "", offers: Any = ()
    ) -> None:
        """File problems under a node: its id comes in front, fixes name nodes.

        offers: fixes that are absolute already. Where nothing else mends, the node may be left out.
        """
        graph = self.drawn()
        for problem in problems:
            all_ = (*offers, *fixes.absolute(graph, node, problem.fixes, self.bound is not None))
            if not any(edit["op"] != "disconnect" for o in all_ for edit in o["edits"]):
                all_ = (*all_, *remedies.taken_out(graph, node))
            message = f"{self.path(node)} {problem.message}"
            self.add(node, problem.code, message, problem.hint, all_, details)

    def add(
        self, node: str, code: str, message: str, hint: str, offers: Any = (), details: str = ""
    ) -> None:
        """File an error with its full sentence."""
        path = self.path(node) if node else self.prefix.rstrip(".")
        self.found.errors.append(Finding(path, code, message, hint, self._offers(offers), details))

    def warn(self, node: str, problems: Iterable[Problem]) -> None:
        """File warnings under a node."""
        for problem in problems:
            offers = self._offers(
                fixes.absolute(self.drawn(), node, problem.fixes, self.bound is not None)
            )
            message = f"{self.path(node)} {problem.message}"
            warning = Finding(self.path(node), problem.code, message, problem.hint, offers)
            self.found.warnings.append(warning)

    def _offers(self, offers: Iterable[fixes.Offer]) -> tuple[fixes.Offer, ...]:
        if not self.name:
            return tuple(offers)
        inside = {"composite": self.name}
        return tuple(
            {"title": o["title"], "edits": [{**inside, **edit} for edit in o["edits"]]}
            for o in offers
        )

    def mark(self, node: str, state: Any, **more: Any) -> None:
        """Report a node's state."""
        path = self.path(node)
        block = resolve(self.graph.nodes[node], self.graph.nodes).block
        depth = 1 + path.count(".")
        self.found.nodes[path] = NodeReport(path, block, state, depth=depth, **more)


def walk(frame: Frame) -> Scope:
    """Visit every node of a graph, sources first. Findings are filed in the frame."""
    from core.analyse.visit import visit  # the walk goes into composites, and back here

    ordered = order(frame.graph)
    if len(ordered) < len(frame.graph.nodes):
        _report_loops(frame, set(frame.graph.nodes) - set(ordered))
    for node in ordered:
        visit(frame, node)
    ends = [(n, frame.graph.into(n)) for n in frame.graph.of_block("Output")]
    results = tuple((n, Value(wires[0].source, wires[0].source_port)) for n, wires in ends if wires)
    inputs = tuple(
        (n, frame.values[Value(n)])
        for n in frame.graph.of_block("Input")
        if Value(n) in frame.values
    )
    own = frame.composites[frame.name].settings if frame.name else {}
    given: dict[str, Any] = {
        n: frame.graph.nodes[n].settings.get("static_shape") for n, _ in inputs
    }
    static = {} if frame.name else {n: tuple(sizes) for n, sizes in given.items() if sizes}
    return Scope(frame.name, dict(frame.env), inputs, tuple(frame.uses), results, own, static)


def _report_loops(frame: Frame, stuck: set[str]) -> None:
    """Report each closed loop once; what comes after it only waits."""
    looped: set[str] = set()
    for part in loops(frame.graph):
        ids = [n for n in frame.graph.nodes if n in part]
        looped |= part
        edge = next(e for e in reversed(frame.graph.edges) if {e.source, e.target} <= part)
        text = write_edge(edge, frame.graph.nodes, frame.composites)
        offer = {"title": f"Remove {text}", "edits": [{"op": "disconnect", "edge": text}]}
        loop = " -> ".join([*ids, ids[0]])
        frame.add(
            ids[0],
            "cycle",
            f"{frame.path(ids[0])} feeds itself: {loop} is a closed loop of wires.",
            "Remove one wire of the loop; data must flow from Input to Output.",
            (offer,),
        )
    for node in stuck:
        frame.mark(node, "error" if node in looped else "waiting")


def gather(frame: Frame, node: str) -> tuple[Wires, list[str], bool]:
    """Find what feeds each port: the values, the required ports left open, and whether all came."""
    declared = input_ports(resolve(frame.graph.nodes[node], frame.graph.nodes), frame.composites)
    into = frame.graph.into(node)
    wires: Wires = {}
    missing: list[str] = []
    ready = True
    for port in declared:
        mine = [e for e in into if e.target_port.split(".")[0] == port.name]
        mine.sort(key=lambda e: int(e.target_port.partition(".")[2] or 0))
        sources = tuple(Value(e.source, e.source_port) for e in mine)
        ready = ready and all(s in frame.values for s in sources)
        if not sources:
            if not port.optional and not given_instead(frame.graph.nodes[node], port):
                missing.append(f"{port.name}.0" if port.kind == "tensors" else port.name)
        elif port.kind == "sizes":
            wires |= {e.target_port: s for e, s in zip(mine, sources, strict=True)}
        else:
            wires[port.name] = sources if port.kind == "tensors" else sources[0]
    return wires, missing, ready


def given_instead(node: Node, port: Port) -> bool:
    """Whether a setting of the same name stands for a port without a wire (add 1, not a tensor)."""
    setting = CATALOGUE[node.block].setting(port.name) if node.block in CATALOGUE else None
    return setting is not None and node.settings.get(setting.name, setting.default) not in (
        None,
        REQUIRED,
    )


def signatures(frame: Frame, wires: Wires) -> dict[str, Any]:
    """Look up what stands on the wires of a node, by port."""
    return {
        port: frame.values[wire]
        if isinstance(wire, Value)
        else tuple(frame.values[v] for v in wire)
        for port, wire in wires.items()
    }


def empty_wires(frame: Frame, node: str) -> bool:
    """Report wires from an output that has no value, as attention's weights if not asked for."""
    found = False
    for edge in frame.graph.into(node):
        source = frame.found.nodes.get(frame.path(edge.source))
        if not source or source.state != "ok" or edge.source_port in source.outputs:
            continue
        found = True
        text = write_edge(edge, frame.graph.nodes, frame.composites)
        if source.block == "Output":
            _behind_output(frame, node, edge)
            continue
        frame.add(
            node,
            "no_value",
            f"{frame.path(node)} needs {edge.source_port!r} of {edge.source}, "
            "which has no such value with its settings.",
            f"Wire another output ({', '.join(source.outputs)}), or change {edge.source} "
            "(MultiheadAttention gives attn_output_weights only with need_weights on).",
            (
                *rewiring.other_output(frame.drawn(), edge, source.outputs),
                {"title": f"Remove {text}", "edits": [{"op": "disconnect", "edge": text}]},
            ),
        )
    return found


def _behind_output(frame: Frame, node: str, edge: Edge) -> None:
    """Report a wire from an Output, out of which nothing comes."""
    graph = frame.drawn()
    text = write_edge(edge, graph.nodes, graph.composites)
    offers = [
        remedies.offer(
            f"Wire {wire.source} to it instead",
            {"op": "connect", "edge": write_edge(new, graph.nodes, graph.composites)},
        )
        for wire in graph.into(edge.source)
        for new in [Edge(wire.source, wire.source_port, node, edge.target_port)]
        if wire.source != node
    ]
    frame.add(
        node,
        "no_value",
        f"{frame.path(node)} is wired behind {edge.source}, but nothing comes out of an Output.",
        "Wire it to the block before that Output.",
        (
            *(offer for offer in offers if remedies.possible(graph, offer)),
            remedies.offer(f"Remove {text}", {"op": "disconnect", "edge": text}),
        ),
    )


def strange_ports(frame: Frame, node: str) -> bool:
    """Report wires into ports that the block does not have. Returns whether there are any."""
    declared = input_ports(resolve(frame.graph.nodes[node], frame.graph.nodes), frame.composites)
    bad = [e for e in frame.graph.into(node) if not has_port(declared, e.target_port)]
    for edge in bad:
        text = write_edge(edge, frame.graph.nodes, frame.composites)
        names = ", ".join(p.name for p in declared) or "none"
        frame.add(
            node,
            "unknown_port",
            f"{frame.path(node)} has no input port {edge.target_port!r}.",
            f"Its input ports: {names}.",
            (
                *rewiring.other_port(frame.drawn(), edge),
                {"title": f"Remove {text}", "edits": [{"op": "disconnect", "edge": text}]},
            ),
        )
    return bool(bad)
