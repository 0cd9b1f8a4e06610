"""What the strip on the canvas shows is what a plain script of torch gives, for every template."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks

from core.common.network_ref import NetworkRef, ProjectRef
from core.insight.load_model import seed_of
from core.insight.network_cache import objective, opened
from core.insight.one_sample.api import look
from core.insight.one_sample.autograd_graph import AutogradGraph
from core.insight.one_sample.gradients import backward
from core.insight.one_sample.sample import Chosen, choose
from core.insight.one_sample.values import forward
from core.insight.one_sample.wires import parts

ROOT = Path(__file__).parents[4]
TEMPLATES = sorted(ROOT.glob("projects/*.loom.json"))
SECOND = {"part": "validation", "index": 1}


def ref_of(path: Path) -> NetworkRef:
    return ProjectRef(path.read_text())


def plain_module(ref: NetworkRef) -> nn.Module:
    """The network as somebody makes it who copies the source into a script."""
    network = opened(ref)
    space: dict[str, Any] = {"__name__": "copied"}
    torch.manual_seed(seed_of(network.project))
    exec(network.report.source or "", space)
    return space[network.report.class_name]().eval()


def first_tensor(value: Any) -> Tensor:
    return next(part for part in parts(value) if isinstance(part, Tensor))


class Plain:
    """A script of one's own: hooks on the modules of the network, their values and gradients."""

    def __init__(self, ref: NetworkRef) -> None:
        self.module, self.seed = plain_module(ref), seed_of(opened(ref).project)
        self.values: dict[str, Tensor] = {}
        self.gradients: dict[str, Tensor] = {}
        for name, part in self.module.named_modules():
            part.register_forward_hook(self._hook(name))

    def _hook(self, name: str) -> Any:
        def keep(_module: nn.Module, _args: Any, output: Any) -> None:
            if name in self.values:
                return  # weights that a second block uses: that block is another wire
            value = first_tensor(output)
            self.values[name] = value.detach().clone()
            if value.requires_grad:
                value.register_hook(lambda gradient: self.gradients.update({name: gradient}))

        return keep

    def run(self, inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
        self.values.clear()
        torch.manual_seed(self.seed)
        outputs = self.module(*inputs)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    def loss(self, ref: NetworkRef, chosen: Chosen) -> tuple[Tensor, int]:
        """The loss of a sample, and the bytes that torch's hooks see kept besides the weights."""
        own = {weight.untyped_storage().data_ptr() for weight in self.module.parameters()}
        kept: dict[int, torch.UntypedStorage] = {}

        def pack(tensor: Tensor) -> Tensor:
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in own:
                kept[storage.data_ptr()] = storage
            return tensor

        inputs = [x.clone() for x in chosen.inputs]
        targets = tuple(y.clone() for y in chosen.targets or ())
        with saved_tensors_hooks(pack, lambda tensor: tensor):
            losses = objective(ref).values(self.run(inputs), targets)
            total = objective(ref).total(losses)
        return total, sum(storage.nbytes() for storage in kept.values())


def same_graph(shown: AutogradGraph, loss: Tensor, module: nn.Module) -> None:
    """Go through torch's graph and the one that is shown, side by side from the loss on."""
    names = {id(weight): name for name, weight in module.named_parameters()}
    after: dict[int, list[int]] = {}
    for begin, end in shown.edges:
        after.setdefault(begin, []).append(end)
    left, met = [(0, loss.grad_fn)], dict[int, Any]()
    while left:
        number, node = left.pop()
        assert met.setdefault(number, node) is node
        found = shown.nodes[number]
        assert found.name == type(node).__name__
        assert found.parameter == names.get(id(getattr(node, "variable", None)), "")
        shapes = [s.shape for s in found.saved if "[" not in s.name]
        saved = [getattr(node, f"_saved_{s.name}") for s in found.saved if "[" not in s.name]
        assert shapes == [tuple(tensor.shape) for tensor in saved]
        behind = [other for other, _ in node.next_functions if other is not None]
        numbers = after.get(number, [])
        assert len(numbers) == len(behind)
        left += [pair for pair in zip(numbers, behind, strict=True) if pair[0] not in met]
    assert len(met) == len(shown.nodes)
    assert sorted(begin < end for begin, end in shown.edges)[0], "an edge leads back"


@pytest.mark.gate
@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.stem.removesuffix(".loom"))
def test_values_and_gradients_of_a_template_are_those_of_a_plain_script(path: Path) -> None:
    ref = ref_of(path)
    plain, chosen = Plain(ref), choose(ref, SECOND)
    with torch.no_grad():
        plain.run(chosen.inputs)
    ran = forward(opened(ref), chosen.inputs)
    for name in compared(plain.values, ran.wires):
        assert torch.equal(first_tensor(tuple(ran.wires[name].values())), plain.values[name]), name

    loss, kept = plain.loss(ref, chosen)
    recorded = backward(opened(ref), chosen.inputs, chosen.targets or (), objective(ref))
    same_graph(recorded.graph, loss, plain.module)
    assert recorded.graph.bytes == kept
    weights = [w for w in plain.module.parameters() if w.requires_grad]
    torch.autograd.grad(loss, weights, allow_unused=True)
    assert recorded.loss is not None
    assert float(recorded.loss.detach()) == float(loss.detach())
    for name in compared(plain.gradients, recorded.gradients):
        found = next(iter(recorded.gradients[name].values()))
        assert torch.equal(found, plain.gradients[name]), name


