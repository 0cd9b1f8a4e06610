"""What a model does otherwise in training is drawn: a training step of the drawing is the same."""

from collections import OrderedDict

import pytest
import torch
from torch import nn

from core.analyse import analyse, build
from core.wings.importing import ImportedModel, import_module
from core.wings.importing.pipeline import build_on_meta
from core.wings.importing.verify.equivalence import verdicts
from tests.wings.importing import by_mode, otherwise


def drawn(model: nn.Module, size: int = 6) -> tuple[ImportedModel, str]:
    """The drawing of a model and its source."""
    torch.manual_seed(0)
    found = import_module(model.eval(), [(size,)])
    report = analyse(found.project.graph, "Net")
    assert report.source, report.errors
    return found, report.source


@pytest.mark.gate
@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        (by_mode.Drops, ["self.drop1 = nn.Dropout(p=0.25)", "self.drop2 = nn.Dropout(p=0.3)",
                         "self.drop3 = nn.Dropout(p=0.2)"]),
        (by_mode.Attends, ["dropout_p=0.4 if self.training else 0.0"]),
        (by_mode.Norms, ["nn.BatchNorm1d(5, eps=0.001, momentum=0.2)", "self.norm = "
                         "nn.BatchNorm1d(4)", "self.act = nn.ReLU(inplace=True)"]),
        (by_mode.OwnNorm, ["x, self.mean, self.var, weight=self.scale, training=self.training"]),
        (by_mode.Residual, ["class DropPath(nn.Module):", "x if self.training else input"]),
        (by_mode.Noisy, ["torch.randn_like(", "x if self.training else mul1"]),
        (by_mode.Chooses, ["one if self.training else x"]),
    ],
)  # fmt: skip
def test_a_model_that_does_otherwise_in_training_is_drawn_with_both(
    kind: type[nn.Module], lines: list[str]
):
    model, size = kind(), 24 if kind is by_mode.Attends else 6
    found, source = drawn(model, size)
    assert [line for line in lines if line not in source] == []
    judged = {v.name: v.equal for v in verdicts(model, build(source), found.keys, [(size,)])}
    assert judged["the sample"] is True
    assert judged["another batch"] is True
    assert judged["one training step"] is True
    assert found.training == ()


def test_a_dropout_that_never_drops_is_not_drawn():
    _, source = drawn(by_mode.Drops())
    assert source.count("nn.Dropout(") == 3
    assert "0.9" not in source


def test_a_norm_with_its_activation_keeps_the_keys_of_the_original():
    layers: list[tuple[str, nn.Module]] = [("fc", nn.Linear(6, 6)), ("norm", by_mode.NormAct(6))]
    found, _ = drawn(nn.Sequential(OrderedDict(layers)))
    assert found.keys == {}
    assert found.unused == ()


def test_what_training_changes_of_the_model_itself_is_reported():
    found, source = drawn(otherwise.Centres())
    assert "self.training" not in source
    assert found.training == (
        "in training, the original changes centre in place, Centres (otherwise.py, line 47); the "
        "drawing does not change it",
    )


def test_a_module_that_cannot_be_drawn_in_training_is_drawn_as_in_evaluation():
    found, source = drawn(otherwise.Refused())
    assert "self.training" not in source
    assert found.training == (
        "in training, Refused (otherwise.py, line 89) reads a tensor changed in place under "
        "another name: Refused (otherwise.py, line 88).",
    )


def judged_step(model: nn.Module) -> tuple[ImportedModel, bool | None, str]:
    """The drawing, and the verdict on a training step with what it freezes."""
    torch.manual_seed(0)
    found = import_module(model.eval(), [(6,)])
    ours = build_on_meta(analyse(found.project.graph, "Net"))
    *_, step = verdicts(model, ours, found.keys, [(6,)])
    return found, step.equal, step.note


def test_what_the_original_freezes_is_frozen_in_the_drawing():
    model = by_mode.Tuned()
    model.head.bias.requires_grad_(True)
    found, equal, note = judged_step(model)
    assert (equal, note) == (True, "")
    assert found.training == ()
    assert dict(analyse(found.project.graph).rates) == {"stages.0": 0.0, "stages.1": 0.0}


def test_a_layer_that_is_frozen_in_part_is_reported():
    found, equal, note = judged_step(by_mode.Tuned())
    assert found.training == (
        "head: part of it is frozen in the original; the drawing trains all of it",
    )
    assert equal is False
    assert note.endswith(
        "head is frozen in part. A drawing freezes whole blocks: freeze all of it, or train all "
        "of it."
    )


def test_a_frozen_norm_keeps_its_statistics_and_is_reported_where_the_original_changes_them():
    still, equal, _ = judged_step(by_mode.Still())
    assert equal is True
    assert still.project.graph.nodes["norm"].frozen
    assert still.training == ()
    model = nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Linear(6, 2))
    model[1].requires_grad_(False)
    changing, equal, note = judged_step(model)
    assert changing.training == (
        "1 is frozen: the drawing keeps its running statistics in training, the original keeps "
        "changing them",
    )
    assert equal is False
    assert "the running statistics of 1 change, though frozen" in note
