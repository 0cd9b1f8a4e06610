"""Node positions for a figure with composites expanded: other nodes make room for the frames.

In pixels of the canvas, y downwards. A position is the centre of a node.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from core.graph import Composite, Graph, Node
from core.graph.order import columns

WIDTH, HEIGHT = 208.0, 78.0  # of a card on the canvas
MARGIN, TITLE = 28.0, 40.0  # inside a frame; and above, for its title
STEP_X, STEP_Y = 312.0, 120.0  # between nodes without a position

Point = tuple[float, float]


@dataclass(frozen=True)
class Border:
    """The border of an opened composite."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class FigureLayout:
    """Where the nodes and the frames are, by path in the report."""

    points: dict[str, Point]
    frames: dict[str, Border]

    def frame(self) -> Border:
        """The border around all of it."""
        xs = [x + s * WIDTH / 2 for x, _ in self.points.values() for s in (-1, 1)]
        ys = [y + s * HEIGHT / 2 for _, y in self.points.values() for s in (-1, 1)]
        xs += [x for f in self.frames.values() for x in (f.left, f.right)]
        ys += [y for f in self.frames.values() for y in (f.top, f.bottom)]
        left, right = min(xs, default=0.0) - MARGIN, max(xs, default=0.0) + MARGIN
        return Border(
            left, min(ys, default=0.0) - MARGIN - TITLE, right, max(ys, default=0.0) + MARGIN
        )

    def moved(self, dx: float, dy: float) -> "FigureLayout":
        points = {path: (x + dx, y + dy) for path, (x, y) in self.points.items()}
        frames = {
            path: Border(f.left + dx, f.top + dy, f.right + dx, f.bottom + dy)
            for path, f in self.frames.items()
        }
        return FigureLayout(points, frames)


Inside = Callable[[str, Node], str]


def lay_out(
    graph: Graph,
    composites: Mapping[str, Composite],
    layout: Mapping[str, Point],
    inside: Inside,
    prefix: str = "",
    own: str = "",
) -> FigureLayout:
    """Place a graph with its composites opened.

    layout: as in the project file, "node" and "Composite.node". inside: path of what an opened use
    holds. own: the composite whose graph it is.
    """
    at = _own_positions(graph, layout, f"{own}." if own else "")
    opened: dict[str, FigureLayout] = {}
    for name, node in graph.nodes.items():
        if (part := composites.get(node.block)) and not part.python:
            path = inside(prefix + name, node)
            opened[name] = lay_out(part.graph, composites, layout, inside, path, node.block)
    frames = {name: opened_graph.frame() for name, opened_graph in opened.items()}
    wider = [(at[n][0], f.right - f.left - WIDTH) for n, f in frames.items()]
    higher = [(at[n][1], f.bottom - f.top - HEIGHT) for n, f in frames.items()]
    made = FigureLayout({}, {})
    for name, (x, y) in at.items():
        x, y = x + _before(x, wider), y + _before(y, higher)
        if name not in opened:
            made.points[prefix + name] = (x, y)
            continue
        frame = frames[name]
        dx, dy = x - WIDTH / 2 - frame.left, y - HEIGHT / 2 - frame.top
        inner = FigureLayout(opened[name].points, {**opened[name].frames, prefix + name: frame})
        moved = inner.moved(dx, dy)
        made.points.update(moved.points)
        made.frames.update(moved.frames)
    return made


def _before(at: float, grown: Iterable[tuple[float, float]]) -> float:
    """How much all that grew left of (or above) a place makes it move; in one column, the most."""
    most: dict[float, float] = {}
    for start, by in grown:
        if at > start:
            most[start] = max(by, most.get(start, 0.0))
    return sum(most.values())


def _own_positions(graph: Graph, layout: Mapping[str, Point], prefix: str) -> dict[str, Point]:
    """The places of the canvas; where one is missing, columns along the data for all."""
    known = {name: layout[prefix + name] for name in graph.nodes if prefix + name in layout}
    if len(known) == len(graph.nodes):
        return known
    column = columns(graph)
    rows: dict[int, int] = {}
    positions: dict[str, Point] = {}
    for name in graph.nodes:
        at = column.get(name, 0)
        row = rows.get(at, 0)
        rows[at] = row + 1
        positions[name] = (at * STEP_X, row * STEP_Y)
    return positions
