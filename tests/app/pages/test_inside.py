"""Look inside and Export without a browser: every section opens, every card makes a file."""

import json
import re

import pytest

from app.pages.inside import feature_maps, tabs
from app.pages.inside.inspection import ask
from app.pages.inside.page import TABS
from app.pages.shared import networks
from app.services import paths
from app.services.calls import network
from core.analyse import analyse_project
from core.common.network_ref import ProjectRef, RunRef
from core.export import export
from core.export.formats import FORMATS
from core.insight.look.catalogue import LOOKS
from core.prepare.create import prepare
from core.project import save_project
from core.project.templates import load_template
from tests.core.small_runs import train_here
from tests.wing_parts import rows


def key(tab, start):
    """The key of the first button whose key starts like this."""
    return next(button.key for button in tab.at.button if button.key.startswith(start))


def body(element):
    """The HTML of one element."""
    return element.proto.body


def html(tab):
    """All HTML of the page, as one text."""
    return "\n".join(map(body, tab.at.get("html")))


def given(tab, field):
    """What the components of the page that have a field were given."""
    found = [json.loads(each.proto.json) for each in tab.at.get("bidi_component")]
    return [data for data in found if field in data]


def open_section(tab, name):
    """Choose the tab of a section and, where it has several, that one in it."""
    found = next(at for at, ways in TABS.items() if name in ways or name == at)
    tab.at.session_state[tabs.TAB] = found
    if name in TABS[found]:
        tab.at.session_state[tabs.way_key(found)] = name


def test_look_inside_has_six_tabs(lenet):
    assert list(TABS) == ["Blocks", "Why", "Mistakes", "Representations", "Cost", "Summary"]
    declared = [view.way for view in LOOKS.values() if view.title == "Mistakes"]
    assert list(TABS["Mistakes"]) == ["Samples", "Confusion matrix", *declared]
    assert list(TABS["Blocks"]) == ["Feature maps", "Filters"]
    lenet.go("inside").assert_calm()
    [tabs, ways] = [each.options for each in lenet.at.button_group if each.key != "inside:class"]
    assert [tabs, ways] == [list(TABS), list(TABS["Blocks"])]


def test_a_few_samples_are_seen_and_more_on_request(lenet):
    def offered():
        grids = [each for each in given(lenet, "chosen") if "samples" in each["html"]]
        return [(re.findall('data-choose="([0-9]+)"', each["html"]), each["chosen"])
                for each in grids]  # fmt: skip

    lenet.go("inside").assert_calm()
    few, page = offered()
    assert few == (["0", "1", "2", "3", "4"], "0")
    assert page == ([str(number) for number in range(feature_maps.PER_PAGE)], "0")
    lenet.at.session_state[feature_maps.SAMPLE] = 7
    lenet.at.run()
    assert offered()[0] == (["5", "6", "7", "8", "9"], "7")
    lenet.press("inside:samples:next").assert_calm()
    assert offered()[0] == (["25", "26", "27", "28", "29"], "25")


def test_calibration_is_shown_once_somebody_wants_to_see_it(lenet):
    lenet.go("inside")
    open_section(lenet, "Confusion matrix")
    lenet.at.run()
    assert "Calibration" not in "".join(each.value for each in lenet.at.markdown)
    lenet.at.toggle(key="inside:certainty").set_value(True).run()
    assert not lenet.at.exception
    said = "".join(each.value for each in lenet.at.markdown)
    assert "Calibration: off by" in said
    assert "ROC" not in said  # of ten classes there is none


@pytest.mark.slow
@pytest.mark.parametrize(
    ("section", "says"),
    [
        ("Feature maps", "exact zeros"),
        ("Why", "Does not show"),
        ("Mistakes", "ll-bars marked"),
        ("Confusion matrix", "precision"),
        ("Filters", "ll-misses excited"),
        ("Summary", "61,706"),
        ("Cost", None),
        ("Representations", "Linear probe: accuracy on validation samples"),
    ],
)
def test_every_section_of_look_inside_opens_on_an_untrained_drawing(section, says, lenet):
    open_section(lenet.go("inside"), section)
    lenet.at.run().run()
    lenet.assert_calm()
    assert says is None or says in html(lenet)
    assert 'class="ll-skeleton"' not in html(lenet)


