"""A training step that differs is told with its cause: the statement, its line, what to do."""

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from core.analyse import analyse, build
from core.wings.importing import ImportRefused, import_module
from core.wings.importing.verify.equivalence import verdicts
from core.wings.importing.verify.omissions import find_omissions
from tests.wings.importing import otherwise


def step_note(model: nn.Module, specialise: bool = False) -> str:
    """What the verdict on a training step says."""
    torch.manual_seed(0)
    found = import_module(model.eval(), [(6,)], specialise=specialise)
    source = analyse(found.project.graph).source
    assert source
    all_verdicts = verdicts(model, build(source), found.keys, [(6,)])
    (step,) = [verdict for verdict in all_verdicts if verdict.name == "one training step"]
    assert step.equal is False
    return step.note


MODES = "A drawing does the same in both modes: train the original, or use a layer of torch."


@pytest.mark.parametrize(
    ("model", "start", "cause"),
    [
        (otherwise.Rounds, "gradients differ by up to ",
         "Round (otherwise.py, line 31) has a custom backward. The drawing has torch's "
         "gradient instead: train the original, or write it without a Function, such as "
         "x + (y - x).detach() for y with the gradient of x."),
        (otherwise.Centres, "result 1 differs by up to ",
         "in training only, mul, detach, mean, add in Centres (otherwise.py, line 47). " + MODES),
        (otherwise.Frozen, "result 1 differs by up to ",
         "norm stays in evaluation mode when the model is trained. Freeze the same blocks of the "
         "drawing before it is trained."),
    ],
)  # fmt: skip
def test_a_training_step_that_differs_names_the_statement_and_what_to_do(
    model: type[nn.Module], start: str, cause: str
):
    note = step_note(model())
    assert note.startswith(start)
    assert note.partition(": ")[2] == cause


def test_numbers_of_python_s_random_are_named_as_changing_from_run_to_run():
    with pytest.raises(ImportRefused, match="draws random numbers with Python's random"):
        import_module(otherwise.Gambles().eval(), [(6,)])
    note = step_note(otherwise.Gambles(), specialise=True)
    assert ": mul in Gambles (otherwise.py, line 75) has argument 2=0." in note
    assert note.endswith(
        " the next time. Its random numbers do not come from torch: use torch, such as torch.rand."
    )


def test_what_cannot_be_drawn_of_a_training_step_is_its_cause():
    note = step_note(otherwise.Refused())
    assert note.partition(": ")[2] == (
        "In training, Refused (otherwise.py, line 89) reads a tensor changed in place under "
        "another name: Refused (otherwise.py, line 88). Write that change as a new tensor, such "
        "as x = x + 1 for x.add_(1)."
    )


def test_a_dropout_that_never_ends_is_refused():
    class Drops(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return functional.dropout(x, 0.3)

    with pytest.raises(ImportRefused) as refused:
        import_module(Drops().eval(), [(6,)])
    assert refused.value.message == (
        "calls dropout with training=True in evaluation, where a drawing does not drop."
    )
    assert refused.value.hint == (
        "Write training=self.training in that call, or use the layer of torch.nn. Or have Drops "
        "come in as a block of your own Python: --own-python."
    )


class Between(nn.Module):
    """Two layers, and something around or between them."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.head = nn.Linear(6, 6), nn.Linear(6, 2)


class Autocast(Between):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = self.fc(x)
        return self.head(x.float())


class Checkpoints(Between):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(checkpoint(self.norm, self.fc(x), use_reentrant=False))


class ClipsGradients(Between):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.fc(x)
        if x.requires_grad:
            x.register_hook(lambda gradient: gradient.clamp(-0.001, 0.001))
        return self.head(x)


class Plain(Between):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.fc(x))


def test_autocast_inside_forward_is_named_where_the_sample_differs():
    model = Autocast()
    found = import_module(model, [(6,)])
    source = analyse(found.project.graph).source
    assert source
    sample = verdicts(model, build(source), found.keys, [(6,)])[0]
    line = Autocast.forward.__code__.co_firstlineno + 1
    assert sample.equal is False
    assert sample.note.partition(": ")[2].startswith(
        f"autocast (test_diagnose.py, line {line}) changes the precision. A drawing computes in "
    )


def test_a_checkpoint_around_a_norm_is_named_with_its_line():
    line = Checkpoints.forward.__code__.co_firstlineno + 1
    assert f"checkpoint (test_diagnose.py, line {line}) runs its part again" in step_note(
        Checkpoints()
    )


def test_a_hook_of_a_gradient_is_named_with_its_line():
    line = ClipsGradients.forward.__code__.co_firstlineno + 3
    assert f"register_hook (test_diagnose.py, line {line}) sees a gradient" in step_note(
        ClipsGradients()
    )


def test_hooks_of_gradients_of_a_layer_and_of_a_parameter_are_named():
    layer, weight = Plain(), Plain()
    layer.head.register_full_backward_hook(lambda part, given, out: tuple(2 * g for g in given))
    weight.fc.weight.register_hook(lambda gradient: 2 * gradient)
    assert ": head has a gradient hook. A drawing has torch's own" in step_note(layer)
    (sentence,) = find_omissions(weight, None, [torch.zeros(1, 6)])
    assert sentence.startswith("fc.weight has a gradient hook. ")
