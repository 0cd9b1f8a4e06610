"""Only what changed of the annotations goes down, and it always comes to all of them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.canvas.revisions import KEPT, AnnotationVersions, difference

Json = dict[str, Any]


def report(out: str = "8", source: str | None = "a\nb\nc\n", **lines: list[int]) -> Json:
    shape = {"output": {"shape": ["N", out], "dtype": "float32"}}
    nodes = {name: {"state": "ok", "outputs": shape} for name in lines}
    return {"nodes": nodes, "lines": lines, "source": source, "total_params": len(lines)}


def applied(old: Json, changes: Json) -> Json:
    """What frontend/src/store/annotationDelta.ts does."""
    source, nodes = changes["source"], {path: dict(note) for path, note in old["nodes"].items()}
    if isinstance(source, tuple):
        same, gone, come = source
        for note in nodes.values():
            if "lines" in note:
                note["lines"] = [n if n <= same else n + len(come) - gone for n in note["lines"]]
        lines = old["source"].split("\n")
        lines[same : same + gone] = come
        source = "\n".join(lines)
    nodes.update(changes["nodes"])
    kept = {path: note for path, note in nodes.items() if note is not None}
    return {**old, **changes["set"], "nodes": kept, "source": source}


def test_a_canvas_that_has_nothing_gets_everything():
    versions = AnnotationVersions()
    versions.add(report(conv=[2]), "")
    down = versions.since(0)
    assert (down["told"], down["changes"]) == (1, None)
    assert down["annotations"]["nodes"] == {
        "conv": {
            "outputs": {"output": {"shape": ["N", "8"], "dtype": "float32"}},
            "lines": [2],
        }
    }


def test_a_canvas_that_has_it_all_gets_nothing():
    versions = AnnotationVersions()
    versions.add(report(conv=[2]), "")
    versions.add(report(conv=[2]), "")
    assert versions.since(1) == {"told": 1, "annotations": None, "changes": None}


def test_one_changed_node_goes_down_alone():
    versions = AnnotationVersions()
    versions.add(report(conv=[1], fc=[2]), "")
    later = report(conv=[1], fc=[2])
    later["nodes"]["fc"]["params"] = 7
    versions.add(later, "")
    changes = versions.since(1)["changes"]
    assert list(changes["nodes"]) == ["fc"]
    assert changes["set"] == {}
    assert changes["source"] == (4, 0, [])


def test_a_line_more_in_the_source_moves_the_notes_below_without_naming_them():
    old = {"nodes": {"a": {"lines": [1]}, "b": {"lines": [3]}}, "source": "x\ny\nz\n"}
    new = {"nodes": {"a": {"lines": [1]}, "b": {"lines": [4]}}, "source": "x\ny\nyy\nz\n"}
    assert difference(old, new) == {"nodes": {}, "source": (2, 0, ["yy"]), "set": {}}


def test_annotations_too_old_to_compare_with_are_sent_whole():
    versions = AnnotationVersions()
    for number in range(KEPT + 2):
        versions.add(report(str(number), conv=[1]), "")
    assert versions.since(1)["annotations"] is not None
    assert versions.since(3)["changes"]["base"] == 3


def test_why_an_analysis_failed_is_a_change():
    versions = AnnotationVersions()
    versions.add(report(conv=[1]), "")
    versions.add({}, "It took too long.")
    changes = versions.since(1)["changes"]
    assert changes["set"]["failed"] == "It took too long."
    assert changes["nodes"] == {"conv": None}
    assert changes["source"] is None


notes = st.dictionaries(
    st.sampled_from("abcdef"),
    st.fixed_dictionaries({}, optional={"lines": st.lists(st.integers(1, 8), max_size=3),
                                        "params": st.integers(1, 3)}),
)  # fmt: skip
sources = st.none() | st.lists(st.sampled_from("xyz"), max_size=8).map("\n".join)
annotations = st.fixed_dictionaries(
    {"nodes": notes, "source": sources, "params": st.integers(0, 2), "errors": st.just([])}
)


@given(annotations, annotations)
def test_what_changed_applied_to_the_old_is_the_new(old: Json, new: Json):
    assert applied(old, difference(old, new)) == new
