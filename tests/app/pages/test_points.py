"""Points of a plane on the Data page: how they are made is asked, and they are drawn."""

from app.pages.shared import scatter
from app.services.previews import Points

POINTS = Points(("x1", "x2"), ((0.0, 4.0), (0.0, 4.0)), (1.0, 3.0), (1.0, 3.0), (0, 1),
                (False, True), ("upper", "lower"))  # fmt: skip


def test_points_are_asked_for_and_drawn(tab) -> None:
    tab.press("empty")
    tab.document.change(data={"source": "spirals"})
    tab.go("data")
    assert not tab.at.exception
    assert any(
        "Made by a formula, not measured" in c.value.replace("\\", "") for c in tab.at.caption
    )
    (drawn,) = [h.proto.body for h in tab.at.get("html") if '<div class="ll-plane"' in h.proto.body]
    assert "500 samples by x1 and x2, with their classes" in drawn
    key = f"{tab.document.doc_id}:{tab.document.form.data_epoch}:page:made"
    tab.at.number_input(key=f"{key}:classes").set_value(3).run()
    assert not tab.at.exception
    assert tab.document.project.data["made"] == {"classes": 3}
    tab.at.number_input(key=f"{key}:classes").set_value(2).run()
    assert "made" not in tab.document.project.data


def test_a_class_has_a_colour_and_a_shape_and_validation_samples_are_hollow() -> None:
    import base64

    data = scatter.picture(POINTS).partition("base64,")[2].partition('"')[0]
    marks = base64.b64decode(data).decode().split("<path ")[1:]
    assert scatter.path(0) in marks[0]
    assert 'fill="#6864d9"' in marks[0]
    assert scatter.path(1) in marks[1]
    assert 'fill="none" stroke="#cf711f"' in marks[1]
    assert "translate(146.0 300.0)" in marks[0]
