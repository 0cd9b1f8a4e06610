"""Imported models compute the same bits, keep every name, and read like hand-written ones."""

import functools
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import nn
from torchvision import models

from core.analyse import Report, analyse, build
from core.engine.weights_file import read_weights, write_weights
from core.project import Project, read_text, write_text
from core.wings.importing import ImportedModel, ImportRefused, import_module
from core.wings.importing.verify.equivalence import verdicts
from core.wings.importing.weights import full_state, mapped_state
from tests.wings.importing import models as small

GOLDEN = Path(__file__).parents[2] / "golden" / "imported"
NAMES = ("resnet18", "vgg11", "densenet121", "mobilenet_v2", "squeezenet1_1", "shufflenet_v2_x0_5")
LINES = {"resnet18": 97, "vgg11": 49, "densenet121": 295, "mobilenet_v2": 165,
         "squeezenet1_1": 61, "shufflenet_v2_x0_5": 119}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A model, what was imported, and what its written file says."""

    module: nn.Module
    found: ImportedModel
    project: Project
    report: Report
    source: str


@functools.cache
def case(name: str, side: int = 64) -> Case:
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = models.get_model(name, weights=None).eval()
    return imported(module, (3, side, side), name)


def imported(module: nn.Module, shape: tuple[int, ...], name: str) -> Case:
    found = import_module(module, [shape], name)
    project = read_text(write_text(found.project))
    report = analyse(project.graph, project.name)
    assert report.source, report.errors
    return Case(module, found, project, report, report.source)


def judged(one: Case, shape: tuple[int, ...]) -> dict[str, bool | None]:
    found = verdicts(one.module, build(one.source), one.found.keys, [shape])
    return {v.name: v.equal for v in found}


EQUAL = dict.fromkeys(
    ("the sample", "another batch", "another image size", "one training step"), True
)


@pytest.mark.slow(keep=["resnet18"])
@pytest.mark.parametrize("name", NAMES)
def test_the_source_computes_the_same_bits_also_elsewhere_and_in_training(name: str):
    assert judged(case(name), (3, 64, 64)) == EQUAL


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_keeps_its_name_and_size(name: str):
    one = case(name)
    ours = build(one.source).state_dict()
    theirs = one.module.state_dict()
    assert {k: v.shape for k, v in ours.items()} == {k: v.shape for k, v in theirs.items()}
    assert one.found.keys == {}


@pytest.mark.gate
@pytest.mark.parametrize("name", NAMES)
def test_the_counts_are_the_model_s(name: str):
    one = case(name)
    assert one.report.total_params == sum(p.numel() for p in one.module.parameters())


@pytest.mark.parametrize("name", NAMES)
def test_the_project_file_holds_the_project_drawing(name: str):
    one = case(name)
    assert one.project.notices == ()
    assert write_text(one.project) == write_text(one.found.project)
    assert one.project.layout == {}  # the canvas lays it out, as wide as its blocks and shapes are


@pytest.mark.parametrize("name", NAMES)
def test_the_source_is_short(name: str):
    assert len(case(name).source.splitlines()) <= LINES[name]


@pytest.mark.gate
def test_resnet_152_takes_as_many_lines_as_resnet_50():
    assert len(case("resnet152").source.splitlines()) == 100


@pytest.mark.parametrize("name", ["resnet18", "densenet121", "mobilenet_v2"])
def test_the_source_reads_as_it_did(name: str, request: pytest.FixtureRequest):
    path = GOLDEN / f"{name}.py"
    if request.config.getoption("--golden"):
        path.write_text(case(name).source, encoding="utf-8")
    assert case(name).source == path.read_text("utf-8")


@pytest.mark.gate
@pytest.mark.parametrize("name", NAMES)
def test_importing_the_source_gives_the_same_source_again(name: str):
    one = case(name)
    again = imported(build(one.source), (3, 64, 64), name)
    assert again.source == one.source


def test_weights_go_home_and_come_back(tmp_path: Path):
    one = case("squeezenet1_1")
    path = tmp_path / "weights.safetensors"
    ours = build(one.source).eval()
    write_weights(path, mapped_state(full_state(one.module), one.found.keys, ours))
    read_weights(path, ours)
    x = torch.rand(2, 3, 64, 64)
    with torch.no_grad():
        assert torch.equal(ours(x), one.module(x))


@pytest.mark.gate
def test_the_weights_of_a_regnet_come_home_by_the_written_map_of_its_names(tmp_path: Path):
    one = case("regnet_y_400mf", 32)
    ours, theirs = build(one.source).eval(), one.module.state_dict()
    mapped = {key: one.found.keys.get(key, key) for key in ours.state_dict()}
    assert len(one.found.keys) == 376
    assert one.found.keys["trunk_output.block1.0.f.a.0.weight"] == (
        "trunk_output.block1.block1-0.f.a.0.weight"
    )
    assert sorted(mapped.values()) == sorted(theirs)
    written = mapped_state(theirs, one.found.keys, ours)
    write_weights(tmp_path / "weights.safetensors", written, one.found.keys)
    read_weights(tmp_path / "weights.safetensors", ours)
    assert all(torch.equal(t, theirs[mapped[key]]) for key, t in ours.state_dict().items())


def test_a_layer_called_twice_is_two_nodes_that_share_weights():
    one = imported(small.Shared().eval(), (6,), "Shared")
    shared = {n: node.weights_of for n, node in one.project.graph.nodes.items() if node.weights_of}
    assert shared == {"fc2": "fc", "act2": "act"}
    assert judged(one, (6,))["the sample"]


@pytest.mark.parametrize("model", [small.TwoFaced, small.Borrows])
def test_a_module_that_cannot_be_one_composite_is_dissolved_and_shares_its_layers(model: type):
    one = imported(model().eval(), (6,), model.__name__)
    assert one.project.graph.composites == {}
    assert judged(one, (6,)) == {**EQUAL, "another image size": None}
    assert one.report.total_params == sum(p.numel() for p in one.module.parameters())


def test_learned_tensors_and_lists_of_layers_keep_their_names():
    one = imported(small.Token().eval(), (5, 6), "Token")
    assert list(build(one.source).state_dict()) == [
        "token", "shift", "layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias",
        "layers.2.weight", "layers.2.bias",
    ]  # fmt: skip
    assert judged(one, (5, 6)) == EQUAL


def test_sizes_of_the_image_stay_sizes():
    one = imported(small.Sizes().eval(), (3, 8, 8), "Sizes")
    assert judged(one, (3, 8, 8)) == EQUAL
    assert one.found.specialised == ()


def test_a_comparison_of_sizes_is_reported_as_specialised_to_this_input():
    one = imported(small.Decides().eval(), (3, 32, 32), "Decides")
    (note,) = one.found.specialised
    assert note.startswith("size 2 of the input x > 16 is True, Decides (models.py, line ")
    assert judged(one, (3, 32, 32))["the sample"]


def test_what_is_compared_is_called_by_its_layer_its_function_or_its_argument():
    class Asks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Sequential(nn.Linear(6, 4), nn.ReLU())

        def forward(self, image: torch.Tensor) -> torch.Tensor:
            x = self.first(image)
            y = torch.cat([x, image], 1)
            assert y.shape[1] == sum((x.shape[1], image.shape[1]))
            return y

    (note,) = import_module(Asks().eval(), [(6,)]).specialised
    compared, _, place = note.partition(" is True, ")
    line = place.removeprefix("Asks (test_import.py, line ").removesuffix(")")
    assert compared == (
        f"size 1 of cat in Asks (test_import.py, line {int(line) - 1}) == "
        "(size 1 of first.1 + size 1 of the input image)"
    )


def test_fixed_numbers_ranges_and_masks_are_drawn():
    one = imported(small.Constants().eval(), (6,), "Constants")
    found = judged(one, (6,))
    assert found["the sample"]
    assert found["another batch"]
    assert found["one training step"]
    blocks = {node.block for node in one.project.graph.nodes.values()}
    assert blocks >= {"tensor", "arange", "nonzero", "index", "setitem", "detach"}
    assert "[0.485, 0.456, 0.406, 0.1, 1.0, -2.5]" in one.source


def test_memory_is_laid_out_anew_where_the_next_layer_would_choose_another_kernel():
    one = imported(small.LaidOut().eval(), (5, 5, 6), "LaidOut")
    assert [line.strip() for line in one.source.splitlines() if "contiguous" in line] == [
        "x = x.contiguous()"
    ]
    assert judged(one, (5, 5, 6)) == {**EQUAL, "another image size": None}


def test_minus_infinity_before_a_softmax_is_a_word_in_the_file():
    class Hidden(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.softmax(x.masked_fill(x > 0.5, float("-inf")), -1)

    found = import_module(Hidden(), [(4,)])
    graph = read_text(write_text(found.project)).graph
    assert [n.settings for n in graph.nodes.values() if n.block == "masked_fill"] == [
        {"value": "-inf"}
    ]
    source = analyse(graph).source
    assert source
    assert "float('-inf')" in source or 'float("-inf")' in source
    x = torch.tensor([[0.0, 1.0, 0.25, 0.75]])
    assert torch.equal(build(source)(x), Hidden()(x))


def test_a_number_read_out_of_a_tensor_is_refused_unless_it_is_to_be_drawn_as_it_was():
    with pytest.raises(ImportRefused) as refused:
        import_module(small.Reads().eval(), [(6, 6)])
    assert refused.value.place == "Reads (models.py, line 113)"
    assert refused.value.message == (
        "decides by values that it computes from its input (Python reads the float of a tensor). "
        "A drawing does the same for every input."
    )
    found = import_module(small.Reads().eval(), [(6, 6)], specialise=True)
    assert found.decisions == (
        "Reads (models.py, line 113) decides by values that it computes from its input (Python "
        "reads the float of a tensor): drawn as it ran for one sample.",
    )


def test_heads_that_run_in_training_only_are_further_outputs_when_asked_for():
    module = small.Learner().eval()
    usual = import_module(module, [(3, 8, 8)])
    found = import_module(module, [(3, 8, 8)], heads=True)
    assert (usual.heads, usual.unused) == ((), ("aux.weight", "aux.bias"))
    assert (found.heads, found.unused) == (("aux_logits",), ())
    assert found.project.graph.of_block("Output") == ("logits", "aux_logits")
    source = analyse(found.project.graph).source
    assert source
    answers = verdicts(module, build(source), found.keys, [(3, 8, 8)], heads=1)
    assert {v.name: v.equal for v in answers} == EQUAL


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (small.Unknown, "calls linalg_pinv, for which there is no block."),
        (small.Fails, "mat1 and mat2 shapes cannot be multiplied"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_reason_and_place(model: type, message: str):
    with pytest.raises(ImportRefused) as refused:
        import_module(model().eval(), [(6, 6)])
    assert message in refused.value.message
    assert refused.value.place.startswith(model.__name__)
