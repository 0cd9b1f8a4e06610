"""The drawing as a figure for a report: DOT text, or SVG, PDF and PNG through Graphviz.

Composites are folded to one box or opened to a frame. Places come from Graphviz or the canvas.
The text of a figure with opened composites in the places of the canvas is for `neato -n`.
"""

from dataclasses import dataclass

import graphviz

from blocks import CATALOGUE
from core.analyse.report import Report
from core.common.escaping import one_line
from core.export.figure_layout import FigureLayout, lay_out
from core.export.figure_style import FigureStyle
from core.export.result import ExportedFile, ExportError
from core.export.subject import Subject
from core.graph import Graph, Node
from core.graph.ports import resolve
from core.project import Project

KINDS = ("svg", "pdf", "png", "dot")
FILLS = {
    "ends": "#E4E7EB",
    "convolution": "#DCE8FB",
    "linear": "#E8E1FB",
    "normalisation": "#D8EFEC",
    "activation": "#FAECD2",
    "pooling": "#D7EFF5",
    "dropout": "#EBE9E6",
    "recurrent": "#FBE0E6",
    "attention": "#F7DFF4",
    "embedding": "#E9F0D5",
    "shape": "#E9EBEE",
    "arithmetic": "#FBE5D8",
}
COMPOSITE = "#E0E0F7"
RANKS = {"down": "TB", "right": "LR"}
LETTER = 6.0  # points, of a title in its size
POINTS_PER_PIXEL = 0.75  # the canvas measures in pixels of 1/96 inch


def draw(project: Project, report: Report, look: FigureStyle | None = None) -> graphviz.Digraph:
    """Draw a project as a Graphviz graph. It needs no program; nothing is rendered yet."""
    look = look or FigureStyle()
    engine = "neato" if look.layout == "canvas" and project.layout else "dot"
    figure = graphviz.Digraph(engine=engine)
    figure.attr(
        rankdir=RANKS[look.direction],
        nodesep="0.25",
        ranksep="0.35",
        splines="true",
        bgcolor="white",
    )
    figure.attr(inputscale="72", overlap="true")
    font = {"fontname": "Helvetica", "fontsize": "11"}
    figure.attr("node", shape="box", style="rounded,filled", color="#8A93A3", **font)
    figure.attr("edge", color="#6B7280", arrowsize="0.6", fontname="Helvetica", fontsize="9")
    _Drawer(project.graph, report, look, _places(project, look)).graph(figure, project.graph, "")
    return figure


def _places(project: Project, look: FigureStyle) -> FigureLayout:
    if look.layout != "canvas" or not project.layout:
        return FigureLayout({}, {})
    if not look.unfold:
        return FigureLayout(dict(project.layout), {})
    return lay_out(project.graph, project.graph.composites, project.layout, _inside)


@dataclass(frozen=True)
class _Drawer:
    main: Graph
    report: Report
    look: FigureStyle
    places: FigureLayout

    def graph(self, figure: graphviz.Digraph, graph: Graph, prefix: str) -> None:
        """Draw nodes and wires of the main graph, or of one opened use of a composite."""
        for name, node in graph.nodes.items():
            path = prefix + name
            if self._opens(node):
                with figure.subgraph(name=f"cluster_{path}") as frame:  # type: ignore[union-attr]
                    self._frame(frame, _title(name, node), path)
                    self.graph(frame, self.main.composites[node.block].graph, _inside(path, node))
            else:
                self._node(figure, graph, name, path)
        for edge in graph.edges:
            source, target = graph.nodes.get(edge.source), graph.nodes.get(edge.target)
            if source is None or target is None:
                continue
            tail = self._end(source, prefix + edge.source, edge.source_port)
            head = self._end(target, prefix + edge.target, edge.target_port)
            made = self.report.nodes.get(prefix + edge.source)
            signature = made.outputs.get(edge.source_port) if made else None
            figure.edge(_quoted(tail), _quoted(head), label=f" {signature} " if signature else "")

    def _frame(self, frame: graphviz.Digraph, title: str, path: str) -> None:
        more: dict[str, str] = {}
        if border := self.places.frames.get(path):
            corners = (border.left, border.bottom, border.right, border.top)
            left, low, right, high = (v * POINTS_PER_PIXEL for v in corners)
            wide = max(map(len, title.split("\n"))) * LETTER
            more["bb"] = f"{left:g},{-low:g},{right:g},{-high:g}"
            more["lp"] = f"{left + wide / 2 + 8:g},{-high - 20:g}"
        frame.attr(
            label=_label(title),
            labeljust="l",
            style="rounded",
            color="#9A9ACF",
            fontname="Helvetica",
            fontsize="11",
            **more,
        )

    def _opens(self, node: Node) -> bool:
        part = self.main.composites.get(node.block)
        return self.look.unfold and part is not None and not part.python

    def _end(self, node: Node, path: str, port: str) -> str:
        while self._opens(node):
            path = _inside(path, node) + port
            node = self.main.composites[node.block].graph.nodes[port]
        return path

    def _node(self, figure: graphviz.Digraph, graph: Graph, name: str, path: str) -> None:
        node = resolve(graph.nodes[name], graph.nodes)
        family = CATALOGUE[node.block].family if node.block in CATALOGUE else ""
        known = self.report.nodes.get(path)
        weights = f"\n{known.params:,} parameters" if known and known.params else ""
        text = _label(_title(name, node) + weights)
        more: dict[str, str] = {"fillcolor": FILLS.get(family, COMPOSITE)}
        if path in self.places.points:
            x, y = self.places.points[path]
            more["pos"] = f"{x * POINTS_PER_PIXEL:g},{-y * POINTS_PER_PIXEL:g}!"
        figure.node(_quoted(path), label=text, **more)


