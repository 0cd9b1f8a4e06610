"""Code as papers publish it: four equal verdicts, or a sentence that says why not."""

import pytest
import torch
from torch import nn

from core.analyse import analyse, build
from core.wings.importing import ImportedModel, ImportRefused, import_module
from core.wings.importing.verify.equivalence import verdicts
from tests.wings.importing import papers

SHAPES: dict[str, tuple[int, ...]] = {
    "SwinV2": (5, 8), "DropsPaths": (6,), "DropsOnce": (6,), "TiedWords": (5,),
    "TiedAutoencoder": (6,), "Windows": (4, 8, 8), "CountsSizes": (3, 4, 4), "CopiesParts": (5, 6),
    "Annotated": (5, 6), "Loops": (4, 6), "SetsParts": (3, 4, 4), "Experts": (6,), "Numbers": (6,),
}  # fmt: skip

SIZES = {"TiedWords": True, "Loops": None}
"""Of another size: what is a sequence although it is a row, and what decides by its length."""


def drawn(name: str) -> tuple[nn.Module, ImportedModel, str]:
    torch.manual_seed(0)
    model: nn.Module = getattr(papers, name)().eval()
    found = import_module(model, [SHAPES[name]], name, [dtype(name)])
    report = analyse(found.project.graph, name)
    assert report.source, report.errors
    return model, found, report.source


def dtype(name: str) -> str:
    return "int64" if name == "TiedWords" else "float32"


@pytest.mark.gate
@pytest.mark.parametrize("name", SHAPES)
def test_a_habit_of_published_code_computes_the_same_bits_also_in_training(name: str):
    model, found, source = drawn(name)
    all_verdicts = verdicts(model, build(source), found.keys, [SHAPES[name]], [dtype(name)])
    image = SIZES.get(name, True if len(SHAPES[name]) > 1 else None)
    assert {verdict.name: verdict.equal for verdict in all_verdicts} == {
        "the sample": True, "another batch": True, "another image size": image,
        "one training step": True,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["SwinV2", "TiedWords", "TiedAutoencoder"])
def test_a_weight_with_several_uses_is_one_parameter(name: str):
    model, found, source = drawn(name)
    count = sum(p.numel() for p in model.parameters())
    assert sum(p.numel() for p in build(source).parameters()) == count
    assert found.unused == ()


def test_a_module_that_drops_samples_in_training_is_drawn_as_what_it_computes():
    _, found, _ = drawn("DropsPaths")
    depths = [
        n.settings for n in found.project.graph.nodes.values() if n.block == "StochasticDepth"
    ]
    assert [settings["p"] for settings in depths] == [0.3, 0.5]
    assert found.idle == ()


def test_sizes_that_go_through_fractions_and_int_stay_sizes():
    assert drawn("Windows")[1].specialised == ()


def test_how_often_a_loop_runs_is_reported_as_decided_by_the_input():
    (note,) = drawn("Loops")[1].specialised
    assert note.startswith("size 1 of the input x == 4 is True, Loops (papers.py, line ")


def test_what_was_changed_in_place_through_a_view_is_refused_where_it_is_read():
    with pytest.raises(ImportRefused) as refused:
        import_module(papers.ChangesAView().eval(), [(5, 6)])
    assert refused.value.message.startswith(
        "reads a tensor changed in place under another name: ChangesAView (papers.py, line "
    )
    assert refused.value.hint.startswith("Write that change as a new tensor")


def test_a_buffer_that_a_run_changes_is_refused_by_line_or_drawn_as_it_runs_once():
    with pytest.raises(ImportRefused, match="keeps total from one call to the next") as refused:
        import_module(papers.KeepsCount().eval(), [(6,)])
    assert refused.value.place == "KeepsCount (papers.py, line 245)"
    (note,) = import_module(papers.KeepsCount().eval(), [(6,)], specialise=True).specialised
    assert note.startswith(
        "a change of total in place that the drawing does not keep, KeepsCount ("
    )
