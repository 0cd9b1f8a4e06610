"""A drawing without data, or with data that does not fit it, is led to where that is mended."""

import pytest

from core.export.formats import FORMATS


@pytest.fixture
def bare(lenet):
    """LeNet whose project names no data, as that of an imported model."""
    lenet.document.change(data={})
    return lenet


def links(tab):
    return [link.proto.label for link in tab.at.get("page_link")]


def test_train_leads_to_the_data(bare):
    bare.go("train").assert_calm()
    assert "There is no data to train on yet. Choose a data set in the settings." in bare.texts
    assert "Choose data or bring your own" in links(bare)
    markdown = " ".join(part.value for part in bare.at.markdown)
    assert "Press **Train**" not in markdown


def test_train_leads_to_data_that_does_not_fit(lenet):
    lenet.document.change(data={"source": "iris"})
    lenet.go("train").assert_calm()
    assert "Fit the network to the data" in links(lenet)


def test_train_of_a_drawing_that_fits_has_no_way_out_to_show(lenet):
    lenet.go("train").assert_calm()
    assert not {"Fit the network to the data", "Choose data or bring your own"} & set(links(lenet))


def test_files_that_train_lead_to_the_data_and_the_others_can_be_made(bare):
    bare.go("export").assert_calm()
    assert links(bare).count("Choose data first") == 1
    assert made(bare) == ["onnx", "web"]
    further = [kind for kind in FORMATS.values() if not (kind.first or kind.figure)]
    field = bare.at.selectbox(key="export_more")
    assert len(field.options) == len(further)
    for name, leads in (("notebook", 2), ("python", 1)):
        bare.at.selectbox(key="export_more").set_value(name).run()
        assert links(bare).count("Choose data first") == leads
        assert ("python" in made(bare)) == (name == "python")


def made(tab):
    """The formats that can be exported."""
    keys = [button.key for button in tab.at.button if (button.key or "").endswith(":make")]
    return [key.split(":")[1] for key in keys]


def test_look_inside_leads_to_the_data(bare):
    bare.go("inside").assert_calm()
    assert "Go to Data" in links(bare)


def test_compare_without_runs_leads_to_a_first_one(lenet):
    lenet.go("compare").assert_calm()
    assert links(lenet) == ["Train the open project"]


def test_compare_without_runs_and_project_leads_to_the_start(tab):
    tab.go("compare").assert_calm()
    assert links(tab) == ["All templates, or open a file"]
    tab.press("open_template_mlp_iris").assert_calm()
    assert tab.document.project.name == "MLP on iris"
