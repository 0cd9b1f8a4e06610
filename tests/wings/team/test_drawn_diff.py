"""Two versions in one drawing: what happened to each block is said, and names stay text."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app import cli
from core.common.fonts.lettering import Letters, width
from core.graph import Edge, Graph, Node
from core.project import Project
from core.wings.team.cards import Section, sections
from core.wings.team.compared import TwoVersions, compare, words
from core.wings.team.lanes import in_lanes
from core.wings.team.one_file import page
from core.wings.team.side_by_side import CostRow, VersionCost, side_by_side
from core.wings.team.svg import LEGEND, Figure, _legend, drawing_alone, picture
from tests.hostile_names import HOSTILE
from tests.wings.team.versions import changed, lenet, read, written

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def compared() -> TwoVersions:
    return compare(read(lenet()), read(changed()))


def texts(drawn: str) -> list[str]:
    """The texts of an SVG, which is read as XML."""
    return [element.text or "" for element in ET.fromstring(drawn).iter(f"{SVG}text")]


class Elements(HTMLParser):
    """Every element of a page, with the names of its attributes, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def elements(written: str) -> list[tuple[str, tuple[str, ...]]]:
    parser = Elements()
    parser.feed(written)
    return parser.found


def kinds(section: Section) -> dict[str, str]:
    return {card.name: card.kind for card in section.cards if card.kind != "same"}


def test_each_block_says_what_happened_to_it(compared: TwoVersions) -> None:
    (section,) = sections(compared)
    assert kinds(section) == {
        "conv1": "changed",
        "bn2": "added",
        "tanh2": "removed",
        "head": "renamed",
        "fc2": "moved",
    }
    lines = {card.name: card.lines for card in section.cards if card.lines}
    assert lines == {
        "conv1": ("out_channels 6 → 12",),
        "head": ("was called fc3",),
        "fc2": ("moved",),
    }
    wires = {(link.source, link.target): link.kind for link in section.links}
    assert {ends: kind for ends, kind in wires.items() if kind != "same"} == {
        ("conv2", "bn2"): "added",
        ("bn2", "pool2"): "added",
        ("conv2", "tanh2"): "removed",
        ("tanh2", "pool2"): "removed",
    }
    assert words(compared) == (
        "1 added, 1 removed, 1 changed, 1 renamed, 1 moved, 2 wires added, 2 wires removed, "
        "1 setting changed"
    )


def test_the_picture_has_all_of_it_and_settings_beside_it(compared: TwoVersions) -> None:
    found = texts(picture(Figure(compared, ("old.loom.json", "new.loom.json"))))
    assert {
        "old.loom.json → new.loom.json",
        "out_channels 6 → 12",
        "was called fc3",
        "training.lr",
        "0.002 → 0.01",
    } <= set(found)
    assert {"+", "−", "~", "=", "↔"} <= set(found)


def test_a_drawing_that_was_shifted_as_a_whole_has_not_moved() -> None:
    shifted = lenet()
    shifted["layout"] = {name: [x + 500, y - 90] for name, (x, y) in shifted["layout"].items()}
    found = compare(read(lenet()), read(shifted))
    assert (found.moved, found.same, words(found)) == ((), True, "nothing differs")
    assert words(compare(read(lenet()), read({**lenet(), "about": "x"}))) == "only the description"
    shifted["layout"]["fc1"][0] += 40
    assert compare(read(lenet()), read(shifted)).moved == ("fc1",)


def test_what_is_inside_of_a_composite_is_drawn_by_itself() -> None:
    from core.project.templates import load_template

    old = load_template("resnet_digits")
    part = old.graph.composites["Residual"]
    nodes = dict(part.graph.nodes)
    name = next(name for name, node in nodes.items() if node.block == "ReLU")
    nodes[name] = replace(nodes[name], block="GELU")
    composites = {"Residual": replace(part, graph=replace(part.graph, nodes=nodes))}
    new = replace(old, graph=replace(old.graph, composites=composites))
    main, inside = sections(compare(old, new))
    assert kinds(main) == {"stage1": "changed", "stage2": "changed"}
    assert [card.lines for card in main.cards if card.name == "stage1"] == [("changed inside",)]
    assert (inside.scope, kinds(inside)) == ("Residual", {name: "changed"})


def test_another_default_of_a_composite_is_a_difference() -> None:
    from core.project.templates import load_template

    old = load_template("resnet_digits")
    part = old.graph.composites["Residual"]
    setting, value = next((k, v) for k, v in part.settings.items() if isinstance(v, int))
    composites = {"Residual": replace(part, settings={**part.settings, setting: value + 1})}
    new = replace(old, graph=replace(old.graph, composites=composites))
    assert compare(old, new).graph.changed == {"Residual": {setting: (value, value + 1)}}


def chain(count: int) -> Project:
    names = [f"r{number}" for number in range(count)]
    edges = tuple(Edge(a, "output", b, "input") for a, b in pairwise(names))
    return Project(graph=Graph({name: Node("ReLU") for name in names}, edges))


def test_rows_that_did_not_change_are_one_card() -> None:
    old = chain(40)
    nodes = {**old.graph.nodes, "r20": Node("GELU")}
    (section,) = sections(compare(old, replace(old, graph=replace(old.graph, nodes=nodes))))
    assert [card.title for card in section.cards] == [
        "19 unchanged blocks",
        "r19",
        "r20",
        "r21",
        "18 unchanged blocks",
    ]
    assert len(section.links) == 4


