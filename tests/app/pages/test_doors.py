"""Whichever button starts a training: the run has the settings that the form shows."""

from dataclasses import replace

import pytest

from app.pages.build import page as build
from app.services import remedies
from core.data import read_settings
from core.runs.remedies import Remedy
from tests.app.pages.test_suggested_settings import ADOPTED, captions, drawn, settings


@pytest.fixture
def asked(monkeypatch):
    """Projects that training was asked for, in place of starting it."""
    projects = []

    def train(document, remedy=None, launcher=None):
        projects.append(document.project)
        return f"run-{len(projects)}"

    monkeypatch.setattr("app.services.training.start", train)
    return projects


def by_build(tab, document, patch):
    pressed = [{"name": "train", "args": {}}]
    press = lambda _, on_action: on_action(pressed.pop()) if pressed else None  # noqa: E731
    patch.setattr(build, "canvas", press)
    tab.go("build")


def by_train(tab, document, patch):
    tab.go("train").press("train")


def by_remedy(tab, document, patch):
    tab.go("train")
    remedies.apply(document, "run-0", Remedy("Batches of 32", {"batch_size": 32}))


DOORS = {by_build: ADOPTED, by_train: ADOPTED, by_remedy: {**ADOPTED, "batch_size": 32}}


@pytest.mark.parametrize("door", DOORS)
def test_a_run_has_what_suits_it_and_the_form_shows_that(tab, asked, monkeypatch, door):
    document = drawn(tab)
    door(tab, document, monkeypatch)
    (project,) = asked
    assert settings(project.training) == DOORS[door]
    tab.go("train").assert_calm()
    assert document.project.training == project.training
    shown = tab.at.number_input(key=f"{document.form.key}:batch_size").value
    assert shown == project.training["batch_size"]


def test_a_remedy_changes_nothing_but_what_it_says(tab, asked):
    document = drawn(tab)
    document.form.suggested = {}  # settings at their defaults that a student chose
    remedies.apply(document, "run-0", Remedy("Learning rate 0.003", {"lr": 0.003}))
    assert settings(asked[0].training) == {"lr": 0.003}
    tab.go("train").assert_calm()
    assert settings(document.project.training) == {"lr": 0.003}


def test_an_empty_drawing_has_no_settings_of_its_own(tab):
    tab.press("empty")
    tab.document.change(data={"source": "iris"})
    tab.go("train")
    assert "Different from the suggestion" not in captions(tab)


def test_other_data_in_the_form_is_standardised_where_that_suits(tab):
    document = drawn(tab, source="digits")
    tab.go("train")
    (chosen,) = [box for box in tab.at.selectbox if box.label == "Data set"]
    chosen.set_value("iris").run()
    tab.assert_calm()
    assert dict(document.project.data) == {"source": "iris"}
    assert read_settings(document.project.data).normalize is True
    (toggle,) = [one for one in tab.at.toggle if one.label == "Normalise"]
    assert toggle.value is True
    assert "The columns are standardised." in captions(tab)


def test_what_is_not_standardised_is_said_clearly(tab):
    document = drawn(tab)
    document.replace(replace(document.project, data={"source": "iris", "normalize": False}))
    tab.go("train").assert_calm()
    assert "The columns are not standardised yet; they should be." in captions(tab)
