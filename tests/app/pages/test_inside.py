"""Look inside and Export without a browser: every section opens, every card makes a file."""

import shutil

import pytest

from app.pages.shared import networks
from core.export import export
from core.project import save_project
from core.project.templates import load_template


def key(tab, start):
    """The key of the first button whose key starts like this."""
    return next(button.key for button in tab.at.button if button.key.startswith(start))


def html(tab):
    """All HTML of the page, as one text."""
    return "\n".join(element.proto.body for element in tab.at.get("html"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("section", "says"),
    [
        ("Feature maps", "exact zeros"),
        ("Mistakes", "ll-miss"),
        ("Confusion matrix", "ll-matrix"),
        ("Filters", None),
        ("Summary", "61,706"),
    ],
)
def test_every_section_of_look_inside_opens_on_an_untrained_drawing(section, says, lenet):
    lenet.go("inside")
    lenet.at.session_state["inside"] = section
    lenet.at.run().run()
    lenet.assert_calm()
    assert says is None or says in html(lenet)


def test_choosing_a_block_shows_it_large(lenet):
    lenet.go("inside").press("inside:node:pool2").assert_calm()
    assert lenet.at.subheader[0].value == "pool2"


def test_a_drawing_with_errors_says_what_to_mend(lenet):
    document = lenet.document
    graph = document.project.graph
    from core.graph import edits

    document.update(graph=edits.remove(graph, "conv1"))
    for page in ("inside", "export"):
        lenet.go(page).assert_calm()
        assert any("needs a wire" in text for text in lenet.texts)
        assert [link.proto.label for link in lenet.at.get("page_link")] == [
            "Repair it on the canvas"
        ]
        assert not [b for b in lenet.at.button if b.label == "Make it"]


@pytest.mark.parametrize("kind", ["python", "safetensors", "torchscript-script"])
def test_a_card_makes_a_file_that_agrees_with_the_network(kind, lenet):
    lenet.go("export")
    lenet.press(key(lenet, f"export:{kind}:")).assert_calm()
    assert "largest difference" in html(lenet)
    assert "0, exact" in html(lenet)
    assert len([name for name in downloads(lenet) if name.startswith("Download")]) == 1


def downloads(tab):
    """What the buttons say that give a file."""
    return [button.proto.label for button in tab.at.get("download_button")]


def test_the_figure_is_shown_with_its_files(lenet):
    if shutil.which("dot") is None:
        pytest.skip("rendering needs Graphviz's program dot")
    lenet.go("export").assert_calm()
    assert downloads(lenet) == ["SVG", "PDF", "PNG", "DOT"]
    assert 'src="data:image/svg+xml;base64,' in html(lenet)


def test_imported_weights_are_offered_first_on_look_inside_and_export(lenet, workspace):
    path = workspace / "lenet.loom.json"
    save_project(lenet.document.project, path)
    lenet.document.path = path
    export(lenet.document.project, "safetensors", workspace / "lenet.safetensors")
    lenet.go("inside").assert_calm()
    assert lenet.at.selectbox[0].value == networks.IMPORTED
    assert any("The weights came with the model" in c.value for c in lenet.at.caption)
    lenet.go("export")
    assert any("imported with this drawing" in c.value for c in lenet.at.caption)
    lenet.press(key(lenet, "export:safetensors:")).assert_calm()
    assert "weights of lenet.safetensors" in html(lenet)


def test_imported_weights_of_another_drawing_are_one_sentence(lenet, workspace):
    path = workspace / "lenet.loom.json"
    save_project(lenet.document.project, path)
    lenet.document.path = path
    export(load_template("mlp_iris"), "safetensors", workspace / "lenet.safetensors")
    lenet.go("inside")
    assert not lenet.at.exception
    said = "conv1.weight needs (6, 1, 5, 5) but lenet.safetensors holds no such tensor"
    assert [said in text for text in lenet.texts] == [True]
