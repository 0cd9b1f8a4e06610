"""Opened composites in the places of the canvas: as they are inside, and nothing is covered."""

from itertools import combinations

from core.export.figure_layout import HEIGHT, WIDTH, Border, FigureLayout, lay_out
from core.graph import Composite, Edge, Graph, Node

INNER = Graph(
    {"input": Node("Input"), "a": Node("ReLU"), "b": Node("GELU"), "output": Node("Output")},
    (
        Edge("input", "output", "a", "input"),
        Edge("a", "output", "b", "input"),
        Edge("b", "output", "output", "input"),
    ),
)
NEST = Graph({"input": Node("Input"), "use": Node("Part"), "output": Node("Output")}, ())
NODES = {name: Node("ReLU") for name in ("left", "right", "below", "above", "corner")}
GRAPH = Graph({**NODES, "part": Node("Part"), "nest": Node("Nest")}, ())
COMPOSITES = {"Part": Composite({}, INNER), "Nest": Composite({}, NEST)}
AROUND = {
    "left": (0.0, 300.0), "part": (300.0, 300.0), "right": (600.0, 300.0), "below": (300.0, 420.0),
    "above": (300.0, 180.0), "corner": (540.0, 420.0), "nest": (900.0, 300.0),
}  # fmt: skip
INSIDE = {
    "Part.input": (0.0, 0.0), "Part.a": (0.0, 120.0), "Part.b": (240.0, 160.0),
    "Part.output": (240.0, 280.0),
    "Nest.input": (0.0, 0.0), "Nest.use": (300.0, 0.0), "Nest.output": (600.0, 0.0),
}  # fmt: skip


def placed(layout: dict[str, tuple[float, float]]) -> FigureLayout:
    return lay_out(GRAPH, COMPOSITES, layout, lambda path, node: f"{path}.")


def boxes(found: FigureLayout) -> dict[str, Border]:
    """The cards and frames at the top, by name."""
    cards = {
        path: Border(x - WIDTH / 2, y - HEIGHT / 2, x + WIDTH / 2, y + HEIGHT / 2)
        for path, (x, y) in found.points.items()
    }
    return cards | found.frames


def meet(a: Border, b: Border) -> bool:
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


def holds(a: Border, b: Border) -> bool:
    return a.left <= b.left and a.top <= b.top and b.right <= a.right and b.bottom <= a.bottom


def test_blocks_inside_stand_to_each_other_as_on_the_canvas() -> None:
    found = placed(AROUND | INSIDE).points
    (x0, y0), (x1, y1) = found["part.a"], found["part.b"]
    assert (x1 - x0, y1 - y0) == (240.0, 40.0)
    (x0, y0), (x1, y1) = found["nest.use.a"], found["nest.use.b"]
    assert (x1 - x0, y1 - y0) == (240.0, 40.0)


def test_what_stands_before_a_frame_stays_where_it_was() -> None:
    found = placed(AROUND | INSIDE)
    assert found.points["left"] == AROUND["left"]
    assert found.points["above"] == AROUND["above"]
    frame = found.frames["part"]
    assert (frame.left, frame.top) == (300.0 - WIDTH / 2, 300.0 - HEIGHT / 2)


def test_a_frame_holds_its_own_and_covers_no_other() -> None:
    for layout in (AROUND | INSIDE, AROUND, INSIDE):
        found = boxes(placed(layout))
        for one, other in combinations(found, 2):
            if other.startswith(f"{one}."):
                assert holds(found[one], found[other]), f"{one} holds {other}"
            elif one.startswith(f"{other}."):
                assert holds(found[other], found[one]), f"{other} holds {one}"
            else:
                assert not meet(found[one], found[other]), f"{one} over {other}"


def test_uses_of_one_composite_look_the_same() -> None:
    found = placed(AROUND | INSIDE).frames
    one, other = found["part"], found["nest.use"]
    assert one.right - one.left == other.right - other.left
    assert one.bottom - one.top == other.bottom - other.top
