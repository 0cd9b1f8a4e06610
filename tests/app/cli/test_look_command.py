"""`layerloom look`: what it prints and writes equals what a plain script of torch gives."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.cli import main
from core.common.network_ref import ProjectRef
from core.insight.network_cache import inputs_of, opened, validation

ROOT = Path(__file__).resolve().parents[3]
LENET = str(ROOT / "projects/lenet_digits.loom.json")
Capture = pytest.CaptureFixture[str]


def document(capsys: Capture) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def lenet() -> Any:
    """The module and sample 7, as the command has them."""
    from core.project import open_project, write_text

    ref = ProjectRef(write_text(open_project(Path(LENET))))
    return opened(ref).module, inputs_of(ref, 7, 8)[0], validation(ref)[2][7:8]


def test_values_of_a_block_are_those_of_a_plain_forward(lenet: Any, capsys: Capture) -> None:
    module, x, _ = lenet
    arguments = ["look", LENET, "--sample", "7", "--what", "values", "--block", "conv1", "--json"]
    assert main(arguments) == 0
    found = document(capsys)
    assert found["ok"] is True
    assert (found["what"], found["sample"]) == ("values", 7)
    (block,) = found["blocks"]
    with torch.no_grad():
        plain = module.conv1(x)[0]
    assert block["shape"] == [6, 28, 28]
    assert torch.equal(torch.tensor(block["values"]), plain)
    assert block["mean"] == pytest.approx(float(plain.double().mean()))


def test_gradients_of_the_loss_are_those_of_a_plain_backward(
    lenet: Any, tmp_path: Path, capsys: Capture
) -> None:
    module, x, target = lenet
    out = tmp_path / "gradients.npz"
    assert main(["look", LENET, "--sample", "7", "--what", "gradients", "-o", str(out)]) == 0
    assert "conv1: (6, 28, 28), lowest" in capsys.readouterr().out
    conv1 = module.conv1(x)
    rest = module.tanh2(module.conv2(module.pool1(module.tanh1(conv1))))
    rest = module.tanh3(module.fc1(module.pool2(rest).flatten(1)))
    logits = module.fc3(module.tanh4(module.fc2(rest)))
    loss = torch.nn.functional.cross_entropy(logits, target)
    gradient, of_logits = torch.autograd.grad(loss, [conv1, logits])
    with np.load(out) as arrays:
        np.testing.assert_array_equal(arrays["conv1"], gradient[0])
        np.testing.assert_array_equal(arrays["fc3"], of_logits[0])
    assert all(p.grad is None for p in module.parameters())


def test_saliency_of_a_chosen_class_is_its_gradient(lenet: Any, capsys: Capture) -> None:
    module, x, _ = lenet
    arguments = ["look", LENET, "--sample", "7", "--what", "saliency", "--class", "3", "--json"]
    assert main(arguments) == 0
    found = document(capsys)
    leaf = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(module(leaf)[0, 3], leaf)
    assert torch.equal(torch.tensor(found["values"]), gradient[0].abs())
    assert found["aim"]["name"] == "3"
    assert found["does_not_show"].startswith("Not how much each value contributes")


def test_the_sanity_check_comes_with_the_explanation(capsys: Capture) -> None:
    assert main(["look", LENET, "--what", "gradcam", "--check", "--json"]) == 0
    found = document(capsys)
    assert found["block"] == "pool2"
    assert found["sanity_check"][0]["layer"] == "fc3"


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["--sample", "9999"], 2, "There is no sample 9999."),
        (["--block", "nope"], 2, "There is no block called nope."),
        (["--what", "saliency", "--class", "cat"], 2, "There is no class called 'cat'."),
        (["--what", "excite"], 2, "Which block? None is named."),
        (["--what", "attention"], 1, "This network has no attention."),
        (["--what", "gradcam", "--block", "fc1"], 1, "needs feature maps (N, C, H, W)"),
        (["--epoch", "3"], 2, "A project has no epochs."),
        (["-o", "look.txt"], 2, "look.txt has an unknown file type."),
        (["-o", "look.png"], 2, "This result cannot be drawn as an image."),
    ],
)
def test_what_cannot_be_looked_at_is_one_sentence(
    arguments: list[str], status: int, says: str, capsys: Capture
) -> None:
    assert main(["look", LENET, *arguments, "--json"]) == status
    assert says in capsys.readouterr().err


def test_a_run_that_is_not_there_is_status_2(tmp_path: Path, capsys: Capture) -> None:
    assert main(["look", "none", "--runs", str(tmp_path)]) == 2
    assert "There is no run called none" in capsys.readouterr().err
