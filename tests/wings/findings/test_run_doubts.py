"""A verdict is put in doubt by what is in the run's own data, in the same words everywhere."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.wings.findings import doubt
from core.runs.verdict import Verdict
from tests.wings.findings.planted import MAKERS, people

LEARNED = Verdict("learned", "Learned", "100% ± 1.2 of the samples.", value="100% ± 1.2")
GUESSING = Verdict("guessing", "As good as guessing", "52%.", value="52% ± 9")


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Makes the folder of a run on some data settings."""

    def made(data: Any) -> Path:
        folder = tmp_path / "runs" / "one"
        folder.mkdir(parents=True)
        (folder / "control.json").write_text("{}")
        (folder / "spec.json").write_text(
            json.dumps({"data": {**data, "summary": "240 rows"}, "training": {"seed": 3}})
        )
        return folder

    return made


def planted(kind: str) -> Any:
    return MAKERS[kind](np.random.default_rng(7))[0]


def test_what_one_column_reaches_stands_beside_a_good_result(read: Any, run: Any) -> None:
    folder = run(read(planted("the class in other words").table))
    (found,) = doubt.words(folder, LEARNED)
    assert found["sentence"] == "100%, but species_id alone reaches 100 %."
    assert found["mend"]["title"] == "Leave out species_id"
    assert doubt.words(folder, GUESSING) == []


def test_a_cell_far_outside_stands_beside_a_bad_result(read: Any, run: Any) -> None:
    table = people(np.random.default_rng(1))
    table["height"][9] = 17200000
    folder = run(read(table))
    (found,) = doubt.words(folder, GUESSING)
    assert found["sentence"] == (
        "A cause may be in the data: height is 17200000 in row 11, far outside all others."
    )
    assert doubt.words(folder, LEARNED) == []


def test_rows_of_one_patient_are_counted_by_the_seed_of_the_run(read: Any, run: Any) -> None:
    folder = run(read(planted("rows of one patient on both sides").table))
    (found,) = doubt.words(folder, LEARNED)
    assert found["sentence"] == (
        "100%, but 48 of 48 validation rows have the patient of training rows: it may be much "
        "worse on a new patient."
    )


def test_data_that_changed_since_the_run_puts_nothing_in_doubt(read: Any, run: Any) -> None:
    folder = run(read(planted("the class in other words").table))
    (Path(folder).parents[1] / "table.csv").write_text("a,b\n1,2\n3,4\n")
    assert doubt.words(folder, LEARNED) == []


def test_data_that_comes_with_layerloom_is_not_looked_at(run: Any) -> None:
    assert doubt.words(run({"source": "iris"}), LEARNED) == []
