"""The lines of a script read a table to the same bits as a run, however it is spelled."""

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from core.data import describe, load
from core.data.facts.metadata import read_own
from core.data.table.guess import guess_table
from core.project import Project
from core.script.script import write_script
from tests.core.data.table_exports import EXPORTS
from tests.core.data.table_spellings import SPELLINGS, Spelled
from tests.core.data.test_picture_folders import PETS, drawn
from tests.core.data.test_picture_folders import write as write_folder
from tests.core.script.hand_made import Written
from tests.core.script.test_own_files import MODEL

NAME = "data/t.csv"
TABLES = {**SPELLINGS, **EXPORTS}


def loaded_by_the_script(text: str, file: Path) -> tuple[Any, ...]:
    """What `load_data` of a script gives."""
    tree = ast.parse(text)
    kinds = ast.Import | ast.ImportFrom | ast.Assign | ast.FunctionDef | ast.ClassDef
    kept = [part for part in tree.body if isinstance(part, kinds)]
    space: dict[str, Any] = {"__name__": "script"}
    exec(compile(ast.Module(kept, []), "<script>", "exec"), space)
    return space["load_data"](str(file))


@pytest.mark.gate
@pytest.mark.parametrize("case", TABLES.values(), ids=TABLES.keys())
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


COPIED = b"""nr,size,city,kind
1,2.5,Bonn,yes
2,2.5,Bonn,no
3,2.5,Bonn,yes
4,?,Jena,no
5,?,Jena,no
6,1.5,,yes
7, 1.5,,yes
8,1.50,Jena,yes
9,1.5,Jena,no
1,2.5,Bonn,yes
"""


@pytest.mark.gate
@pytest.mark.parametrize(
    ("columns", "fill", "rows"),
    [
        # 1 again at the end; a number written in another way is another cell
        ((), {"size": "mean", "city": "missing"}, 9),
        (("size", "city"), {"size": "mean", "city": "missing"}, 6),
        (("city", "size"), {"size": "drop", "city": "drop"}, 4),
    ],
)
def test_a_script_leaves_out_the_copies_that_the_run_leaves_out(
    workspace: Path, columns: tuple[str, ...], fill: dict[str, str], rows: int
):
    file = workspace / NAME
    file.parent.mkdir()
    file.write_bytes(COPIED)
    data = {"source": "CSV", "file": NAME, "validation": 0.4, "fill": fill, "copies": "drop"}
    data |= {"columns": columns} if columns else {}
    facts = read_own(data)
    ends = (len(facts.source.columns),), (2,)
    ours = load(data, *ends)
    assert len(ours.train_indices) + len(ours.validation_indices) == rows
    assert ours.info.about == f"The table data/t.csv. {10 - rows} of 10 rows are left out."
    model = MODEL.format(shape=("N", *ends[0]), inputs=ends[0][0], outputs=2)
    project = Project(name="Net", data=data, training={})
    text = write_script(project, Written(model, "Net"), describe(data, *ends))
    train_x, train_y, val_x, val_y, *_ = loaded_by_the_script(text, file)
    for mine, theirs in zip((*ours.training(), *ours.validation()),
                            (train_x, train_y, val_x, val_y), strict=True):  # fmt: skip
        assert torch.equal(mine, theirs)


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("junk", [(), ("train/cats/._1.png", "train/.x/2.png", "test/dogs/9.png")])
def test_a_script_sees_pictures_as_the_run_does(workspace: Path, junk, skip: bool):
    around = "train/" if junk else ""
    root = write_folder(workspace / "data/pets", tuple(around + name for name in PETS) + junk)
    drawn((0, 0, 0), "RGBA").save(root / f"{around}cats/3.png")
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.linear_gradient("L").resize((9, 5)).save(root / f"{around}dogs/3.png", exif=exif)
    deep = np.linspace(0, 1000, 30).reshape(5, 6).astype(np.uint16)
    Image.fromarray(deep).save(root / f"{around}dogs/4.png")
    data = {"source": "ImageFolder", "root": "data/pets", "validation": 0.4} | (
        {"skip_corrupt": True} if skip else {}
    )
    read_own(data)
    ends = (3, 6, 6), (2,)
    ours = load(data, *ends)
    model = MODEL.format(shape=("N", 3, 6, 6), inputs=108, outputs=2)
    text = write_script(
        Project(name="Net", data=data, training={}), Written(model, "Net"), describe(data, *ends)
    )
    learned, seen, *_ = loaded_by_the_script(text, root)
    for part, (x, y) in ((learned, ours.training()), (seen, ours.validation())):
        assert torch.equal(torch.stack([part[i][0] for i in range(len(part))]), x[:])
        assert [int(part[i][1]) for i in range(len(part))] == y.tolist()
