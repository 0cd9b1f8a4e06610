"""The page of sweeps searches around the suggested settings."""

from app.services import paths
from app.wings.sweep import service as sweeps
from core.project import open_project
from core.wings.sweep import files
from tests.app.pages.test_suggested_settings import ADOPTED, drawn, settings


def test_a_sweep_searches_around_what_suits(tab, monkeypatch):
    monkeypatch.setattr(sweeps, "go_on", lambda name, jobs=1: None)
    document = drawn(tab)
    tab.go("sweeps").press("sweep_start").assert_calm()
    (folder,) = files.folders(paths.runs_dir())
    trained = open_project(folder / files.PROJECT).training
    assert settings(trained) == ADOPTED == settings(document.project.training)
