"""A sweep searches around the suggested settings."""

import argparse

import pytest

from app.wings.sweep import cli as sweep
from core.project import open_project, write_text
from core.wings.sweep.files import PROJECT
from tests.app.cli.test_suggested_settings import drawing


@pytest.mark.parametrize(
    ("search", "scheduler"), [("seed=0,1", {"name": "OneCycleLR"}), ("lr=0.1,0.2", None)]
)
def test_a_sweep_searches_around_the_suggestion_but_for_what_goes_with_its_rate(
    tmp_path, search, scheduler
):
    file = tmp_path / "mine.loom.json"
    file.write_text(write_text(drawing()[0]))
    parser = argparse.ArgumentParser()
    sweep.declare(parser.add_subparsers())
    words = ["sweep", str(file), "--search", search, "--runs", str(tmp_path / "runs")]
    folder = sweep.begun(parser.parse_args(words))
    training = open_project(folder / PROJECT).training
    assert (dict(training["scheduler"]) if "scheduler" in training else None) == scheduler
