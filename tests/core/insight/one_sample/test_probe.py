"""A probed wire tells what torch tells; its pages hold every number once; NumPy reads the copy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from core.common.network_ref import ProjectRef
from core.insight.network_cache import opened
from core.insight.one_sample.api import look, numpy, probe
from core.insight.one_sample.sample import choose
from core.insight.one_sample.tensor_facts import page_of, statistics

ROOT = Path(__file__).parents[4]
LENET = ProjectRef((ROOT / "projects" / "lenet_digits.loom.json").read_text())
SAMPLE = {"part": "validation", "index": 4}


def test_a_wire_s_facts_are_torch_s_own() -> None:
    module, chosen = opened(LENET).module, choose(LENET, SAMPLE)
    before = module.get_submodule("conv1")(chosen.inputs[0])
    probed = probe(LENET, SAMPLE, "conv1", "output", 0)
    value = probed["value"]
    assert value["shape"] == [1, 6, 28, 28]
    assert (value["dtype"], value["device"], value["count"]) == ("float32", "cpu", 4704)
    assert probed["autograd"] == {
        "requires_grad": True, "is_leaf": False, "grad_fn": type(before.grad_fn).__name__,
    }  # fmt: skip
    assert probed["autograd"]["grad_fn"] == "ConvolutionBackward0"
    assert value["min"] == before.min().item()
    assert value["mean"] == before.mean().item()
    assert value["max"] == before.max().item()
    assert value["std"] == before.std().item()
    assert sum(value["histogram"]) == 4704
    assert value["page"]["rows"][2][3] == before[0, 0, 2, 3].item()
    assert value["page"]["pages"] == 6 * 3 * 5
    assert probed["gradient"]["shape"] == [1, 6, 28, 28]
    logits = module(chosen.inputs[0])
    assert chosen.targets is not None
    assert probed["loss"] == nn.functional.cross_entropy(logits, chosen.targets[0]).item()


def test_why_a_wire_has_no_gradient_is_given() -> None:
    probed = probe(LENET, SAMPLE, "image", "output", 0)
    assert probed["gradient"] is None
    assert probed["autograd"]["requires_grad"] is False
    assert probed["why"].startswith("requires_grad is False")
    drawn = {"own": {"drawing": "/////w==", "shape": [2, 2]}}
    own = probe(LENET, drawn, "fc1", "output", 0)
    assert own["gradient"] is None
    assert "your own" in own["why"]
    with pytest.raises(ValueError, match="nothing did not run"):
        probe(LENET, SAMPLE, "nothing", "output", 0)


def test_the_ends_of_a_composite_show_what_a_plain_script_sees_go_in_and_out() -> None:
    ref = ProjectRef((ROOT / "projects" / "resnet_digits.loom.json").read_text())
    seen: dict[str, torch.Tensor] = {}

    def note(use: int) -> Any:
        def hook(_module: nn.Module, args: Any, output: torch.Tensor) -> None:
            seen[f"stage1.{use}.input"], seen[f"stage1.{use}.output"] = args[0].clone(), output

        return hook

    module = opened(ref).module
    uses = [module.get_submodule(f"stage1.{use}") for use in (0, 1)]
    handles = [part.register_forward_hook(note(use)) for use, part in enumerate(uses)]
    with torch.no_grad():
        module(*choose(ref, SAMPLE).inputs)
    for handle in handles:
        handle.remove()
    assert not torch.equal(seen["stage1.0.input"], seen["stage1.1.input"])
    for path, value in seen.items():
        probed = probe(ref, SAMPLE, path, "output", 0)
        assert probed["value"] == {**statistics(value), "page": page_of(value, 0)}
        assert probed["gradient"]["shape"] == list(value.shape)
    within = look(ref, SAMPLE, "stage1.1.")["blocks"]
    assert {"stage1.1.input", "stage1.1.conv1", "stage1.1.output"} <= set(within)


@pytest.mark.parametrize(
    "shape", [(), (7,), (3, 5), (1, 2, 30, 13), (2, 2, 2, 4, 4), (1, 32, 1, 1)]
)
def test_the_pages_hold_every_number_once(shape: tuple[int, ...]) -> None:
    value = torch.randn(shape)
    pages = page_of(value)["pages"]
    numbers = [n for k in range(pages) for row in page_of(value, k)["rows"] for n in row]
    assert sorted(numbers) == sorted(value.reshape(-1).tolist())
    assert page_of(value, 10**6)["number"] == pages - 1


def test_what_is_no_number_is_counted_apart() -> None:
    found = statistics(torch.tensor([0.0, float("nan"), float("-inf"), 4.0]))
    counts = (found["count"], found["finite"], found["zeros"], found["nan"], found["inf"])
    assert counts == (4, 2, 1, 1, 1)
    assert (found["min"], found["mean"], found["max"]) == (0.0, 2.0, 4.0)
    tokens = statistics(torch.tensor([[1, 2, 3]]))
    assert (tokens["dtype"], tokens["mean"], tokens["nan"]) == ("int64", 2.0, 0)
    nothing = statistics(torch.tensor([float("nan")]))
    assert (nothing["mean"], nothing["histogram"]) == (None, [])


@pytest.mark.parametrize("gradient", [False, True])
def test_numpy_reads_the_copied_text_to_the_bit(gradient: bool) -> None:
    text = numpy(LENET, SAMPLE, "fc2", "output", gradient)["text"]
    space: dict[str, Any] = {}
    exec(text, space)
    found = space["fc2_output_gradient" if gradient else "fc2_output"]
    probed = probe(LENET, SAMPLE, "fc2", "output", 0)["gradient" if gradient else "value"]
    assert found.dtype == np.float32
    assert found.shape == (1, 84)
    assert found[0, :6].tolist() == probed["page"]["rows"][0]


@pytest.mark.parametrize(
    ("shape", "number", "pages", "lines", "place"),
    [
        ((1, 32, 1, 1), 0, 1, [6, 6, 6, 6, 6, 2], "[0, 0:32, 0, 0]"),
        ((1, 100), 1, 2, [6, 6, 6, 6, 4], "[0, 72:100]"),
        ((1, 2, 6, 6), 1, 2, [6] * 6, "[0, 1, 0:, 0:]"),
        ((1, 1, 28, 28), 6, 15, [6] * 10, "[0, 0, 10:, 6:]"),
        ((1, 4, 1, 7), 2, 4, [6, 1], "[0, 2, 0, 0:7]"),
        ((), 0, 1, [1], "[]"),
        ((3, 0), 0, 1, [], "[:]"),
    ],
)
def test_a_page_is_as_full_as_it_can_be_and_names_its_place(
    shape: tuple[int, ...], number: int, pages: int, lines: list[int], place: str
) -> None:
    found = page_of(torch.zeros(shape), number)
    assert found["pages"] == pages
    assert [len(row) for row in found["rows"]] == lines
    assert found["place"] == place


def test_how_a_value_was_caught_is_named_with_lines_that_do_the_same() -> None:
    probed = probe(LENET, SAMPLE, "conv1", "output", 0)
    assert probed["hook"]["sentence"] == "Captured by a forward hook on model.conv1 (Conv2d)."
    module, chosen = opened(LENET).module, choose(LENET, SAMPLE)
    space: dict[str, Any] = {"model": module, "x": chosen.inputs[0]}
    exec(probed["hook"]["code"], space)
    assert probed["value"]["max"] == space["seen"]["out"].max().item()
    assert probe(LENET, SAMPLE, "image", "output", 0)["hook"] is None
