"""The lines of a script read a table to the same bits as a run, however it is spelled."""

import ast
from pathlib import Path
from typing import Any

import pytest
import torch

from core.data import describe, load
from core.data.guess import guess_table
from core.data.metadata import read_own
from core.project import Project
from core.script.script import write_script
from tests.core.data.table_spellings import SPELLINGS, Spelled
from tests.core.script.hand_made import Written
from tests.core.script.test_own_files import MODEL

NAME = "data/t.csv"


def loaded_by_the_script(text: str, file: Path) -> tuple[Any, ...]:
    """What `load_data` of a script gives."""
    tree = ast.parse(text)
    kept = [part for part in tree.body
            if isinstance(part, ast.Import | ast.ImportFrom | ast.Assign | ast.FunctionDef)]  # fmt: skip
    space: dict[str, Any] = {"__name__": "script"}
    exec(compile(ast.Module(kept, []), "<script>", "exec"), space)
    return space["load_data"](str(file))


@pytest.mark.parametrize("case", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_script_reads_what_the_run_reads(workspace: Path, case: Spelled):
    file = workspace / NAME
    file.parent.mkdir()
    file.write_bytes(case.content)
    data = {**guess_table(file, NAME).data, "validation": 0.3}
    read_own(data)
    ends = (len(case.features),), (len(case.classes) or 1,)
    ours = load(data, *ends)
    model = MODEL.format(shape=("N", *ends[0]), inputs=ends[0][0], outputs=ends[1][0])
    project = Project(name="Net", data=data, training={})
    text = write_script(project, Written(model, "Net"), describe(data, *ends))
    train_x, train_y, val_x, val_y, *_ = loaded_by_the_script(text, file)
    for mine, theirs in zip((*ours.training(), *ours.validation()),
                            (train_x, train_y, val_x, val_y), strict=True):  # fmt: skip
        assert torch.equal(mine, theirs)
    assert not ours.inputs.isnan().any()
