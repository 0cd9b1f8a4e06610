"""`layerloom train` of a drawing without training settings uses those that suit it."""

from dataclasses import replace

from app.cli.overrides import as_suggested
from core.analyse import analyse_project
from core.project import open_project

IRIS = "projects/mlp_iris.loom.json"


def drawing(**training):
    """A network for iris with these training settings alone, and what is known of it."""
    project = replace(open_project(IRIS), training=training, data={"source": "iris"})
    return project, analyse_project(project)


def test_a_drawing_without_settings_trains_as_suggested_and_says_so(capsys):
    project, report = drawing()
    found = as_suggested(project, report)
    assert found.training["scheduler"] == {"name": "OneCycleLR"}
    assert found.training["epochs"] > 10
    assert found.graph == project.graph
    assert "--defaults turns this off" in capsys.readouterr().err


def test_settings_that_somebody_chose_are_obeyed(capsys):
    project, report = drawing(lr=0.01)
    assert as_suggested(project, report) is project
    project, report = drawing(seed=3)
    assert as_suggested(project, report, {"lr": 0.5}) is project
    assert capsys.readouterr().err == ""