def compared(plain: Mapping[str, Any], recorded: Mapping[str, Any]) -> list[str]:
    """The modules that are blocks of the drawing, too; there are some."""
    names = [name for name in plain if name in recorded]
    assert names
    return names


def test_lenet_s_loss_and_gradient_by_hand() -> None:
    ref = ref_of(ROOT / "projects" / "lenet_digits.loom.json")
    chosen = choose(ref, SECOND)
    assert chosen.targets is not None
    recorded = backward(opened(ref), chosen.inputs, chosen.targets, objective(ref))
    logits = plain_module(ref)(*chosen.inputs).detach().requires_grad_()
    loss = nn.functional.cross_entropy(logits, chosen.targets[0])
    (gradient,) = torch.autograd.grad(loss, logits)
    assert recorded.loss is not None
    assert float(recorded.loss.detach()) == float(loss.detach())
    assert torch.allclose(recorded.gradients["fc3"]["output"], gradient, atol=1e-7)


def test_looking_leaves_weights_modes_gradients_and_random_numbers_as_they_were() -> None:
    ref = ref_of(ROOT / "projects" / "resnet_digits.loom.json")
    module = opened(ref).module
    module.train()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    state = torch.get_rng_state()
    chosen = choose(ref, SECOND)
    forward(opened(ref), chosen.inputs)
    backward(opened(ref), chosen.inputs, chosen.targets or (), objective(ref))
    assert all(part.training for part in module.modules())
    module.eval()
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert all(weight.grad is None for weight in module.parameters())


def test_the_strip_s_answer_has_a_picture_of_each_block_and_likely_classes() -> None:
    ref = ref_of(ROOT / "projects" / "lenet_digits.loom.json")
    answer = look(ref, {"part": "training", "index": 3}, "")
    assert (answer["part"], answer["index"], answer["count"]) == ("training", 3, 1438)
    assert set(answer["blocks"]) == set(opened(ref).report.nodes)
    assert answer["blocks"]["conv1"]["shape"] == [6, 28, 28]
    assert answer["blocks"]["image"]["kind"] == "image"
    scores = answer["prediction"]["scores"]
    assert len(scores) == 10
    assert abs(sum(score["value"] for score in scores) - 1) < 1e-6
    assert answer["output"] == "logits"
    assert answer["ways"] == {"kind": "image", "channels": 1}
    inside = look(ref, {"part": "validation", "index": 10**9}, "no_composite.")
    assert inside["blocks"] == {}
    assert inside["index"] == inside["count"] - 1
