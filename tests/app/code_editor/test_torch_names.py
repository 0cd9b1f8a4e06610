"""The names that the editor completes are those of torch."""

import json
import math

import torch
from torch import nn
from torch.nn import functional

from app.code_editor.torch_names import FILE, collect

NAMES = json.loads(FILE.read_text("utf-8"))
MODULES = {"nn": nn, "F": functional, "torch": torch, "math": math}


def test_every_name_is_there_in_torch() -> None:
    gone = [f"{m}.{n}" for m, names in NAMES.items() for n in names if not hasattr(MODULES[m], n)]
    assert gone == []


def test_what_is_written_most_is_among_them() -> None:
    assert {"Linear", "Conv2d", "Parameter", "ModuleList", "MultiheadAttention"} <= {*NAMES["nn"]}
    assert {"relu", "softmax", "scaled_dot_product_attention"} <= {*NAMES["F"]}
    assert {"sigmoid", "cat", "einsum", "float32", "where"} <= {*NAMES["torch"]}
    assert {"sqrt", "pi"} <= {*NAMES["math"]}


def test_no_layer_of_this_torch_is_missing() -> None:
    assert {name for name in collect()["nn"] if name in dir(nn)} - {*NAMES["nn"]} == set()
