"""Values stay laid out in memory as the model lays them out: the last bits depend on it."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.wings.importing import import_module
from core.wings.importing.verify.equivalence import verdicts

LAST = torch.channels_last


class Laid(nn.Module):
    """Calls a layer with values that a function has laid out anew."""

    def __init__(self, forward: Callable[[nn.Module, Tensor], Tensor], layer: nn.Module) -> None:
        super().__init__()
        self.layer, self.way = layer, forward

    def forward(self, x: Tensor) -> Tensor:
        return self.way(self.layer, x)


def conv(channels: int = 16) -> nn.Module:
    return nn.Conv2d(channels, 24, 3, padding=1)


IMAGE, PLANE = (16, 9, 9), (33, 17)
CASES: dict[str, tuple[Callable[..., Tensor], Callable[[], nn.Module], tuple[int, ...], str]] = {
    "channels last": (lambda layer, x: layer(x.contiguous(memory_format=LAST)), conv, IMAGE,
                      "image.contiguous(memory_format=torch.channels_last)"),
    "to channels last": (lambda layer, x: layer(x.to(memory_format=LAST)), conv, IMAGE,
                         "image.contiguous(memory_format=torch.channels_last)"),
    "a copy with channels last": (lambda layer, x: layer(x.clone(memory_format=LAST)), conv, IMAGE,
                                  "image.contiguous(memory_format=torch.channels_last)"),
    "a cast and channels last": (
        lambda layer, x: layer(x.to(torch.float32, memory_format=LAST)), conv, IMAGE,
        "image.contiguous(memory_format=torch.channels_last)"),
    "one channel, which only a copy puts last": (
        lambda layer, x: layer(x.to(memory_format=LAST)), lambda: conv(1), (1, 28, 28),
        "torch.clone(image, memory_format=torch.channels_last)"),
    "and back behind a convolution": (
        lambda layer, x: layer(x.contiguous(memory_format=LAST)).contiguous().mean((2, 3)), conv,
        IMAGE, "x = x.contiguous()"),
    "a view, for which reshape copies by itself": (
        lambda layer, x: layer(x).transpose(1, 2).contiguous().view(len(x), -1),
        lambda: nn.Linear(17, 17), PLANE, ""),
    "a reshape that would keep the order": (
        lambda layer, x: layer(x).permute(0, 2, 3, 1).contiguous().flatten(1, 2).mean(1), conv,
        IMAGE, "x = x.contiguous()"),
    "a part": (lambda layer, x: layer(x).transpose(1, 2).contiguous()[:, 2:].sum(1),
               lambda: nn.Linear(17, 170), PLANE, "x = x.contiguous()"),
    "a copy of every second": (lambda layer, x: layer(x)[:, :, ::2].clone().sum(1),
                               lambda: nn.Linear(17, 170), PLANE, "x = torch.clone(x)"),
    "a copy of what was repeated": (
        lambda layer, x: layer(x)[:, :1].expand(-1, 9, -1).clone().softmax(1),
        lambda: nn.Linear(17, 17), PLANE, "x = torch.clone(x)"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_lays_values_out_anew_is_drawn_where_a_reader_needs_it(name: str):
    way, make, shape, line = CASES[name]
    torch.manual_seed(0)
    model = Laid(way, make()).eval()
    found = import_module(model, [shape], "Laid")
    source = analyse(found.project.graph, "Laid").source
    assert source
    laid = [part for part in ("contiguous(", "clone(") if part in source]
    assert (line in source) if line else not laid
    ours = build(source).eval()
    weights = {found.keys.get(key, key): tensor for key, tensor in model.state_dict().items()}
    ours.load_state_dict(weights)
    with torch.no_grad():
        for batch in (1, 2, 5):
            x = torch.randn(batch, *shape)
            assert torch.equal(ours(x), model(x))


def test_a_model_that_was_moved_to_channels_last_as_a_whole_is_equal_on_its_own_weights():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 8, 3),
        nn.Flatten(), nn.Linear(8 * 6 * 6, 5),
    )  # fmt: skip
    moved = model.eval().to(memory_format=LAST)
    found = import_module(moved, [(3, 8, 8)])
    report = analyse(found.project.graph)
    assert report.source
    judged = verdicts(moved, build(report.source), found.keys, [(3, 8, 8)])
    assert [v.equal for v in judged] == [True, True, None, True]
