"""A project without a name is shown, saved, downloaded and trained under what it is."""

from dataclasses import replace

import pytest

from app.services import documents
from core.project import open_project, read_text, templates


@pytest.fixture
def nameless(tmp_path, monkeypatch):
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LAYERLOOM_WORKSPACE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    project = replace(templates.load_template("mlp_iris"), name="", about="")
    return documents.from_project(project)


def test_it_is_shown_and_downloaded_as_what_it_is(nameless):
    assert (nameless.title, nameless.stem) == ("MLP on iris", "mlp-on-iris")
    assert read_text(nameless.text()).name == "MLP on iris"
    assert nameless.project.name == ""


def test_saving_gives_it_its_name(nameless, tmp_path):
    nameless.save()
    assert open_project(tmp_path / "mlp-on-iris.loom.json").name == "MLP on iris"
    assert nameless.session.saved


def test_the_second_of_its_kind_is_distinguished_from_the_first(nameless):
    nameless.settle_name({"MLP on iris", "MLP on iris 2"})
    assert nameless.project.name == "MLP on iris 3"
    nameless.settle_name()
    assert nameless.title == "MLP on iris 3"


def test_a_new_project_is_no_longer_untitled():
    assert documents.empty().title == "Empty project"