def _inside(path: str, node: Node) -> str:
    """Where the nodes of an opened use are reported; of repetitions, the first is drawn."""
    return f"{path}.0." if node.repeat > 1 else f"{path}."


def _title(name: str, node: Node) -> str:
    times = f" \u00d7{node.repeat}" if node.repeat > 1 else ""
    return f"{one_line(node.label or name)}\n{node.block}{times}"


def _label(lines: str) -> str:
    """Lines of text as a label, in which Graphviz reads no escape, entity or HTML."""
    return graphviz.escape(lines.replace("&", "&amp;")).replace("\n", "\\n")


def _quoted(path: str) -> str:
    return path.replace(".", "__")  # a dot or colon would be read as a port


def make_figure(
    project: Project, report: Report, kind: str, look: FigureStyle | None = None
) -> ExportedFile:
    """Render a figure. Raises ExportError where Graphviz's program is needed and missing."""
    figure = draw(project, report, look)
    if kind == "dot":
        return ExportedFile(figure.source.encode(), None)
    try:
        return ExportedFile(figure.pipe(format=kind, neato_no_op=_as_placed(figure, look)), None)
    except graphviz.ExecutableNotFound as error:
        raise ExportError(
            f"A figure as {kind.upper()} needs Graphviz's program dot, which is not on this "
            "machine.",
            "Install the package graphviz of your system, or export the DOT text.",
        ) from error
    except graphviz.CalledProcessError as error:
        stderr_lines = (error.stderr or b"").decode(errors="replace").strip().splitlines()
        raise ExportError(
            f"Graphviz could not draw the figure: {stderr_lines[0] if stderr_lines else error}.",
            "Export the DOT text, and report this.",
        ) from error


def _as_placed(figure: graphviz.Digraph, look: FigureStyle | None) -> int | None:
    """Graphviz takes frames as they are placed only if it takes everything so."""
    return 1 if look and look.unfold and figure.engine == "neato" else None


def make_svg(subject: Subject, look: FigureStyle | None = None) -> ExportedFile:
    """The figure as SVG; without a style, laid out by Graphviz with composites folded."""
    return _of(subject, "svg", look)


def make_pdf(subject: Subject, look: FigureStyle | None = None) -> ExportedFile:
    """The same as PDF."""
    return _of(subject, "pdf", look)


def make_png(subject: Subject, look: FigureStyle | None = None) -> ExportedFile:
    """The same as PNG."""
    return _of(subject, "png", look)


def make_dot(subject: Subject, look: FigureStyle | None = None) -> ExportedFile:
    """The same as DOT text."""
    return _of(subject, "dot", look)


def _of(subject: Subject, kind: str, look: FigureStyle | None) -> ExportedFile:
    if subject.opened is None:
        raise ExportError("A figure needs a project but received a single network.")
    return make_figure(subject.opened.project, subject.opened.report, kind, look)
