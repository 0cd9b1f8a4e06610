"""The page on what the catalogue covers is written from the catalogue, and names what is not in."""

import re

from torch import nn

from blocks import CATALOGUE
from blocks.table import LEFT_OUT, PLACE, table


def test_the_page_is_what_the_catalogue_says():
    assert PLACE.read_text("utf-8") == table(), "run: python -m blocks.table"


def test_every_block_has_one_row():
    rows = re.findall(r"^\| \[(\S+)\]\(", table(), re.MULTILINE)
    assert sorted(name.replace("\\", "") for name in rows) == sorted(CATALOGUE)


def test_every_class_of_torch_nn_is_a_block_or_left_out_for_a_reason():
    classes = {
        name
        for name, kind in vars(nn).items()
        if isinstance(kind, type) and issubclass(kind, nn.Module) and not name.startswith("Lazy")
    }
    excused = set(re.findall(r"\w+", " ".join(LEFT_OUT)))
    assert classes - CATALOGUE.keys() - excused == set()
    assert excused & CATALOGUE.keys() <= {"where", "masked_fill", "nonzero", "index"}
