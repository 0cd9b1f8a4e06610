"""What holds of every merge: one side alone is that side, and what does not touch commutes."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph import Composite, Edge, Graph, GraphError, Node
from core.project import Project, read_text, write_text
from core.wings.merge import merge
from tests.core.project.drawings import projects
from tests.wings.merge import merged as m

pytestmark = pytest.mark.slow
Change = Callable[[Project], Project]


def text(project: Project) -> str:
    return write_text(read_text(write_text(project)))


def edit(*edits: m.Edit) -> Change:
    return lambda project: m.edited(project, *edits)


def moved(name: str, x: float, y: float) -> Change:
    return lambda p: replace(p, layout={**p.layout, name: (x, y)})


def noted(**note: Any) -> Change:
    return lambda p: replace(p, notes=(*p.notes, note))


def part(name: str) -> Change:
    made = Composite({"width": 4}, Graph({"input": Node("Input"), "output": Node("Output")}))
    return lambda p: replace(
        p, graph=replace(p.graph, composites={**p.graph.composites, name: made})
    )


INDEPENDENT: tuple[Change, ...] = (
    edit(m.put("conv1", out_channels=8)),
    edit(m.put("conv1", bias=False)),
    edit(m.put("pool1", kernel_size=3)),
    edit(m.rename("conv2", "deep")),
    edit(m.between("drop1", "Dropout", "fc2", p=0.1)),
    edit(m.between("drop2", "Dropout", "fc3", p=0.2)),
    edit(m.gone("tanh2"), m.wire("deep -> pool2"), m.put("pool2", stride=1)),
    edit(m.new("probe", "Output"), m.wire("flat -> probe")),
    edit({"op": "learn", "node": "fc1", "frozen": True}),
    edit(m.new("second", "Input", shape=(4,))),
    lambda p: m.trained(p, lr=0.1),
    lambda p: m.trained(p, optimizer_settings={"weight_decay": 0.5}),
    lambda p: m.trained(p, scheduler={"name": "StepLR", "step_size": 3}),
    lambda p: replace(p, data={**p.data, "validation": 0.3}),
    lambda p: replace(p, name="another"),
    lambda p: replace(p, about="Changed."),
    lambda p: replace(p, extra={**p.extra, "colour": "teal"}),
    moved("conv1", 5, 5),
    moved("fc3", 7, 7),
    noted(text="a", at=(1, 2), node="conv1"),
    noted(text="b", at=(1, 2)),
    part("Stage"),
    part("Neck"),
)
RENAMES = {3, 6}
"""The seventh speaks of the block that the fourth renames, so one side does both."""


@settings(max_examples=60)
@given(st.lists(st.sampled_from(("ours", "theirs", "none")), min_size=23, max_size=23))
def test_changes_that_do_not_touch_merge_to_both_and_commute(sides: list[str]):
    sides[6] = sides[3]
    done = {
        side: [change for change, of in zip(INDEPENDENT, sides, strict=True) if of in kinds]
        for side, kinds in (("ours", "ours"), ("theirs", "theirs"), ("all", ("ours", "theirs")))
    }
    ours, theirs, together = (after(m.LENET, done[side]) for side in ("ours", "theirs", "all"))
    assert unordered(m.clean(m.LENET, ours, theirs)) == unordered(together)


def after(project: Project, changes: list[Change]) -> Project:
    for change in changes:
        project = change(project)
    return project


def unordered(project: Project) -> list[str]:
    return sorted(line.rstrip(",") for line in text(project).splitlines())


@pytest.mark.slow
@settings(max_examples=60)
@given(projects(), projects())
def test_a_side_that_changed_nothing_has_no_say(base: Project, side: Project):
    for one, other in ((side, base), (base, side), (side, side)):
        found = merge(base, one, other)
        assert (found.conflicts, found.remarks) == ((), ())
        assert text(found.project) == text(side)


@settings(max_examples=60)
@given(projects(), projects(), projects())
def test_any_three_projects_merge_to_one_that_opens(base: Project, ours: Project, theirs: Project):
    found = merge(base, ours, theirs)
    assert read_text(write_text(found.project)) == found.project
    assert bool(found.conflicts) == bool(merge(base, theirs, ours).conflicts)


NAMES = st.sampled_from([*m.LENET.graph.nodes, "extra1", "extra2"])
PORTS = st.sampled_from(("input", "tensors.0", "tensors.1"))
EXTRA = st.sampled_from(("extra1", "extra2"))
SEVERAL = st.lists(
    st.one_of(
        st.builds(m.put, NAMES, out_channels=st.integers(1, 3)),
        st.builds(m.gone, NAMES),
        st.builds(lambda a, b, port: m.wire(f"{a}.output -> {b}.{port}"), NAMES, NAMES, PORTS),
        st.builds(m.new, EXTRA, st.sampled_from(("ReLU", "cat"))),
        st.builds(m.between, EXTRA, st.just("ReLU"), NAMES),
        st.builds(m.rename, NAMES, st.sampled_from(("stem", "head"))),
        st.builds(lambda a, b: {"op": "share", "node": a, "with": b}, NAMES, NAMES),
    ),
    min_size=1,
    max_size=4,
)
"""Edits of LeNet such as two people make without speaking to each other."""


def tried(found: list[m.Edit]) -> Project:
    project = m.LENET
    for each in found:
        with suppress(GraphError):
            project = m.edited(project, each)
    return project


@settings(max_examples=120)
@given(SEVERAL, SEVERAL)
def test_a_merge_without_a_conflict_is_the_same_whoever_merges(
    first: list[m.Edit], second: list[m.Edit]
):
    ours, theirs = tried(first), tried(second)
    found, back = merge(m.LENET, ours, theirs), merge(m.LENET, theirs, ours)
    assert read_text(write_text(found.project)) == found.project
    assert bool(found.conflicts) == bool(back.conflicts)
    if not found.conflicts:
        assert text(found.project) == text(back.project)


@settings(max_examples=120)
@given(SEVERAL, SEVERAL)
def test_what_ours_changed_is_in_every_merge_and_what_theirs_changed_in_a_clean_one(
    first: list[m.Edit], second: list[m.Edit]
):
    ours, theirs = (tried([e for e in each if e["op"] != "rename"]) for each in (first, second))
    found = merge(m.LENET, ours, theirs)
    assert not changes(ours) - changes(found.project)
    if not found.conflicts:
        assert changes(found.project) == changes(ours) | changes(theirs)


def changes(project: Project) -> set[tuple[str, str, str]]:
    """What is otherwise than in LeNet: blocks by field, and what feeds each port.

    A port is free for others where what fed it was removed.
    """
    old, new = facts(m.LENET), facts(project)
    found = {(*key, new.get(key, "gone")) for key in old | new if old.get(key) != new.get(key)}
    kept = project.graph.nodes
    free = {(e.target, e.target_port, "gone") for e in m.LENET.graph.edges if e.source not in kept}
    return found - free


def facts(project: Project) -> dict[tuple[str, str], str]:
    fields = ("block", "settings", "weights_of")
    found = {
        (name, field): repr(getattr(node, field))
        for name, node in project.graph.nodes.items()
        for field in fields
    }
    wires = {(e.target, e.target_port): e.source for e in project.graph.edges}
    return found | wires


@pytest.mark.parametrize("count", [600])
def test_a_chain_whose_every_block_was_renamed_is_still_the_same_chain(count: int):
    names = [f"a{i}" for i in range(count)]
    base = Project(graph=chain(names))
    renamed = Project(graph=chain([f"b{name}" for name in names]))
    changed = m.edited(base, m.put("a300", inplace=True))
    found = m.clean(base, renamed, changed).graph
    assert list(found.nodes) == [f"b{name}" for name in names]
    assert found.nodes["ba300"].settings == {"inplace": True}


def chain(names: list[str]) -> Graph:
    edges = tuple(Edge(a, "output", b, "input") for a, b in pairwise(names))
    return Graph({name: Node("ReLU") for name in names}, edges)
