"""Numbers of the cards on LoRA, own parametrizations and pruning, and files, in plain torch."""

import io

import pytest
import torch
from safetensors.torch import save
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F

from core.wings.cards.catalogue import CARDS
from tests.wings.cards.conftest import Alone, subject


def narrow_changes(template: str, rank: int, steps: int) -> float:
    """The loss after steps of AdamW on a sum of each weight and a product, by its formula."""
    it = subject("lora", template)
    frozen = {name: w.detach() for name, w in it.model.named_parameters()}
    torch.manual_seed(0)
    cut = [name for name, w in frozen.items() if w.dim() > 1]
    down = {name: torch.randn(rank, frozen[name][0].numel()) for name in cut}
    down = {name: (d / d.shape[1] ** 0.5).requires_grad_() for name, d in down.items()}
    up = {name: torch.zeros(len(frozen[name]), rank, requires_grad=True) for name in cut}

    def loss() -> Tensor:
        sums = {name: frozen[name] + (up[name] @ down[name]).view_as(frozen[name]) for name in cut}
        return F.cross_entropy(functional_call(it.model, frozen | sums, (it.x,)), it.y)

    trained = [*down.values(), *up.values()]
    means = [torch.zeros_like(w) for w in trained]
    squares = [torch.zeros_like(w) for w in trained]
    for step in range(1, steps + 1):
        slopes = torch.autograd.grad(loss(), trained)
        with torch.no_grad():
            for w, g, m, v in zip(trained, slopes, means, squares, strict=True):
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.999).add_(g * g, alpha=0.001)
                w -= 0.01 * (m / (1 - 0.9**step)) / ((v / (1 - 0.999**step)).sqrt() + 1e-8)
    return loss().item()


@pytest.mark.slow
def test_a_narrow_change_reaches_the_loss_of_a_sum_trained_by_hand(alone: Alone) -> None:
    values = alone.values("lora", "mlp_iris")
    assert values["reached"] == pytest.approx(narrow_changes("mlp_iris", 4, 30), rel=1e-3)
    assert values["first"][-1] == pytest.approx(narrow_changes("mlp_iris", 1, 30), rel=1e-3)
    assert values["first"][0] == values["every"][0] == values["begin"]


@pytest.mark.slow
def test_a_narrow_change_has_a_row_and_a_column_for_each_rank(alone: Alone) -> None:
    shapes = [(4, 16), (16, 16), (16, 3)]
    values = alone.values("lora", "mlp_iris")
    narrow = sum(4 * (rows + columns) for rows, columns in shapes)
    assert values["share"] == pytest.approx(100 * narrow / 403)
    assert 0 <= values["difference"] < 1e-5
    of_lenet = [(6, 25), (16, 150), (120, 400), (84, 120), (10, 84)]
    found = alone.values("lora", "lenet_digits")["share"]
    assert found == pytest.approx(100 * 4 * sum(map(sum, of_lenet)) / 61706)


@pytest.mark.gate
def test_a_cache_calculates_a_weight_once_and_a_removed_one_never(alone: Alone) -> None:
    values = alone.values("custom-parametrization", "mlp_iris")
    assert (values["read"], values["kept"], values["removed"]) == (5, 1, 0)
    assert values["rows"][0][1] == "fc1.parametrizations.weight.original"
    assert values["shortest"] == pytest.approx(1.0, abs=1e-5)
    assert values["longest"] == pytest.approx(1.0, abs=1e-5)
    assert 0 <= values["along"] < 1e-5
    assert values["difference"] == 0.0


def changed(rows: Tensor) -> float:
    """How far the outputs of the MLP move where these rows of fc1 are 0."""
    it = subject("custom-pruning", "mlp_iris")
    with torch.no_grad():
        before = it.model(it.x)
        weight = it.model.get_parameter("fc1.weight").clone()
        weight[rows] = 0
        after = functional_call(it.model, {"fc1.weight": weight}, (it.x,))
    return (after - before).square().mean().sqrt().item()