@pytest.mark.gate
def test_choosing_a_block_shows_it_large(lenet):
    lenet.go("inside").press("inside:node:pool2").assert_calm()
    assert lenet.at.subheader[0].value == "pool2"


def section(tab, name, **kept):
    """Open a section of Look inside, with what was chosen in it."""
    tab.go("inside")
    open_section(tab, name)
    for key, value in kept.items():
        tab.at.session_state[key.replace("__", ":")] = value
    tab.at.run()
    return tab


@pytest.mark.slow
def test_the_next_mistake_is_opened_by_its_button(lenet):
    section(lenet, "Mistakes").assert_calm()
    before = [c.value for c in lenet.at.caption if ", 1 of " in c.value]
    assert before
    lenet.press("inside:next").assert_calm()
    assert [c.value for c in lenet.at.caption if ", 2 of " in c.value]
    assert not lenet.at.button(key="inside:previous").disabled
    assert "target</em>" in html(lenet)


@pytest.mark.slow
def test_a_cell_of_the_confusion_matrix_opens_its_mistakes(lenet):
    from app.pages.inside import mistakes

    matrix = ask(network.confusion_of, ProjectRef(lenet.document.text()))
    n, true, predicted = max(
        (n, matrix.classes[t], matrix.classes[p])
        for t, row in enumerate(matrix.counts) for p, n in enumerate(row) if t != p
    )  # fmt: skip
    kept = {mistakes.TRUE: true, mistakes.PREDICTED: predicted}
    section(lenet, "Mistakes", **kept).assert_calm()
    assert [box.value for box in lenet.at.selectbox if box.label in ("Target", "Prediction")] == [
        true, predicted,
    ]  # fmt: skip
    assert lenet.at.subheader[0].value == f"{true} predicted as {predicted}"
    assert any(f"1 of {min(n, mistakes.MOST)}" in c.value for c in lenet.at.caption)
    kept = {mistakes.TRUE: true, mistakes.PREDICTED: true}
    section(lenet, "Mistakes", **kept).assert_calm()
    assert "Choose another pair" in lenet.texts[0]
    button = next(b for b in lenet.at.button if b.label == "All mistakes")
    button.click().run()
    assert any(" of 359 validation samples are wrong" in c.value for c in lenet.at.caption)


@pytest.mark.slow
def test_an_inner_filter_is_opened_with_values_of_the_channel_that_is_chosen(lenet):
    kept = {"inside__layer": "conv2", "inside__filter": 3, "inside__channel": 4}
    section(lenet, "Filters", **kept).assert_calm()
    assert lenet.at.subheader[0].value.replace("\\", "") == "conv2, filter 3"
    weight = ask(network.one_filter, ProjectRef(lenet.document.text()), "conv2", 3, 4)
    numbers = [float(word) for word in lenet.at.code[0].value.split()]
    flat = [value for row in weight.values for value in row]
    assert numbers == pytest.approx(flat, rel=1e-3)
    assert [e.label for e in lenet.at.expander] == ["Values of input channel 4"]
    assert html(lenet).count("sees 14x14") >= 1


@pytest.mark.slow
def test_an_input_is_made_for_the_filter_that_is_opened(lenet):
    kept = {"inside__layer": "conv2", "inside__filter": 3, "inside__make_input": True}
    section(lenet, "Filters", **kept).assert_calm()
    assert "Input made for conv2, channel 3" in html(lenet)
    assert any("does not show what the data looks like" in c.value for c in lenet.at.caption)
    assert any("made, means = ascend(mean_of, (1, 1, 28, 28)" in c.value for c in lenet.at.code)


