"""Tables as people save them are read as they are meant, by every door alike."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.data import read_settings
from core.data.facts.metadata import read_own
from core.data.sources.custom_source import read_custom_source
from core.data.table.guess import guess_table
from core.data.table.read import read_table
from tests.core.data.table_exports import EXPORTS
from tests.core.data.table_spellings import SPELLINGS, Spelled

NAME = "data/t.csv"
TABLES = {**SPELLINGS, **EXPORTS}


def placed(workspace: Path, content: bytes) -> Path:
    file = workspace / NAME
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    return file


def read(workspace: Path, content: bytes, **data: Any) -> tuple[Any, Any]:
    """The table as guessed, and the guess."""
    file = placed(workspace, content)
    guess = guess_table(file, NAME, given=data)
    source = read_custom_source(guess.data)
    assert source is not None
    return read_table(file, source), guess


@pytest.mark.parametrize("case", TABLES.values(), ids=TABLES.keys())
def test_a_table_is_read_as_it_is_meant(workspace: Path, case: Spelled):
    found, _ = read(workspace, case.content)
    assert found.features == case.features
    np.testing.assert_array_equal(found.inputs(), np.array(case.inputs))
    assert found.answers().tolist() == list(case.answers)
    assert found.answer.classes == case.classes


@pytest.mark.gate
@pytest.mark.parametrize("case", TABLES.values(), ids=TABLES.keys())
def test_what_was_decided_stands_in_the_project_and_decides_again(workspace: Path, case: Spelled):
    _, guess = read(workspace, case.content)
    read_own(guess.data)
    assert read_settings(guess.data).source.columns == case.features
    again = guess_table(workspace / NAME, NAME, given=guess.data)
    assert again.data == guess.data
