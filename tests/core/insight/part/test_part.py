"""A part by itself gives, to the bit, what hooks on the whole network see in its place."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from core.analyse import build
from core.common.network_ref import ProjectRef
from core.graph.part import between
from core.insight.load_model import NotReady, OpenedNetwork, open_untrained
from core.insight.part.api import calculate, check, keep
from core.insight.part.check import samples_of
from core.insight.part.extract import inside, take
from core.project import open_project, read_text, write_text
from tests.core.perturbed import perturb

ROOT = Path(__file__).parents[4]
CASES = [
    ("lenet_digits", "", "conv2", "fc1"),
    ("resnet_digits", "", "stage1", "stage2"),
    ("resnet_digits", "stage1.1.", "conv1", "join"),
    ("gpt_text", "blocks.1.", "ln1", "join1"),
    ("inception_digits", "inception3a.branch3.", "conv", "relu"),
    ("siamese_digits", "same_embed.", "conv1", "conv2"),
    ("vit_digits", "", "tokens", "encoder"),
]


def whole_of(template: str) -> OpenedNetwork:
    opened = open_untrained(open_project(ROOT / f"projects/{template}.loom.json"))
    return replace(opened, module=perturb(opened.module).eval())


def hooked(module: nn.Module, path: str, inputs: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """What the last call of a submodule received and gave, by torch's own hook."""
    seen: list[tuple[Tensor, Tensor]] = []
    hook = module.get_submodule(path).register_forward_hook(
        lambda _m, args, out: seen.append((args[0].clone(), out.clone()))
    )
    with torch.no_grad():
        module(*inputs)
    hook.remove()
    return seen[-1]


@pytest.mark.gate
@pytest.mark.parametrize(("template", "within", "start", "end"), CASES)
def test_a_part_is_equal_to_its_place_in_the_whole(
    template: str, within: str, start: str, end: str
) -> None:
    whole = whole_of(template)
    graph = inside(whole.project.graph, whole.report, within)
    taken = take(whole, between(graph, start, end), within)
    found, samples = check(whole, taken)
    assert samples == "validation samples"
    assert found
    assert [each.difference for each in found] == [0.0] * len(found)
    assert read_text(write_text(taken.opened.project)) == taken.opened.project


def test_hooks_on_the_whole_see_what_the_part_receives_and_gives(tmp_path: Path) -> None:
    whole = whole_of("resnet_digits")
    answer = _kept(whole, ["stage1", "down"], tmp_path)
    module = build(_source(answer)).eval()
    module.load_state_dict(load_file(tmp_path / "part.safetensors"))
    inputs = samples_of(whole, 5)[0]
    given, _ = hooked(whole.module, "stage1", inputs)
    _, expected = hooked(whole.module, "down", inputs)
    with torch.no_grad():
        assert torch.equal(module(given), expected)
    kept = load_file(tmp_path / "part.safetensors")
    assert "stage1.0.conv1.weight" in kept
    assert all(torch.equal(value, whole.module.state_dict()[key]) for key, value in kept.items())


def _kept(whole: OpenedNetwork, blocks: list[str], folder: Path) -> dict[str, Any]:
    from core.insight.part.extract import keep_weights

    taken = take(whole, blocks)
    keep_weights(taken, folder / "part.safetensors")
    return {"project": write_text(taken.opened.project)}


def _source(answer: dict[str, Any]) -> str:
    from core.analyse import analyse_project

    return analyse_project(read_text(answer["project"])).source or ""


def test_the_canvas_gets_values_shapes_times_and_that_they_are_equal() -> None:
    ref = ProjectRef((ROOT / "projects/lenet_digits.loom.json").read_text())
    sample = {"part": "validation", "index": 3}
    answer = calculate(ref, sample, "", ["conv2", "tanh2"], "sample", None)
    assert answer["equal"] is True
    assert [e["shape"] for e in answer["entries"]] == [["N", 6, 14, 14]]
    assert [b["node"] for b in answer["blocks"]] == ["conv2", "tanh2"]
    assert answer["blocks"][0]["shape"] == [1, 16, 10, 10]
    assert answer["params"] == 6 * 16 * 25 + 16
    assert answer["blocks"][0]["ms"] > 0
    assert -1 <= answer["blocks"][1]["min"] < answer["blocks"][1]["max"] <= 1


def test_a_block_alone_runs_on_made_numbers() -> None:
    ref = ProjectRef((ROOT / "projects/lenet_digits.loom.json").read_text())
    answer = calculate(ref, {"part": "validation", "index": 0}, "", ["tanh1"], "ones", None)
    assert answer["equal"] is None
    assert answer["blocks"][0]["min"] == answer["blocks"][0]["max"] == pytest.approx(0.76159416)
    zeros = calculate(ref, {"part": "validation", "index": 0}, "", ["tanh1"], "zeros", None)
    assert zeros["blocks"][0]["mean"] == 0.0
    drawn = calculate(ref, {"part": "validation", "index": 0}, "", ["pool1"], "random", None)
    torch.manual_seed(0)
    x = torch.randn(1, 6, 28, 28)
    assert drawn["blocks"][0]["mean"] == pytest.approx(
        nn.functional.avg_pool2d(x, 2).mean().item(), abs=1e-6
    )


def test_the_whole_of_a_network_keeps_its_data_and_settings(tmp_path: Path) -> None:
    path = ROOT / "projects/mlp_iris.loom.json"
    project = open_project(path)
    made = keep(ProjectRef(path.read_text()), "", list(project.graph.nodes), None,
                str(tmp_path / "w.safetensors"))  # fmt: skip
    assert read_text(made["project"]).data == project.data
    part = keep(ProjectRef(path.read_text()), "", ["fc1"], None, str(tmp_path / "p.safetensors"))
    assert read_text(part["project"]).data == {}


def test_no_part_no_composite_and_no_such_input_are_refused_in_a_sentence() -> None:
    whole = whole_of("lenet_digits")
    with pytest.raises(NotReady, match="pool1 lies between the selected blocks"):
        take(whole, ["tanh1", "conv2"])
    with pytest.raises(NotReady, match="nothing cannot run here"):
        take(whole, ["nothing"])
    with pytest.raises(NotReady, match="conv1 is not a drawn composite"):
        take(whole, ["conv1"], "conv1.")
    ref = ProjectRef((ROOT / "projects/lenet_digits.loom.json").read_text())
    with pytest.raises(NotReady, match="There is no input 'seven'"):
        calculate(ref, {}, "", ["conv1"], "seven", None)
