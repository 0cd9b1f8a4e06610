"""A classifier of texts where its data is not: what its run has kept says how a text is read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.export import interface
from core.export.interface import interface_of
from core.export.subject import subject_of
from core.runs.files import read_json
from core.samples.inputs import read
from tests.crossing import own_texts
from tests.crossing.cross import trained
from tests.crossing.own_project import trusted


@pytest.fixture(scope="module")
def run() -> Iterator[tuple[Path, Path]]:
    """A trained run, and the file that it learned from."""
    projects = {"mails": lambda workspace: own_texts.text_project(own_texts.mails(workspace))}
    with trusted() as workspace:
        yield trained("mails", workspace, projects).run_dir, workspace / "data/mails.csv"


@pytest.mark.parametrize(
    "changes",
    [
        {"classes": []},
        {"data": {"source": "TextCSV", "file": "mails.csv", "columns": 5}},
        {"data": {"source": "digits"}},
        {"training": {}},
    ],
)
def test_files_of_a_stranger_that_do_not_say_how_are_described_by_shapes(
    run: tuple[Path, Path], changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = subject_of(run[0])
    spec = read_json(run[0] / "spec.json") | changes
    monkeypatch.setattr(interface, "data_of", lambda _: None)
    monkeypatch.setattr(interface, "read_json", lambda _: spec)
    (found,) = interface_of(subject).inputs
    assert found.kind == ("text" if "training" in changes else "numbers")


def test_a_text_is_read_and_answered_as_where_the_data_is(run: tuple[Path, Path]) -> None:
    run_dir, file = run
    here = interface_of(subject_of(run_dir)).json()
    file.rename(file.with_suffix(".gone"))
    alone = interface_of(subject_of(run_dir)).json()
    ((told,), (known,)) = (each["inputs"] for each in (alone, here))
    assert {**told, "table": known["table"]} == known
    assert (alone["outputs"], alone["task"]) == (here["outputs"], "classification")
    body = b"text\nwin cash now\nsee you at noon\n"
    asked = [read(each, "text/csv", body, 9).columns[0] for each in (alone, here)]
    assert asked[0] is not None
    assert asked[1] is not None
    assert asked[0].tolist() == asked[1].tolist()
    assert asked[0][0, :3].min() > 1  # of the vocabulary, each