@pytest.mark.slow(keep=["mlp_iris"])
@pytest.mark.parametrize("name", ["mlp_iris", "regression_diabetes", "rnn_letter_names",
                                  "bert_text", "two_heads_digits", "lstm_waves"])  # fmt: skip
def test_mistakes_and_filters_open_on_tables_texts_and_several_heads(name, tab):
    tab.press(f"open_template_{name}")
    section(tab, "Mistakes").assert_calm()
    assert "ll-head" in html(tab)
    section(tab, "Filters").assert_calm()
    assert tab.at.subheader[0].value


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "method", "says"),
    [
        ("lenet_digits", "Grad-CAM", "pool2, 5 x 5"),
        ("mlp_iris", "Integrated gradients", "sum of all values"),
        ("gpt_text", "Occlusion", "explained token"),
        ("vit_digits", "Attention", "each row shows what one position attends to"),
        ("lstm_waves", "Saliency", "Importance of each step."),
        ("unlabelled_digits", "", "There is no score to explain"),
    ],
)
def test_why_explains_pictures_rows_texts_and_series(name, method, says, tab):
    tab.press(f"open_template_{name}")
    section(tab, "Why", **({"inside__why__method": method} if method else {})).assert_calm()
    assert says in html(tab) + " ".join(info.value for info in tab.at.info)


@pytest.mark.slow
def test_the_sanity_check_says_how_like_random_weights_explain(lenet):
    section(lenet, "Why", inside__why__method="Grad-CAM").press("inside:why:check").assert_calm()
    assert "random from this layer to the last" in html(lenet)
    assert "<code>conv1</code>" in html(lenet)


@pytest.mark.slow
def test_cost_measures_steps_on_request(lenet):
    section(lenet, "Cost").assert_calm()
    assert "Before measuring: arithmetic by block" in html(lenet)
    assert '<td class="n">240 k</td><td class="n">58%</td>' in html(lenet)
    lenet.press("inside:cost:start").assert_calm()
    shown = html(lenet)
    assert "Before measuring" not in shown
    assert "Time and memory by block" in shown
    assert "<code>conv2</code>" in shown
    assert "ll-flame" in shown
    assert "kept for backward</td>" in shown
    assert "Predicted for each phase (dotted): at most 3.26 MB." in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("mlp_wine", "A class"),
        ("regression_diabetes", "principal components"),
        ("lstm_waves", "needs classes or one number"),
    ],
)
def test_blocks_of_rows_and_series_are_placed_with_or_without_probes(name, says, tab):
    tab.press(f"open_template_{name}")
    section(tab, "Representations").assert_calm()
    assert says in " ".join(caption.value for caption in tab.at.caption)


@pytest.mark.slow
def test_samples_on_the_plane_tell_what_they_are(lenet):
    section(lenet, "Representations").assert_calm()
    [plane] = given(lenet, "points")
    assert plane["label"].startswith(
        "359 validation samples at fc3, reduced to a plane by PCA. Arrow keys"
    )
    assert len(plane["points"]) == len(plane["words"]) == 359
    assert all(0 < x < 1 and 0 < y < 1 for x, y in plane["points"])
    assert plane["sheet"].startswith("data:image/png;base64,")
    assert plane["size"] == [28, 28]
    assert all(re.fullmatch(r"target \d\npredicted \d", words) for words in plane["words"])


@pytest.mark.slow
def test_blocks_are_compared_on_request(lenet):
    section(lenet, "Representations").press("inside:knows:compare").assert_calm()
    assert "Similarity of blocks" in html(lenet)
    assert "1.00</td>" in html(lenet)