@pytest.mark.slow
def test_an_own_mask_takes_the_half_of_the_outputs_that_vary_least(alone: Alone) -> None:
    values = alone.values("custom-pruning", "mlp_iris")
    it = subject("custom-pruning", "mlp_iris")
    layer = it.model.get_submodule("fc1")
    assert isinstance(layer, nn.Linear)
    spread = layer(it.x).std(0)
    assert values["mine"] == pytest.approx(changed(spread.argsort()[:8]), rel=1e-4)
    smallest = layer.weight.norm(dim=1).argsort()[:8]
    assert values["changes"][1] == pytest.approx(changed(smallest), rel=1e-4)
    assert (values["masked"], values["total"], values["kept"]) == (8, 16, 0.0)
    mildest = "is not the mildest way" in CARDS["custom-pruning"].explanation(values)
    assert mildest == (values["mine"] > min(values["changes"]))


def written(what: object) -> int:
    file = io.BytesIO()
    torch.save(what, file)
    return len(file.getvalue())


@pytest.mark.slow
def test_files_hold_what_each_form_keeps(alone: Alone) -> None:
    values = alone.values("saving-forms")
    it = subject("saving-forms")
    optimiser = torch.optim.AdamW(it.model.parameters())
    F.cross_entropy(it.model(it.x), it.y).backward()
    optimiser.step()
    state = it.model.state_dict()
    sizes = dict(zip(values["names"], values["sizes"], strict=True))
    assert sizes["weights.safetensors"] == pytest.approx(len(save(state)), abs=128)
    assert sizes["state_dict.pt"] == pytest.approx(written(state), abs=1024)
    both = written({"model": state, "optimizer": optimiser.state_dict()})
    assert sizes["with_optimiser.pt"] == pytest.approx(both, abs=4096)
    assert values["larger"] == pytest.approx(3.0, abs=0.1)
    assert (values["refused"], values["lost"]) == ("pickled.pt, exported.pt2", "pickled.pt")
    assert [row[5] for row in values["rows"]] == [
        "refused: AttributeError", "OrderedDict", "dict", "dict", "ExportedProgram",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_student_of_the_labels_is_the_one_trained_by_hand(alone: Alone) -> None:
    values = alone.values("distillation", "mlp_iris")
    it = subject("distillation", "mlp_iris")
    with torch.no_grad():  # the outputs of fc2, each two averaged to the eight of the student
        taught = it.model.get_submodule("fc2")(it.model.get_submodule("fc1")(it.x).relu())
        goal = taught.view(16, 8, 2).mean(2)
    torch.manual_seed(0)
    first, last = nn.Linear(4, 8), nn.Linear(8, 3)
    optimiser = torch.optim.Adam([*first.parameters(), *last.parameters()], 0.01)
    for _ in range(40):
        optimiser.zero_grad()
        F.cross_entropy(last(first(it.x).relu()), it.y).backward()
        optimiser.step()
    z = first(it.x).detach()
    told = F.cross_entropy(last(z.relu()), it.y).item()
    cosine = 1 - (z * goal).sum(1) / (z.norm(dim=1) * goal.norm(dim=1))
    expected = [told, (z - goal).square().mean().item(), cosine.mean().item()]
    assert [float(cell) for cell in values["rows"][0][1:4]] == pytest.approx(expected, rel=2e-3)
    assert values["rows"][0][4] == "-"
    assert values["small"] == 4 * 8 + 8 + 8 * 3 + 3
    assert values["share"] == pytest.approx(
        100 * float(values["rows"][2][3]) / float(values["rows"][0][3]), rel=2e-3
    )


@pytest.mark.slow
def test_attention_is_compared_where_both_ends_are_pictures(alone: Alone) -> None:
    values = alone.values("distillation", "lenet_digits")
    assert [row[0] for row in values["rows"]] == ["labels", "features", "cosine", "attention"]
    assert values["count"] == 3
    columns = list(zip(*[map(float, row[2:]) for row in values["rows"]], strict=True))
    lowest = sum(min(column) == column[place] for place, column in enumerate(columns, 1))
    assert values["lowest"] == lowest