def test_every_wire_goes_down_but_one_that_closes_a_circle() -> None:
    wires = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("c", "b")]
    found = in_lanes("abcd", wires)
    assert found.rows == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert found.upward == {("c", "b")}
    assert len({found.lanes[name] for name in "abcd"}) == 1
    lane, first, last = found.passing["a"]
    assert (lane != found.lanes["b"], first, last) == (True, 1, 2)


def test_the_legend_of_every_kind_fits(compared: TwoVersions) -> None:
    figure = Figure(compared, ("a", "b"))
    elements_ = _legend(figure.sections())
    assert len(elements_) == 3 * 6
    left = float(re.findall(r'x="([\d.]+)"', elements_[-1])[0])
    assert left + width("unchanged", Letters(13)) < LEGEND


def test_two_swapped_blocks_are_drawn() -> None:
    old = chain(4)
    order = ["r0", "r2", "r1", "r3"]
    edges = tuple(Edge(a, "output", b, "input") for a, b in pairwise(order))
    new = replace(old, graph=replace(old.graph, edges=edges))
    drawn = drawing_alone(Figure(compare(old, new), ("a", "b")))
    assert {"r0", "r1", "r2", "r3"} <= set(texts(drawn))


def report(params: int, shape: list[Any], ok: bool = True) -> dict[str, Any]:
    node = {"outputs": {"output": {"shape": shape}}, "params": params, "mult_adds": 10 * params}
    errors = [] if ok else [{"message": "conv1 needs an image."}]
    totals = {"total_params": params, "trainable_params": params, "mult_adds": 10 * params}
    return {"ok": ok, "nodes": {"conv1": node, "conv1.inner": node}, "errors": errors, **totals}


def test_costs_stand_side_by_side(compared: TwoVersions) -> None:
    found = side_by_side(compared, report(156, ["N", 6]), report(312, ["N", 12]))
    assert found.totals["Parameters"] == (156, 312)
    assert found.rows == (
        CostRow("conv1", VersionCost("(N, 6)", 156, 1560), VersionCost("(N, 12)", 312, 3120)),
    )
    assert found.shapes == {"conv1": "(N, 6) → (N, 12)"}
    broken = side_by_side(compared, report(156, ["N", 6]), report(0, ["N", 6], ok=False))
    assert broken.totals["Parameters"] == (156, None)
    text = page(Figure(compared, ("a", "b"), broken), [])
    assert "Costs of the new version are unknown: conv1 needs an image." in text


def named(names: Sequence[str]) -> Figure:
    """Two versions of blocks, of which the new one has these names everywhere."""
    nodes = {f"a{number}": Node("ReLU", {"note": name}, name) for number, name in enumerate(names)}
    old = Project(graph=Graph({key: Node("ReLU", {"note": "x"}, "fine") for key in nodes}))
    new = Project(graph=Graph(nodes), data={name: name for name in names}, about=names[0])
    return Figure(compare(old, new), (names[0], names[1]))


def test_hostile_names_are_text() -> None:
    hostile, plain = named(HOSTILE), named([f"plain{number}" for number in range(len(HOSTILE))])
    drawn = picture(hostile)
    tags = {element.tag.removeprefix(SVG) for element in ET.fromstring(drawn).iter()}
    assert tags <= {"svg", "title", "style", "rect", "g", "text", "path", "polygon"}
    whole = page(hostile, [f"~ a: label {name}" for name in HOSTILE])
    assert elements(whole) == elements(page(plain, ["x"] * len(HOSTILE)))
    assert not re.search("[\x00-\x08\x1b\u202e\u2066]", drawn + whole)


def test_the_file_may_load_and_run_nothing(compared: TwoVersions) -> None:
    written = page(Figure(compared, ("a", "b")), ["~ conv1: out_channels 6 -> 12"])
    assert "default-src 'none'" in written
    assert re.findall(r'url\("?(?!"?data:font/woff2)|@import', written) == []
    names = {tag for tag, _ in elements(written)}
    attributes = {name for _, names in elements(written) for name in names}
    assert {"main", "svg", "polygon"} <= names
    assert not names & {"script", "img", "iframe", "object", "link", "a", "image", "use"}
    assert not attributes & {"src", "href", "xlink:href", "onload", "style"}


def test_the_command_writes_the_picture_with_costs(tmp_path: Path, capsys) -> None:
    old, new = (
        written(tmp_path / "a.loom.json", lenet()),
        written(tmp_path / "b.loom.json", changed()),
    )
    out = tmp_path / "ab.svg"
    assert cli.main(["diff", str(old), str(new), "--svg", str(out)]) == 0
    found = texts(out.read_text("utf-8"))
    assert "61,706 → 64,294" in found
    assert "a.loom.json → b.loom.json" in found
    assert cli.main(["diff", str(old), str(new), "--svg", str(out), "--json"]) == 2
    assert "--json goes with neither --svg nor --open." in capsys.readouterr().err


def test_a_run_is_a_version_too(tmp_path: Path, capsys) -> None:
    folder = tmp_path / "runs" / "lenet-001"
    folder.mkdir(parents=True)
    written(folder / "project.loom.json", lenet())
    new = written(tmp_path / "b.loom.json", changed())
    arguments = ["diff", "lenet-001", str(new), "--runs", str(tmp_path / "runs"), "--json"]
    assert cli.main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["renamed"] == {"fc3": "head"}