@pytest.mark.slow
def test_blocks_are_compared_with_those_of_another_run(tab):
    project, few = load_template("mlp_iris"), {"epochs": 1, "threads": 1}
    runs = []
    for lr in (0.01, 0.02):
        runs.append(prepare(project, analyse_project(project), paths.runs_dir(), {**few, "lr": lr}))
        train_here(runs[-1])
    tab.press("open_template_mlp_iris")
    section(tab, "Representations").press("inside:knows:compare").assert_calm()
    box = tab.at.selectbox(key="inside:knows:against")
    [own, other] = [run for run in runs if run.name not in box.options] + [
        run for run in runs if run.name in box.options
    ]
    box.select(other.name).run()
    tab.assert_calm()
    assert f"Rows: this network. Columns: {other.name}." in html(tab)
    [compared] = [each for each in map(body, tab.at.get("html")) if "Similarity of blocks" in each]
    refs = [RunRef(run, networks.weights_version(run)) for run in (own, other)]
    similarity = ask(network.similarity, *refs)
    values = [f"{value:.2f}" for row in similarity.values for value in row]
    assert re.findall(r"([\d.-]+)</td>", compared) == values


def test_a_drawing_with_errors_says_what_to_mend(lenet):
    document = lenet.document
    graph = document.project.graph
    from core.graph import edits

    document.session.update(graph=edits.remove(graph, "conv1"))
    of_wings = [*rows("pages", "LINKED_FROM_EXPORT").values()]
    for page, others in (("inside", []), ("export", of_wings)):
        lenet.go(page).assert_calm()
        assert any("needs a wire" in text for text in lenet.texts)
        labels = [link.proto.label for link in lenet.at.get("page_link")]
        assert labels == [*others, "Fix it on the canvas"]
        assert not [b for b in lenet.at.button if b.label == "Export"]


@pytest.mark.gate
@pytest.mark.parametrize("kind", ["python", "safetensors", "torchscript-script"])
def test_a_card_makes_a_file_that_agrees_with_the_network(kind, lenet):
    lenet.go("export")
    if not FORMATS[kind].first:
        lenet.at.selectbox(key="export_more").set_value(kind).run()
    lenet.press(key(lenet, f"export:{kind}:")).assert_calm()
    assert "largest difference" in html(lenet)
    assert "0, exact" in html(lenet)
    assert len([name for name in downloads(lenet) if name.startswith("Download")]) == 1


def downloads(tab):
    """What the buttons say that give a file."""
    return [button.proto.label for button in tab.at.get("download_button")]


@pytest.mark.needs("dot")
def test_the_figure_is_shown_with_its_files(lenet):
    lenet.go("export").assert_calm()
    assert downloads(lenet) == ["SVG", "PDF", "PNG", "DOT"]
    assert 'src="data:image/svg+xml;base64,' in html(lenet)


def test_imported_weights_are_offered_first_on_look_inside_and_export(lenet, workspace):
    path = workspace / "lenet.loom.json"
    save_project(lenet.document.project, path)
    lenet.document.session.path = path
    export(lenet.document.project, "safetensors", workspace / "lenet.safetensors")
    lenet.go("inside").assert_calm()
    assert lenet.at.selectbox[0].value == networks.IMPORTED
    assert any("The weights of the imported model" in c.value for c in lenet.at.caption)
    lenet.go("export")
    assert any("imported with this drawing" in c.value for c in lenet.at.caption)
    lenet.at.selectbox(key="export_more").set_value("safetensors").run()
    lenet.press(key(lenet, "export:safetensors:")).assert_calm()
    assert "weights of lenet.safetensors" in html(lenet)


def test_imported_weights_of_another_drawing_are_one_sentence(lenet, workspace):
    path = workspace / "lenet.loom.json"
    save_project(lenet.document.project, path)
    lenet.document.session.path = path
    export(load_template("mlp_iris"), "safetensors", workspace / "lenet.safetensors")
    lenet.go("inside")
    assert not lenet.at.exception
    message = "conv1.weight needs (6, 1, 5, 5) but lenet.safetensors has no such tensor"
    assert [message in text for text in lenet.texts] == [True]
